#include "core/compiler/passes/canonicalize/dynamic_operations.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/hlo/eval/kernel.h"
#include "core/hlo/eval/literal_access.h"
#include "core/hlo/ir/attribute_equality.h"
#include "core/hlo/ir/side_effects.h"
#include "core/hlo/verify/infer_shape.h"

namespace hilo {
namespace {

using Sizes = std::vector<int64_t>;
constexpr std::string_view kPrefix = "stablehlo.";
constexpr int64_t kMaxElements = int64_t{1} << 40;

// One call on its way to static operations.
class Making {
 public:
  Making(Instruction& call, const KnownValues& known)
      : call(call),
        known_(known),
        config_(nlohmann::json::parse(std::string(call.get<Attr::BackendConfig>()), nullptr, false)) {}

  Instruction& call;

  std::unexpected<Diagnostic> wrong(std::string_view what) const {
    return fail("malformed-instruction", fmt::format("{}: {}", call.get<Attr::CustomCallTarget>(), what),
                placeOf(call));
  }
  Status needs(size_t operands) const {
    if (call.operandCount() < operands) return wrong("lacks operands");
    return {};
  }
  Instruction* operand(size_t n) const { return call.operand(n); }

  // The values of operand `n`, or of another instruction; integers.
  Result<Sizes> values(size_t n) const { return valuesOf(call.operand(n)); }
  Result<Sizes> valuesOf(const Instruction* from) const {
    const auto found = known_.find(from);
    if (found == known_.end()) {
      return fail("shape-not-known",
                  fmt::format("{} takes sizes from {}, whose value is not known before the program runs",
                              call.get<Attr::CustomCallTarget>(), from->name()),
                  placeOf(call));
    }
    if (!holdsIntegers(found->second)) return wrong("takes sizes that are no integers");
    Sizes sizes;
    for (int64_t i = 0; i < found->second.shape().elementCount(); ++i)
      sizes.push_back(integerAt(found->second, i));
    return sizes;
  }

  // A list of the configuration, or of its structure `within`; empty when it is not there.
  Sizes list(const char* name, const char* within = nullptr) const {
    const nlohmann::json* value = field(name, within);
    Sizes numbers;
    if (value == nullptr || !value->is_array()) return numbers;
    for (const nlohmann::json& one : *value) {
      if (one.is_number_integer()) numbers.push_back(one.get<int64_t>());
    }
    return numbers;
  }
  int64_t number(const char* name, int64_t otherwise, const char* within = nullptr) const {
    const nlohmann::json* value = field(name, within);
    return value != nullptr && value->is_number_integer() ? value->get<int64_t>() : otherwise;
  }
  std::optional<double> real(const char* name) const {
    const nlohmann::json* value = field(name, nullptr);
    return value != nullptr && value->is_number() ? std::optional(value->get<double>()) : std::nullopt;
  }
  std::string text(const char* name) const {
    const nlohmann::json* value = field(name, nullptr);
    return value != nullptr && value->is_string() ? value->get<std::string>() : "";
  }

  Result<Shape> shape(ElementType type, const Sizes& sizes) const {
    int64_t count = 1;
    for (const int64_t size : sizes) {
      if (size < 0 || __builtin_mul_overflow(count, std::max<int64_t>(size, 1), &count) ||
          count > kMaxElements)
        return wrong(fmt::format("gives an impossible shape: {}", fmt::join(sizes, ",")));
    }
    return Shape::array(type, sizes).withDefaultLayout();
  }

  Instruction* add(Opcode opcode, Shape shape, std::vector<Instruction*> operands) const {
    Instruction* made = call.parent().create(opcode, shape, operands, {}, &call);
    if (const OpMetadata* metadata = call.get<Attr::Metadata>()) made->set<Attr::Metadata>(metadata);
    return made;
  }
  // The shape that follows from operands and attributes, once those are set.
  Result<Instruction*> inferred(Instruction* made) const {
    auto shape = inferShape(*made);
    if (!shape) return std::unexpected(std::move(shape).error());
    made->setShape(shape->withDefaultLayout());
    return made;
  }

