// Attributes that list dimensions, sizes or ranges.
#include "core/hlo/proto/attribute_codec.h"

namespace hilo {
namespace {

using P = pb::HloInstructionProto;
using Numbers = google::protobuf::RepeatedField<int64_t>;

enum class When : uint8_t { Always, NotEmpty };

std::span<const int64_t> view(const Numbers& numbers) {
  return {numbers.data(), static_cast<size_t>(numbers.size())};
}

// `numbers` gives the field to read, `mutableNumbers` the one to write. What lies in a message of its own is
// cleared with that message (clearReadMessages in instruction_reader.cpp).
template <Attr A, When when, auto numbers, auto mutableNumbers>
constexpr AttributeCodec list() {
  return {A,
          [](ReadContext& in) {
            const Numbers& values = numbers(in.proto);
            if (when == When::Always || !values.empty()) put<A>(in, view(values));
          },
          [](WriteContext& out) {
            const auto values = out.instruction.get<A>();
            if (!values.empty()) mutableNumbers(out.proto).Add(values.begin(), values.end());
          }};
}

#define HILO_LIST(attr, when, from, to)                                             \
  list<Attr::attr, When::when, [](const P& p) -> const Numbers& { return p.from; }, \
       [](P& p) -> Numbers& { return *p.to; }>()

// The dot numbers of a dot or a ragged dot.
const pb::DotDimensionNumbers& dotNumbers(const P& p) {
  return p.has_ragged_dot_dimension_numbers() ? p.ragged_dot_dimension_numbers().dot_dimension_numbers()
                                              : p.dot_dimension_numbers();
}
pb::DotDimensionNumbers& mutableDotNumbers(P& p) {
  // The writer makes the ragged message before the rows run.
  return p.has_ragged_dot_dimension_numbers()
             ? *p.mutable_ragged_dot_dimension_numbers()->mutable_dot_dimension_numbers()
             : *p.mutable_dot_dimension_numbers();
}
#define HILO_DOT_LIST(attr, when, name)                                                           \
  list<Attr::attr, When::when, [](const P& p) -> const Numbers& { return dotNumbers(p).name(); }, \
       [](P& p) -> Numbers& { return *mutableDotNumbers(p).mutable_##name(); }>()

void readDimensions(ReadContext& in) {
  const bool isOptional = in.instruction.opcode() == Opcode::AllToAll;
  if (!isOptional || !in.proto.dimensions().empty()) put<Attr::Dimensions>(in, view(in.proto.dimensions()));
  in.proto.clear_dimensions();
}
void writeDimensions(WriteContext& out) {
  const auto values = out.instruction.get<Attr::Dimensions>();
  out.proto.mutable_dimensions()->Add(values.begin(), values.end());
}

// Attributes that are the one entry of `dimensions`.
template <Attr A>
constexpr AttributeCodec oneDimension() {
  return {A,
          [](ReadContext& in) {
            if (in.proto.dimensions_size() == 1) {
              put<A>(in, in.proto.dimensions(0));
              in.proto.clear_dimensions();
            } else if (A == Attr::IotaDimension || in.proto.dimensions_size() > 1) {
              in.problems.error("attribute-count", fmt::format("{} needs one dimension, {} are given",
                                                               attrName(A), in.proto.dimensions_size()));
            }
          },
          [](WriteContext& out) {
            if (const auto dimension = out.instruction.get<A>()) out.proto.add_dimensions(*dimension);
          }};
}

// The proto has one flat list for all copies of a collective-permute; each copy's sizes are as many as its
// operand has dimensions.
std::vector<size_t> sliceRanks(const Instruction& permute, size_t total) {
  std::vector<size_t> ranks;
  const Shape input = permute.operandCount() > 0 ? permute.operand(0)->shape() : Shape();
  size_t sum = 0;
  for (Shape element : input.tupleShapes()) {
    ranks.push_back(element.isArray() ? element.rank() : 0);
    sum += ranks.back();
  }
  if (sum == total && sum > 0) return ranks;
  const size_t rank = input.isArray() ? input.rank() : ranks.empty() ? 0 : ranks[0];
  if (rank == 0 || total % rank != 0) return {total};
  return std::vector<size_t>(total / rank, rank);
}

void readSliceSizesList(ReadContext& in) {
  const auto sizes = view(in.proto.dynamic_slice_sizes());
  if (sizes.empty()) return;
  std::vector<std::span<const int64_t>> lists;
  size_t at = 0;
  for (size_t rank : sliceRanks(in.instruction, sizes.size())) {
    lists.push_back(sizes.subspan(at, rank));
    at += rank;
  }
  put<Attr::SliceSizesList>(in, std::span<const std::span<const int64_t>>(lists));
  in.proto.clear_dynamic_slice_sizes();
}
void writeSliceSizesList(WriteContext& out) {
  for (const auto& list : out.instruction.get<Attr::SliceSizesList>()) {
    out.proto.mutable_dynamic_slice_sizes()->Add(list.begin(), list.end());
  }
}

void readSourceTargetPairs(ReadContext& in) {
  std::vector<int64_t> numbers;
  for (const auto& pair : in.proto.source_target_pairs()) {
    numbers.push_back(pair.source());
    numbers.push_back(pair.target());
  }
  std::vector<std::span<const int64_t>> pairs;
  for (size_t i = 0; i < numbers.size(); i += 2) pairs.push_back(std::span(numbers).subspan(i, 2));
  put<Attr::SourceTargetPairs>(in, std::span<const std::span<const int64_t>>(pairs));
  in.proto.clear_source_target_pairs();
}
void writeSourceTargetPairs(WriteContext& out) {
  for (const auto& pair : out.instruction.get<Attr::SourceTargetPairs>()) {
    auto& proto = *out.proto.add_source_target_pairs();
    if (pair.size() > 0) proto.set_source(pair[0]);
    if (pair.size() > 1) proto.set_target(pair[1]);
  }
}

void readSlice(ReadContext& in) {
  std::vector<SliceRange> ranges;
  for (const auto& range : in.proto.slice_dimensions())
    ranges.push_back({range.start(), range.limit(), range.stride()});
  put<Attr::Slice>(in, std::span<const SliceRange>(ranges));
  in.proto.clear_slice_dimensions();
}
void writeSlice(WriteContext& out) {
  for (const SliceRange& range : out.instruction.get<Attr::Slice>()) {
    auto& proto = *out.proto.add_slice_dimensions();
    proto.set_start(range.start);
    proto.set_limit(range.limit);
    proto.set_stride(range.stride);
  }
}

void readPadding(ReadContext& in) {
  std::vector<PaddingDimension> dimensions;
  for (const auto& d : in.proto.padding_config().dimensions()) {
    dimensions.push_back({d.edge_padding_low(), d.edge_padding_high(), d.interior_padding()});
  }
  put<Attr::Padding>(in, std::span<const PaddingDimension>(dimensions));
  in.proto.clear_padding_config();
}
void writePadding(WriteContext& out) {
  auto& config = *out.proto.mutable_padding_config();
  for (const PaddingDimension& d : out.instruction.get<Attr::Padding>()) {
    auto& proto = *config.add_dimensions();
    proto.set_edge_padding_low(d.low);
    proto.set_edge_padding_high(d.high);
    proto.set_interior_padding(d.interior);
  }
}

// Gather and scatter each have one, in a message of their own.
void readIndexVectorDim(ReadContext& in) {
  put<Attr::IndexVectorDim>(in, in.instruction.opcode() == Opcode::Scatter
                                    ? in.proto.scatter_dimension_numbers().index_vector_dim()
                                    : in.proto.gather_dimension_numbers().index_vector_dim());
}
void writeIndexVectorDim(WriteContext& out) {
  const int64_t dimension = out.instruction.get<Attr::IndexVectorDim>().value_or(0);
  if (out.instruction.opcode() == Opcode::Scatter) {
    out.proto.mutable_scatter_dimension_numbers()->set_index_vector_dim(dimension);
  } else {
    out.proto.mutable_gather_dimension_numbers()->set_index_vector_dim(dimension);
  }
}

#define HILO_GATHER_LIST(attr, when, name)                 \
  HILO_LIST(attr, when, gather_dimension_numbers().name(), \
            mutable_gather_dimension_numbers()->mutable_##name())
#define HILO_SCATTER_LIST(attr, when, name)                 \
  HILO_LIST(attr, when, scatter_dimension_numbers().name(), \
            mutable_scatter_dimension_numbers()->mutable_##name())
#define HILO_RAGGED_LIST(attr, when, name)                     \
  HILO_LIST(attr, when, ragged_dot_dimension_numbers().name(), \
            mutable_ragged_dot_dimension_numbers()->mutable_##name())

constexpr AttributeCodec kCodecs[] = {
    {Attr::Dimensions, readDimensions, writeDimensions},
    oneDimension<Attr::IotaDimension>(),
    oneDimension<Attr::InferredDimension>(),
    HILO_DOT_LIST(LhsBatchDims, NotEmpty, lhs_batch_dimensions),
    HILO_DOT_LIST(LhsContractingDims, Always, lhs_contracting_dimensions),
    HILO_DOT_LIST(RhsBatchDims, NotEmpty, rhs_batch_dimensions),
    HILO_DOT_LIST(RhsContractingDims, Always, rhs_contracting_dimensions),
    HILO_RAGGED_LIST(LhsRaggedDims, NotEmpty, lhs_ragged_dimensions),
    HILO_RAGGED_LIST(RhsGroupDims, NotEmpty, rhs_group_dimensions),
    HILO_GATHER_LIST(OffsetDims, Always, offset_dims),
    HILO_GATHER_LIST(CollapsedSliceDims, Always, collapsed_slice_dims),
    HILO_GATHER_LIST(StartIndexMap, Always, start_index_map),
    HILO_GATHER_LIST(OperandBatchingDims, NotEmpty, operand_batching_dims),
    HILO_GATHER_LIST(StartIndicesBatchingDims, NotEmpty, start_indices_batching_dims),
    HILO_SCATTER_LIST(UpdateWindowDims, Always, update_window_dims),
    HILO_SCATTER_LIST(InsertedWindowDims, Always, inserted_window_dims),
    HILO_SCATTER_LIST(ScatterDimsToOperandDims, Always, scatter_dims_to_operand_dims),
    HILO_SCATTER_LIST(InputBatchingDims, NotEmpty, input_batching_dims),
    HILO_SCATTER_LIST(ScatterIndicesBatchingDims, NotEmpty, scatter_indices_batching_dims),
    {Attr::IndexVectorDim, readIndexVectorDim, writeIndexVectorDim},
    HILO_LIST(SliceSizes, Always, gather_slice_sizes(), mutable_gather_slice_sizes()),
    HILO_LIST(DynamicSliceSizes, Always, dynamic_slice_sizes(), mutable_dynamic_slice_sizes()),
    HILO_LIST(FftLength, Always, fft_length(), mutable_fft_length()),
    {Attr::SliceSizesList, readSliceSizesList, writeSliceSizesList},
    {Attr::SourceTargetPairs, readSourceTargetPairs, writeSourceTargetPairs},
    {Attr::Slice, readSlice, writeSlice},
    {Attr::Padding, readPadding, writePadding},
};

}  // namespace

std::span<const AttributeCodec> dimensionCodecs() { return kCodecs; }

}  // namespace hilo
