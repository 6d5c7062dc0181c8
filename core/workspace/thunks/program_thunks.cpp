#include "core/workspace/thunks/program_thunks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>

#include "core/hlo/proto/shape_proto.h"

namespace hilo {
namespace {

using pb::cpu::ThunkProto;
using pb::cpu::ThunkSequenceProto;

// The array of these sizes whose elements lie these strides apart, if they lie without gaps.
std::optional<Shape> arrayLying(ElementType type, const std::vector<int64_t>& sizes,
                                const std::vector<int64_t>& strides, const BufferSlice& slice) {
  Layout layout;
  layout.minorToMajor.resize(sizes.size());
  std::iota(layout.minorToMajor.rbegin(), layout.minorToMajor.rend(), 0);
  const auto at = [](const std::vector<int64_t>& list, int64_t d) { return list[static_cast<size_t>(d)]; };
  // Where there is one element the stride says nothing.
  std::ranges::sort(layout.minorToMajor, {}, [&](int64_t d) {
    return at(sizes, d) == 1 ? std::tuple(true, int64_t{0}, -d) : std::tuple(false, at(strides, d), -d);
  });
  int64_t dense = 1;
  for (const int64_t d : layout.minorToMajor) {
    if (at(sizes, d) != 1 && at(strides, d) != dense) return std::nullopt;
    dense *= at(sizes, d);
  }
  const Shape shape = Shape::array(type, sizes, &layout);
  return bufferBytes(shape) == slice.sizeBytes ? std::optional(shape) : std::nullopt;
}

Shape bytesShape(const BufferSlice& slice) {
  const Layout layout{.minorToMajor = {0}};
  return Shape::array(ElementType::U8, std::span(&slice.sizeBytes, 1), &layout);
}

void writeSlice(const BufferSlice& slice, Shape shape, pb::BufferAllocationSliceProto& to) {
  to.set_buffer_allocation_index(slice.allocation);
  to.set_offset(slice.offsetBytes);
  to.set_size(slice.sizeBytes);
  pb::ShapeProto written;
  writeShape(shape, written);
  to.set_element_type(written.element_type());
}

// `To` is a ShapedSlice of either schema.
template <typename To>
void writeArray(const BufferSlice& slice, Shape shape, To& to) {
  writeSlice(slice, shape, *to.mutable_slice());
  writeShape(shape, *to.mutable_shape());
}
template <typename To>
void writeBytes(const BufferSlice& slice, To& to) {
  writeArray(slice, bytesShape(slice), to);
}

class Writer {
 public:
  explicit Writer(const Program& program) : program_(program) {}

  ThunkSequenceProto sequence(uint32_t number) {
    ThunkSequenceProto made;
    ThunkSequenceProto::ResourceUsers inOrder;
    const ThunkSequence& thunks = program_.sequences[number];
    for (size_t i = 0; i < thunks.size(); ++i) {
      ThunkProto& to = *made.add_thunks();
      to.mutable_info()->set_op_name(thunks[i].name);
      to.mutable_info()->set_module_name(program_.name);
      const char* kind = thunkKindName(thunks[i].kind());
      const bool isWritten =
          std::visit([&](const auto& body) { return write(body, thunks[i], to); }, thunks[i].body);
      if (!isWritten) {
        writeCall(thunks[i], to);
        note(thunks[i], "has no counterpart among XLA's thunks: a custom call stands for it");
      }
      to.set_kind(isWritten ? kind : "custom-call");
      if (mustKeepOrder(program_, thunks[i])) inOrder.add_thunk_indices(static_cast<int64_t>(i));
    }
    if (inOrder.thunk_indices_size() > 0) {
      inOrder.mutable_resource()->set_kind(pb::cpu::Resource::COLLECTIVE_COMMUNICATOR);
      *made.add_thunk_resources() = std::move(inOrder);
    }
    return made;
  }

  std::vector<std::string> notes() const {
    std::vector<std::string> texts;
    for (const auto& [about, names] : notes_) {
      std::string text = fmt::format("{} {}", about.first, names[0]);
      if (names.size() > 1) text += fmt::format(" and {} more", names.size() - 1);
      texts.push_back(fmt::format("{}: {}", text, about.second));
    }
    return texts;
  }