  // `value` spread over `sizes`: its dimension n becomes dims[n], stretched where it has one element.
  Result<Instruction*> broadcast(Instruction* value, const Sizes& dims, const Sizes& sizes) const {
    const Shape from = value->shape();
    if (dims.size() != from.rank()) return wrong("has another number of dimensions than its operand");
    Sizes kept, keptSizes;
    for (size_t n = 0; n < dims.size(); ++n) {
      const bool inRange = dims[n] >= 0 && dims[n] < static_cast<int64_t>(sizes.size());
      if (!inRange) return wrong("has a dimension that its result does not have");
      const int64_t have = from.dimension(n), want = sizes[static_cast<size_t>(dims[n])];
      if (have == 1 && want != 1) continue;
      if (have != want) return wrong(fmt::format("cannot stretch {} to {} elements", have, want));
      kept.push_back(dims[n]);
      keptSizes.push_back(have);
    }
    TRY(const Shape narrow, shape(from.elementType(), keptSizes));
    TRY(const Shape wide, shape(from.elementType(), sizes));
    if (keptSizes.size() != from.rank()) value = add(Opcode::Reshape, narrow, {value});
    Instruction* made = add(Opcode::Broadcast, wide, {value});
    made->set<Attr::Dimensions>(kept);
    return made;
  }

 private:
  const nlohmann::json* field(const char* name, const char* within) const {
    const nlohmann::json* place = &config_;
    if (within != nullptr) {
      const auto found = config_.is_object() ? config_.find(within) : config_.end();
      // VHLO has the fields of a structure beside it.
      if (config_.is_object() && found != config_.end() && found->is_object()) place = &*found;
    }
    if (!place->is_object()) return nullptr;
    const auto found = place->find(name);
    return found == place->end() ? nullptr : &*found;
  }

