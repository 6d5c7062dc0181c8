#include "core/compiler/passes/collectives/reduce_scatter_creator.h"

#include "core/compiler/pass/next_channel.h"
#include "core/compiler/passes/collectives/collective_match.h"
#include "core/compiler/passes/collectives/own_parts.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

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

bool becomesReduceScatter(const Instruction& slice) {
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

Result<bool> createReduceScatters(Module& module, PassContext& context) {
  return rewriteEach(module, context, "created", becomesReduceScatter, scattered);
}

}  // namespace hilo