 private:
  void note(const Thunk& thunk, const char* what) {
    notes_[{thunkKindName(thunk.kind()), what}].push_back(thunk.name);
  }

  // Each is false where XLA has no such thunk; what it wrote until then counts for nothing. Of a kind without
  // a function of its own XLA has none, or one that does another thing: its sort works in place and asks its
  // comparator of every pair.
  template <typename Other>
  bool write(const Other&, const Thunk&, ThunkProto&) {
    return false;
  }

  bool write(const KernelThunk& from, const Thunk& thunk, ThunkProto& proto) {
    auto& to = *proto.mutable_kernel_thunk();
    to.set_kernel_name(thunk.name);
    to.mutable_num_workgroups()->set_x(from.iterations);
    to.mutable_num_workgroups()->set_y(1);
    to.mutable_num_workgroups()->set_z(1);
    for (size_t i = 0; i < from.arguments.size(); ++i) {
      const ReadSlice& argument = from.arguments[i];
      writeBytes(argument, *to.add_arguments_buffers());
      const bool isWritten = std::ranges::any_of(
          from.results, [&](const WriteSlice& result) { return result.overlaps(argument); });
      if (!isWritten) to.add_invariant_arguments(static_cast<int64_t>(i));
    }
    for (const WriteSlice& result : from.results) writeBytes(result, *to.add_results_buffers());
    return true;
  }

  bool write(const CopyThunk& from, const Thunk&, ThunkProto& proto) {
    writeBytes(from.source, *proto.mutable_copy_thunk()->mutable_src_buffer_shape());
    writeBytes(from.destination, *proto.mutable_copy_thunk()->mutable_dst_buffer_shape());
    return true;
  }

  bool write(const WhileThunk& from, const Thunk&, ThunkProto& proto) {
    auto& to = *proto.mutable_while_thunk();
    *to.mutable_cond_sequence() = sequence(from.condition);
    *to.mutable_body_sequence() = sequence(from.body);
    writeSlice(from.test, Shape::scalar(ElementType::Pred), *to.mutable_cond_buffer());
    return true;
  }

  bool write(const ConditionalThunk& from, const Thunk&, ThunkProto& proto) {
    auto& to = *proto.mutable_conditional_thunk();
    for (const uint32_t branch : from.branches) *to.add_branch_sequences() = sequence(branch);
    writeSlice(from.selector, Shape::scalar(from.byPred ? ElementType::Pred : ElementType::S32),
               *to.mutable_branch_index_buffer());
    return true;
  }

  bool write(const DotThunk& from, const Thunk&, ThunkProto& proto) {
    const auto sizes = [&](int64_t rows, int64_t columns) {
      std::vector<int64_t> all = from.batch;
      all.insert(all.end(), {rows, columns});
      return all;
    };
    const auto lhs = arrayLying(from.type, sizes(from.m, from.k), from.lhsStrides, from.lhs),
               rhs = arrayLying(from.type, sizes(from.k, from.n), from.rhsStrides, from.rhs),
               result = arrayLying(from.resultType, sizes(from.m, from.n), from.resultStrides, from.result);
    if (!lhs || !rhs || !result) return false;
    auto& to = *proto.mutable_dot_thunk();
    auto& dimensions = *to.mutable_dot_dimensions();
    const auto batch = static_cast<int64_t>(from.batch.size());
    for (int64_t d = 0; d < batch; ++d) {
      dimensions.add_lhs_batch_dimensions(d);
      dimensions.add_rhs_batch_dimensions(d);
    }
    dimensions.add_lhs_contracting_dimensions(batch + 1);
    dimensions.add_rhs_contracting_dimensions(batch);
    writeArray(from.lhs, *lhs, *to.mutable_lhs_buffer_shape());
    writeArray(from.rhs, *rhs, *to.mutable_rhs_buffer_shape());
    writeArray(from.result, *result, *to.mutable_out_buffer_shape());
    return true;
  }

  bool write(const ConvolutionThunk& from, const Thunk&, ThunkProto& proto);
  bool write(const CollectiveThunk& from, const Thunk& thunk, ThunkProto& proto);