  const KnownValues& known_;
  nlohmann::json config_;
};

Result<Instruction*> makeBroadcast(const Making& m) {
  TRY_STATUS(m.needs(1));
  const Shape declared = m.call.shape();
  Sizes sizes(declared.dimensions().begin(), declared.dimensions().end());
  if (m.call.operandCount() > 1) {
    TRY(sizes, m.values(1));
  }
  return m.broadcast(m.operand(0), m.list("broadcast_dimensions"), sizes);
}

Result<Instruction*> makeReshape(const Making& m) {
  TRY_STATUS(m.needs(2));
  TRY(const Sizes sizes, m.values(1));
  TRY(const Shape shape, m.shape(m.operand(0)->shape().elementType(), sizes));
  if (shape.elementCount() != m.operand(0)->shape().elementCount())
    return m.wrong(fmt::format("reshapes {} to {}", toString(m.operand(0)->shape().withoutLayout()),
                               toString(shape.withoutLayout())));
  return m.add(Opcode::Reshape, shape, {m.operand(0)});
}

Result<Instruction*> makeIota(const Making& m) {
  TRY_STATUS(m.needs(1));
  TRY(const Sizes sizes, m.values(0));
  TRY(const Shape shape, m.shape(m.call.shape().elementType(), sizes));
  Instruction* made = m.add(Opcode::Iota, shape, {});
  made->set<Attr::IotaDimension>(m.number("iota_dimension", 0));
  return made;
}

Result<Instruction*> makePad(const Making& m) {
  TRY_STATUS(m.needs(5));
  TRY(const Sizes low, m.values(2));
  TRY(const Sizes high, m.values(3));
  TRY(const Sizes interior, m.values(4));
  if (low.size() != high.size() || low.size() != interior.size())
    return m.wrong("has paddings of different number");
  std::vector<PaddingDimension> padding;
  for (size_t n = 0; n < low.size(); ++n) padding.push_back({low[n], high[n], interior[n]});
  Instruction* made = m.add(Opcode::Pad, m.call.shape(), {m.operand(0), m.operand(1)});
  made->set<Attr::Padding>(padding);
  return m.inferred(made);
}

// Every start a scalar of its own, as dynamic-slice takes them.
std::vector<Instruction*> scalarsOf(const Making& m, Instruction* list) {
  std::vector<Instruction*> scalars;
  for (int64_t n = 0; n < list->shape().elementCount(); ++n) {
    const SliceRange range{.start = n, .limit = n + 1};
    Instruction* one =
        m.add(Opcode::Slice, Shape::array(list->shape().elementType(), {1}).withDefaultLayout(), {list});
    one->set<Attr::Slice>({&range, 1});
    scalars.push_back(
        m.add(Opcode::Reshape, Shape::scalar(list->shape().elementType()).withDefaultLayout(), {one}));
  }
  return scalars;
}

// Whether both are made by the same operations from the same values. `budget` bounds how far that
// is looked into.
bool isSameResult(const Instruction* a, const Instruction* b, int& budget) {
  if (a == b) return true;
  if (--budget < 0 || a->opcode() != b->opcode() || a->shape() != b->shape() ||
      a->operandCount() != b->operandCount() || a->opcode() == Opcode::Parameter ||
      opcodeClass(a->opcode()) == OpcodeClass::Random || hasSideEffect(*a) || !sameMeaning(*a, *b))
    return false;
  for (size_t n = 0; n < a->operandCount(); ++n) {
    if (!isSameResult(a->operand(n), b->operand(n), budget)) return false;
  }
  return true;
}

// What is added to `start` to give `limit`; null when that is no such sum.
Instruction* addedTo(const Instruction* start, const Instruction* limit) {
  if (limit->opcode() != Opcode::Add) return nullptr;
  int budget = 1000;
  if (isSameResult(limit->operand(0), start, budget)) return limit->operand(1);
  return isSameResult(limit->operand(1), start, budget) ? limit->operand(0) : nullptr;
}

Result<Instruction*> slice(const Making& m, Instruction* from, const Sizes& starts, const Sizes& limits,
                           const Sizes& strides) {
  const size_t rank = from->shape().rank();
  if (starts.size() != rank || limits.size() != rank || strides.size() != rank)
    return m.wrong("has starts, limits and strides of another number than dimensions");
  std::vector<SliceRange> ranges;
  for (size_t n = 0; n < rank; ++n) ranges.push_back({starts[n], limits[n], strides[n]});
  Instruction* made = m.add(Opcode::Slice, m.call.shape(), {from});
  made->set<Attr::Slice>(ranges);
  return m.inferred(made);
}

// With starts known only when it runs, a slice of known sizes: where the limit is the start and so many more.
Result<Instruction*> makeRealDynamicSlice(const Making& m) {
  TRY_STATUS(m.needs(4));
  TRY(const Sizes strides, m.values(3));
  const auto starts = m.values(1), limits = m.values(2);
  if (starts && limits) return slice(m, m.operand(0), *starts, *limits, strides);
  Instruction* length = addedTo(m.operand(1), m.operand(2));
  if (length == nullptr) return std::unexpected((starts ? limits : starts).error());
  TRY(const Sizes sizes, m.valuesOf(length));
  const Shape from = m.operand(0)->shape();
  if (sizes.size() != from.rank() ||
      m.operand(1)->shape().elementCount() != static_cast<int64_t>(from.rank()))
    return m.wrong("has another number of starts than dimensions");
  std::vector<Instruction*> operands = scalarsOf(m, m.operand(1));
  operands.insert(operands.begin(), m.operand(0));
  Instruction* made = m.add(Opcode::DynamicSlice, m.call.shape(), operands);
  made->set<Attr::DynamicSliceSizes>(sizes);
  TRY(made, m.inferred(made));
  if (std::ranges::all_of(strides, [](int64_t stride) { return stride == 1; })) return made;
  return slice(m, made, Sizes(sizes.size(), 0), sizes, strides);
}

Result<Instruction*> makeGather(const Making& m) {
  TRY_STATUS(m.needs(2));
  Sizes sizes = m.list("slice_sizes");
  if (m.call.operandCount() > 2) {
    TRY(sizes, m.values(2));
  }
  constexpr const char* kNumbers = "dimension_numbers";
  Instruction* made = m.add(Opcode::Gather, m.call.shape(), {m.operand(0), m.operand(1)});
  made->set<Attr::OffsetDims>(m.list("offset_dims", kNumbers));
  made->set<Attr::CollapsedSliceDims>(m.list("collapsed_slice_dims", kNumbers));
  made->set<Attr::StartIndexMap>(m.list("start_index_map", kNumbers));
  if (const Sizes dims = m.list("operand_batching_dims", kNumbers); !dims.empty())
    made->set<Attr::OperandBatchingDims>(dims);
  if (const Sizes dims = m.list("start_indices_batching_dims", kNumbers); !dims.empty())
    made->set<Attr::StartIndicesBatchingDims>(dims);
  made->set<Attr::IndexVectorDim>(m.number("index_vector_dim", 0, kNumbers));
  made->set<Attr::SliceSizes>(sizes);
  return m.inferred(made);
}

// One entry of a list, or `otherwise` where the list is not written.
int64_t entryOf(const Sizes& list, size_t n, int64_t otherwise) {
  return n < list.size() ? list[n] : otherwise;
}

Result<Instruction*> makeConvolution(const Making& m) {
  TRY_STATUS(m.needs(3));
  TRY(const Sizes padding, m.values(2));
  constexpr const char* kNumbers = "convolution_dimensions";
  const Sizes inputSpatial = m.list("input_spatial", kNumbers),
              kernelSpatial = m.list("kernel_spatial", kNumbers),
              outputSpatial = m.list("output_spatial", kNumbers);
  const ConvolutionDimensionNumbers numbers{
      .inputBatch = m.number("input_batch", 0, kNumbers),
      .inputFeature = m.number("input_feature", 0, kNumbers),
      .inputSpatial = inputSpatial,
      .kernelInputFeature = m.number("kernel_input_feature", 0, kNumbers),
      .kernelOutputFeature = m.number("kernel_output_feature", 0, kNumbers),
      .kernelSpatial = kernelSpatial,
      .outputBatch = m.number("output_batch", 0, kNumbers),
      .outputFeature = m.number("output_feature", 0, kNumbers),
      .outputSpatial = outputSpatial};
  const Shape kernel = m.operand(1)->shape();
  const Sizes strides = m.list("window_strides"), lhsDilation = m.list("lhs_dilation"),
              rhsDilation = m.list("rhs_dilation"), reversal = m.list("window_reversal");
  if (padding.size() != 2 * kernelSpatial.size()) return m.wrong("has not two paddings a dimension");
  std::vector<WindowDimension> window;
  for (size_t n = 0; n < kernelSpatial.size(); ++n) {
    if (kernelSpatial[n] < 0 || kernelSpatial[n] >= static_cast<int64_t>(kernel.rank()))
      return m.wrong("names a dimension that the kernel does not have");
    window.push_back({.size = kernel.dimension(static_cast<size_t>(kernelSpatial[n])),
                      .stride = entryOf(strides, n, 1),
                      .paddingLow = padding[2 * n],
                      .paddingHigh = padding[2 * n + 1],
                      .windowDilation = entryOf(rhsDilation, n, 1),
                      .baseDilation = entryOf(lhsDilation, n, 1),
                      .windowReversal = entryOf(reversal, n, 0) != 0});
  }
  Instruction* made = m.add(Opcode::Convolution, m.call.shape(), {m.operand(0), m.operand(1)});
  const Window whole{window};
  made->set<Attr::Window>(&whole);
  made->set<Attr::DimLabels>(&numbers);
  made->set<Attr::FeatureGroupCount>(m.number("feature_group_count", 1));
  made->set<Attr::BatchGroupCount>(m.number("batch_group_count", 1));
  return m.inferred(made);
}

// Inputs, as many initial values, then the window's sizes, strides, base and window dilations and padding.
Result<Instruction*> makeReduceWindow(const Making& m) {
  TRY_STATUS(m.needs(7));
  const size_t data = m.call.operandCount() - 5;
  std::array<Sizes, 5> parts;
  for (size_t n = 0; n < parts.size(); ++n) {
    TRY(parts[n], m.values(data + n));
  }
  const auto& [sizes, strides, baseDilations, windowDilations, padding] = parts;
  const size_t rank = sizes.size();
  const auto called = m.call.calledComputations();
  if (strides.size() != rank || baseDilations.size() != rank || windowDilations.size() != rank ||
      padding.size() != 2 * rank || called.size() != 1 || data % 2 != 0)
    return m.wrong("has a window whose parts are of different number, or no reducer");
  std::vector<WindowDimension> window;
  for (size_t n = 0; n < rank; ++n) {
    window.push_back({.size = sizes[n],
                      .stride = strides[n],
                      .paddingLow = padding[2 * n],
                      .paddingHigh = padding[2 * n + 1],
                      .windowDilation = windowDilations[n],
                      .baseDilation = baseDilations[n]});
  }
  const auto operands = m.call.operands().first(data);
  Instruction* made = m.add(Opcode::ReduceWindow, m.call.shape(), {operands.begin(), operands.end()});
  const Window whole{window};
  made->set<Attr::Window>(&whole);
  made->set<Attr::ToApply>(called[0]);
  return m.inferred(made);
}

Result<Instruction*> makeTopK(const Making& m) {
  TRY_STATUS(m.needs(2));
  TRY(const Sizes k, m.values(1));
  if (k.size() != 1) return m.wrong("needs one k");
  Instruction* made = m.add(Opcode::TopK, m.call.shape(), {m.operand(0)});
  made->set<Attr::K>(k[0]);
  made->set<Attr::Largest>(true);
  return m.inferred(made);
}

Result<Instruction*> makeRng(const Making& m) {
  TRY_STATUS(m.needs(3));
  TRY(const Sizes sizes, m.values(2));
  const auto distribution =
      enumFromText<RandomDistribution>(m.text("rng_distribution") == "NORMAL" ? "rng_normal" : "rng_uniform");
  TRY(const Shape shape, m.shape(m.operand(0)->shape().elementType(), sizes));
  Instruction* made = m.add(Opcode::Rng, shape, {m.operand(0), m.operand(1)});
  made->set<Attr::Distribution>(*distribution);
  return made;
}

Result<Instruction*> makeRngBitGenerator(const Making& m) {
  TRY_STATUS(m.needs(2));
  TRY(const Sizes sizes, m.values(1));
  const auto results = m.call.shape().tupleShapes();
  if (results.size() != 2 || !results[1].isArray()) return m.wrong("gives no state and bits");
  TRY(const Shape bits, m.shape(results[1].elementType(), sizes));
  const std::array<Shape, 2> both{m.operand(0)->shape(), bits};
  const std::string name = m.text("rng_algorithm");
  const auto algorithm = enumFromText<RandomAlgorithm>(name == "THREE_FRY" ? "rng_three_fry"
                                                       : name == "PHILOX"  ? "rng_philox"
                                                                           : "rng_default");
  Instruction* made = m.add(Opcode::RngBitGenerator, Shape::tuple(both), {m.operand(0)});
  made->set<Attr::RandomAlgorithmKind>(*algorithm);
  return made;
}

Result<Instruction*> makeConstantLike(const Making& m) {
  TRY_STATUS(m.needs(1));
  const auto value = m.real("value");
  if (!value) return m.wrong("has a value that is no finite number");
  const Shape like = m.operand(0)->shape();
  const ElementType type = m.call.shape().elementType();
  Literal scalar(Shape::scalar(type));
  convertElements(scalar.mutableBytes().data(), type, &*value, ElementType::F64, 1);
  Instruction* constant = m.call.parent().createConstant(std::move(scalar), &m.call);
  return m.broadcast(constant, {}, Sizes(like.dimensions().begin(), like.dimensions().end()));
}

// The sizes that all operands stretch to, aligned at their last dimensions.
Result<Sizes> commonSizes(const Making& m) {
  Sizes sizes;
  for (const Instruction* operand : m.call.operands()) {
    const auto dims = operand->shape().dimensions();
    if (dims.size() > sizes.size()) sizes.insert(sizes.begin(), dims.size() - sizes.size(), 1);
    for (size_t n = 0; n < dims.size(); ++n) {
      int64_t& size = sizes[sizes.size() - dims.size() + n];
      if (size != 1 && dims[n] != 1 && size != dims[n]) return m.wrong("has operands that do not broadcast");
      if (size == 1) size = dims[n];
    }
  }
  return sizes;
}

// chlo.broadcast_OP: the elementwise OP of operands brought to one shape.
Result<Instruction*> makeElementwise(const Making& m, std::string name) {
  std::ranges::replace(name, '_', '-');
  const auto opcode = opcodeFromName(name);
  if (!opcode) return m.wrong("is known with fixed shapes only");
  TRY(const Sizes sizes, commonSizes(m));
  std::vector<Instruction*> operands;
  for (Instruction* operand : m.call.operands()) {
    const size_t rank = operand->shape().rank();
    Sizes dims = m.list("broadcast_dimensions");
    if (dims.size() != rank || rank == sizes.size()) {
      dims.clear();
      for (size_t n = 0; n < rank; ++n) dims.push_back(static_cast<int64_t>(sizes.size() - rank + n));
    }
    TRY(Instruction * wide, m.broadcast(operand, dims, sizes));
    operands.push_back(wide);
  }
  TRY(const Shape shape, m.shape(m.call.shape().elementType(), sizes));
  Instruction* made = m.add(*opcode, shape, operands);
  if (*opcode == Opcode::Compare) {
    const auto direction = enumFromText<ComparisonDirection>(m.text("comparison_direction"));
    if (!direction) return m.wrong("has no direction");
    made->set<Attr::Direction>(*direction);
  }
  return made;
}

// What is said of the sizes of its result is known by now.
Result<Instruction*> makeCast(const Making& m) {
  TRY_STATUS(m.needs(1));
  return m.operand(0);
}

struct DynamicOperation {
  std::string_view name;
  Result<Instruction*> (*make)(const Making&);
};
constexpr DynamicOperation kOperations[] = {
    {"broadcast_in_dim", makeBroadcast},
    {"cast", makeCast},
    {"constant_like", makeConstantLike},
    {"dynamic_broadcast_in_dim", makeBroadcast},
    {"dynamic_conv", makeConvolution},
    {"dynamic_gather", makeGather},
    {"dynamic_iota", makeIota},
    {"dynamic_pad", makePad},
    {"dynamic_reduce_window", makeReduceWindow},
    {"dynamic_reshape", makeReshape},
    {"dynamic_rng_bit_generator", makeRngBitGenerator},
    {"dynamic_top_k", makeTopK},
    {"gather", makeGather},
    {"iota", makeIota},
    {"real_dynamic_slice", makeRealDynamicSlice},
    {"rng", makeRng},
};

}  // namespace

std::string_view dynamicOperationOf(const Instruction& call) {
  if (call.opcode() != Opcode::CustomCall) return {};
  const std::string_view target = call.get<Attr::CustomCallTarget>();
  return target.starts_with(kPrefix) ? target.substr(kPrefix.size()) : std::string_view();
}

Result<Instruction*> makeStatic(Instruction& call, const KnownValues& known) {
  const std::string_view name = dynamicOperationOf(call);
  const Making making(call, known);
  const auto* row = std::ranges::find(kOperations, name, &DynamicOperation::name);
  if (row != std::end(kOperations)) return row->make(making);
  constexpr std::string_view kBroadcast = "broadcast_";
  if (name.starts_with(kBroadcast))
    return makeElementwise(making, std::string(name.substr(kBroadcast.size())));
  return making.wrong("has no form with fixed shapes that is known here");
}

}  // namespace hilo
