#include "core/compiler/passes/collectives/gathered_slice.h"

#include "core/compiler/passes/collectives/own_parts.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

int64_t elementsBefore(Shape shape, size_t dimension) {
  int64_t count = 1;
  for (size_t d = 0; d < dimension; ++d) count *= shape.dimension(d);
  return count;
}

bool isReadOnce(const Instruction& i) { return i.users().size() == 1 && !i.isRoot(); }

}  // namespace

std::optional<GatheredSlice> gatheredSlice(const Instruction& slice, bool mayBeReadElsewhere) {
  if (slice.opcode() != Opcode::DynamicSlice || !isPlainArray(slice.operand(0)->shape())) return std::nullopt;
  Instruction* whole = slice.operand(0);
  const bool isReshaped = whole->opcode() == Opcode::Reshape;
  Instruction* gather = isReshaped ? whole->operand(0) : whole;
  const auto cut = cutDimension(slice);
  if (gather->opcode() != Opcode::AllGather || gather->operandCount() != 1 || !cut ||
      !isPlainArray(gather->shape()) || gather->get<Attr::ConstrainLayout>().value_or(false) ||
      (isReshaped && !isReadOnce(*whole)) || (!mayBeReadElsewhere && !isReadOnce(*gather)))
    return std::nullopt;
  const auto along = static_cast<size_t>(gather->dimensions()[0]);
  const int64_t part = gather->operand(0)->shape().dimension(along);
  if (slice.shape().dimension(*cut) != part ||
      whole->shape().dimension(*cut) != gather->shape().dimension(along) ||
      elementsBefore(whole->shape(), *cut) != elementsBefore(gather->shape(), along))
    return std::nullopt;
  return GatheredSlice{.gather = gather, .dimension = *cut, .part = part};
}

}  // namespace hilo