  bool write(const CustomCallThunk& from, const Thunk&, ThunkProto& proto) {
    auto& to = *proto.mutable_custom_call_thunk();
    to.set_target_name(from.target);
    to.set_backend_config(from.backendConfig);
    const auto shapeOf = [](const CustomCallArray& array) {
      const Layout layout{.minorToMajor = array.minorToMajor};
      return Shape::array(array.type, array.dimensions, &layout);
    };
    auto& buffers = *to.mutable_op_buffers();
    for (size_t i = 0; i < from.operands.size(); ++i)
      writeArray(from.operands[i], shapeOf(from.operandArrays[i]), *buffers.add_arguments_shapes());
    for (size_t i = 0; i < from.results.size(); ++i)
      writeArray(from.results[i], shapeOf(from.resultArrays[i]), *buffers.add_results_shapes());
    buffers.set_is_tuple_result(from.results.size() != 1);
    return true;
  }

  bool write(const InfeedThunk& from, const Thunk&, ThunkProto& proto) {
    return writeFed(from.shape, from.results, *proto.mutable_infeed_thunk()->mutable_infeed_buffers_shapes());
  }
  bool write(const OutfeedThunk& from, const Thunk&, ThunkProto& proto) {
    return writeFed(from.shape, from.operands,
                    *proto.mutable_outfeed_thunk()->mutable_outfeed_buffers_shapes());
  }
  template <typename Slice, typename List>
  static bool writeFed(Shape shape, const std::vector<Slice>& slices, List& to) {
    const auto leaves = arrayLeaves(shape);
    for (size_t i = 0; i < leaves.size(); ++i) writeArray(slices[i], leaves[i], *to.Add());
    return true;
  }

  // XLA's sorts in place and asks its comparator of every pair.
  static void writeCall(const Thunk& thunk, ThunkProto& proto) {
    auto& to = *proto.mutable_custom_call_thunk();
    to.set_target_name(fmt::format("hilo${}", thunkKindName(thunk.kind())));
    auto& buffers = *to.mutable_op_buffers();
    for (const BufferUse& use : bufferUses(thunk))
      writeBytes(use.slice, use.writes ? *buffers.add_results_shapes() : *buffers.add_arguments_shapes());
    buffers.set_is_tuple_result(buffers.results_shapes_size() != 1);
  }

