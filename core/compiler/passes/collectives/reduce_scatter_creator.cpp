#include "core/compiler/passes/collectives/reduce_scatter_creator.h"

#include <algorithm>

#include "core/compiler/passes/collectives/collective_match.h"
#include "core/compiler/passes/loops/loop_parts.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/scalar_value.h"
#include "core/compiler/passes/shape_ops.h"
#include "core/hlo/eval/collective_groups.h"
#include "core/hlo/ir/device_grid.h"

namespace hilo {
namespace {

// The one dimension that a slice cuts; nullopt where it cuts none, or more.
std::optional<size_t> cutDimension(const Instruction& slice) {
  const Shape whole = slice.operand(0)->shape();
  std::optional<size_t> cut;
  for (size_t d = 0; d < whole.rank(); ++d) {
    if (whole.dimension(d) == slice.shape().dimension(d)) continue;
    if (cut) return std::nullopt;
    cut = d;
  }
  return cut;
}

// The all-reduce that is sliced, as it is or reshaped; null where it is none.
Instruction* reductionOf(const Instruction& slice) {
  Instruction* value = slice.operand(0);
  const auto isPrivate = [](const Instruction& i) { return i.users().size() == 1 && !i.isRoot(); };
  if (value->opcode() == Opcode::Reshape && isPrivate(*value)) value = value->operand(0);
  const bool isOurs = value->opcode() == Opcode::AllReduce && value->operandCount() == 1 &&
                      isPrivate(*value) && !value->has(Attr::ControlPredecessors) &&
                      isPlainArray(value->shape());
  return isOurs ? value : nullptr;
}

int64_t elementsBefore(Shape shape, size_t dimension) {
  int64_t count = 1;
  for (size_t d = 0; d < dimension; ++d) count *= shape.dimension(d);
  return count;
}

// The dimension of the all-reduce that a cut into `parts` along dimension `cut` of its reshape cuts; the same
// one where it is not reshaped.
std::optional<size_t> scatterDimension(Shape whole, Shape reshaped, size_t cut, int64_t parts) {
  if (whole.withoutLayout() == reshaped.withoutLayout()) return cut;
  for (size_t d = 0; d < whole.rank(); ++d) {
    if (elementsBefore(whole, d) == elementsBefore(reshaped, cut) && whole.dimension(d) % parts == 0 &&
        reshaped.dimension(cut) % parts == 0 && whole.dimension(d) > 1)
      return d;
  }
  return std::nullopt;
}

// What an instruction gives on one device, as far as it is the device's own number.
KnownScalar numbersOf(int64_t device, DeviceGrid grid) {
  return [device, grid](const Instruction& i) -> std::optional<int64_t> {
    if (i.opcode() == Opcode::ReplicaId) return device / grid.partitions;
    if (i.opcode() == Opcode::PartitionId) return device % grid.partitions;
    return std::nullopt;
  };
}

// Whether each device takes the part of its place in its group.
bool takesOwnParts(const Instruction& slice, const Instruction& reduction, size_t dimension, int64_t part) {
  const DeviceGrid grid = gridOf(slice.module());
  for (int64_t device = 0; device < grid.count(); ++device) {
    const auto group = groupOf(reduction, grid, device);
    if (!group) return false;
    const auto place = std::ranges::find(*group, device) - group->begin();
    const auto offset = scalarValue(*slice.operand(1 + dimension), numbersOf(device, grid));
    if (!offset || *offset != place * part) return false;
  }
  return true;
}

bool isScattered(const Instruction& slice) {
  if (slice.opcode() != Opcode::DynamicSlice || !isPlainArray(slice.operand(0)->shape())) return false;
  const Instruction* reduction = reductionOf(slice);
  const Shape whole = slice.operand(0)->shape();
  if (reduction == nullptr || slice.operandCount() != whole.rank() + 1) return false;
  const auto cut = cutDimension(slice);
  const auto size = groupSizeOf(*reduction);
  if (!cut || !size || *size < 2 || !scatterDimension(reduction->shape(), whole, *cut, *size)) return false;
  const int64_t part = slice.shape().dimension(*cut);
  return part > 0 && whole.dimension(*cut) / *size == part && takesOwnParts(slice, *reduction, *cut, part);
}

// With the all-reduce's attributes, and a channel of its own.
Instruction* makeScatter(Instruction& slice, Instruction& reduction, Instruction* input, Shape shape) {
  Instruction* made = slice.parent().create(Opcode::ReduceScatter, shape, {input}, {}, &slice);
  Arena& arena = slice.module().arena();
  for (const Attribute& attribute : reduction.attributes()) {
    if (attribute.key != Attr::UniqueId) made->attributeList().append(arena, attribute);
  }
  if (reduction.has(Attr::ChannelId)) made->set<Attr::ChannelId>(nextChannel(slice.module()));
  return made;
}

Instruction* scattered(Instruction& slice) {
  Instruction& reduction = *reductionOf(slice);
  const int64_t parts = *groupSizeOf(reduction);
  const size_t along =
      *scatterDimension(reduction.shape(), slice.operand(0)->shape(), *cutDimension(slice), parts);
  std::vector<int64_t> sizes(reduction.shape().dimensions().begin(), reduction.shape().dimensions().end());
  sizes[along] -= sizes[along] % parts;
  Instruction* input = cutTo(reduction.operand(0), sizes, slice);
  sizes[along] /= parts;
  const bool isReshaped = slice.operand(0) != &reduction;
  const Shape shape =
      isReshaped ? arrayLike(reduction.shape(), reduction.shape().elementType(), sizes) : slice.shape();
  Instruction* made = makeScatter(slice, reduction, input, shape);
  const int64_t dimensions[] = {static_cast<int64_t>(along)};
  made->set<Attr::Dimensions>(dimensions);
  return reshapedAs(made, slice.shape(), slice);
}

}  // namespace

Result<bool> createReduceScatters(Module& module, PassContext& context) {
  return rewriteEach(module, context, "created", isScattered, scattered);
}

}  // namespace hilo