  const Program& program_;
  // By kind and what is to be said of it: of which thunks.
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> notes_;
};

// Forward ones alone: XLA's has no gradients.
bool Writer::write(const ConvolutionThunk& from, const Thunk&, ThunkProto& proto) {
  const size_t space = from.inputSizes.size();
  const bool hasDenseGroups =
      from.groups == 1 || from.filterStrides[0] == from.outputFeatures * from.filterStrides[1];
  if (from.kind != ConvolutionKind::Fprop || !hasDenseGroups) return false;
  const auto dense = [&](ElementType type, const std::vector<int64_t>& sizes, int64_t features) {
    std::vector<int64_t> all = {from.batch};
    all.insert(all.end(), sizes.begin(), sizes.end());
    all.push_back(from.groups * features);
    const Layout layout = Layout::descending(all.size());
    return Shape::array(type, all, &layout);
  };
  std::vector<int64_t> filterSizes = from.filterSizes,
                       filterStrides(from.filterStrides.begin() + 3, from.filterStrides.end());
  filterSizes.insert(filterSizes.end(), {from.inputFeatures, from.groups * from.outputFeatures});
  filterStrides.insert(filterStrides.end(), {from.filterStrides[2], from.filterStrides[1]});
  const auto filter = arrayLying(from.type, filterSizes, filterStrides, from.rhs);
  if (!filter) return false;
  auto& to = *proto.mutable_convolution_thunk();
  auto& dimensions = *to.mutable_dimension_numbers();
  const auto last = static_cast<int64_t>(space);
  dimensions.set_input_feature_dimension(last + 1);
  dimensions.set_output_feature_dimension(last + 1);
  dimensions.set_kernel_input_feature_dimension(last);
  dimensions.set_kernel_output_feature_dimension(last + 1);
  for (size_t d = 0; d < space; ++d) {
    const auto number = static_cast<int64_t>(d);
    dimensions.add_input_spatial_dimensions(number + 1);
    dimensions.add_output_spatial_dimensions(number + 1);
    dimensions.add_kernel_spatial_dimensions(number);
    auto& window = *to.mutable_window()->add_dimensions();
    window.set_size(from.filterSizes[d]);
    window.set_stride(from.strides[d]);
    window.set_window_dilation(from.dilations[d]);
    window.set_base_dilation(1);
    window.set_padding_low(from.paddings[d]);
    const int64_t reached =
        (from.outputSizes[d] - 1) * from.strides[d] + (from.filterSizes[d] - 1) * from.dilations[d] + 1;
    window.set_padding_high(reached - from.inputSizes[d] - from.paddings[d]);
  }
  to.set_feature_group_count(from.groups);
  writeArray(from.lhs, dense(from.type, from.inputSizes, from.inputFeatures),
             *to.mutable_input_buffer_shape());
  writeArray(from.rhs, *filter, *to.mutable_kernel_buffer_shape());
  writeArray(from.result, dense(from.resultType, from.outputSizes, from.outputFeatures),
             *to.mutable_output_buffer_shape());
  return true;
}

// XLA's neither begin and end apart nor broadcast, know no ragged ones, and cut and join arrays along
// their outermost dimension alone, for an all-to-all not at all, and reduce by a sum, a product, the least
// or the most.
bool Writer::write(const CollectiveThunk& from, const Thunk&, ThunkProto& proto) {
  const Collective& of = program_.collectives[from.collective];
  const bool isWholeArrays = std::ranges::all_of(of.outer, [](int64_t outer) { return outer == 1; });
  const bool reduces = of.kind == CollectiveKind::AllReduce || of.kind == CollectiveKind::ReduceScatter;
  const bool isOtherReduction = reduces && of.reduction == ReductionKind::Other;
  if (from.phase != CollectivePhase::Whole || !isWholeArrays || isOtherReduction) return false;
  auto& to = *proto.mutable_collective_thunk();
  switch (of.kind) {
    case CollectiveKind::AllReduce:
      to.mutable_all_reduce_thunk()->set_reduction_kind(reductionKindName(of.reduction));
      to.mutable_all_reduce_thunk()->set_single_replica(program_.replicas * program_.partitions == 1);
      break;
    case CollectiveKind::ReduceScatter:
      to.mutable_reduce_scatter_thunk()->set_reduction_kind(reductionKindName(of.reduction));
      break;
    case CollectiveKind::AllGather:
      to.mutable_all_gather_thunk();
      break;
    case CollectiveKind::TupleAllToAll:
      to.mutable_all_to_all_thunk();
      break;
    case CollectiveKind::Permute:
      for (const auto& pair : of.groups) {
        if (pair.size() != 2) return false;
        auto& moved = *to.mutable_collective_permute_thunk()->add_source_target_pairs();
        moved.set_source(pair[0]);
        moved.set_target(pair[1]);
      }
      break;
    case CollectiveKind::AllToAll:
    case CollectiveKind::RaggedAllToAll:
    case CollectiveKind::Broadcast:
    case CollectiveKind::SendRecv:
      return false;
  }
  auto& parameters = *to.mutable_op_params();
  parameters.set_op_id(of.channel);
  parameters.set_has_channel_id(of.mode != DeviceGroupMode::CrossReplica);
  parameters.mutable_use_global_device_ids()->set_contains_value(true);
  parameters.mutable_use_global_device_ids()->set_value(of.mode == DeviceGroupMode::FlattenedId);
  for (const auto& group : of.groups) {
    if (of.kind == CollectiveKind::Permute) break;
    auto& ids = *parameters.add_replica_group()->mutable_replica_ids();
    ids.Add(group.begin(), group.end());
  }
  for (const ReadSlice& operand : from.operands)
    writeBytes(operand, *to.mutable_op_buffers()->add_source_shapes_buffer_slices());
  for (const WriteSlice& result : from.results)
    writeBytes(result, *to.mutable_op_buffers()->add_destination_shapes_buffer_slices());
  auto& communicator = *to.mutable_op_resources()->mutable_communicator_resource();
  communicator.set_contains_value(true);
  communicator.mutable_value()->set_kind(pb::cpu::Resource::COLLECTIVE_COMMUNICATOR);
  return true;
}

}  // namespace

XlaThunks toXlaThunks(const Program& program) {
  Writer writer(program);
  XlaThunks made;
  made.sequence = writer.sequence(0);
  made.notes = writer.notes();
  return made;
}

}  // namespace hilo
