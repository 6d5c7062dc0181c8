#include "core/compiler/passes/collectives/all_reduce_simplifier.h"

#include <algorithm>

#include "core/compiler/passes/collectives/collective_match.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/simplify/algebra/constants.h"

namespace hilo {
namespace {

constexpr int kDeepest = 16;

// Computed from constants alone, as far as is looked.
bool isSameEverywhere(const Instruction& i, int depth = 0) {
  if (i.opcode() == Opcode::Constant || i.opcode() == Opcode::Iota) return true;
  const bool isPure = isElementwise(i.opcode()) || i.opcode() == Opcode::Broadcast ||
                      i.opcode() == Opcode::Reshape || i.opcode() == Opcode::Transpose ||
                      i.opcode() == Opcode::Slice;
  return isPure && i.operandCount() > 0 && depth < kDeepest &&
         std::ranges::all_of(
             i.operands(), [&](const Instruction* o) { return isSameEverywhere(*o, depth + 1); });
}

bool isGathering(Opcode opcode) { return opcode == Opcode::AllGather || opcode == Opcode::ReduceScatter; }

bool isReplicatedSum(const Instruction& i) {
  if (i.opcode() != Opcode::AllReduce || i.has(Attr::ChannelId) || !isSameEverywhere(*i.operand(0)) ||
      !groupSizeOf(i))
    return false;
  switch (combinerOf(i).value_or(Opcode::Opaque)) {
    case Opcode::Add:
      return isIntegral(i.shape().elementType()) || isFloat(i.shape().elementType());
    case Opcode::Maximum:
    case Opcode::Minimum:
    case Opcode::And:
    case Opcode::Or:
      return true;
    default:
      return false;
  }
}

bool canGo(const Instruction& i) {
  if (i.operandCount() != 1 || !i.shape().isArray() || i.get<Attr::ConstrainLayout>().value_or(false))
    return false;
  if (isGathering(i.opcode())) return i.shape() == i.operand(0)->shape() && groupSizeOf(i) == 1;
  return i.opcode() == Opcode::AllReduce && i.shape() == i.operand(0)->shape() &&
         (groupSizeOf(i) == 1 || isReplicatedSum(i));
}

Instruction* simpler(Instruction& i) {
  const int64_t devices = *groupSizeOf(i);
  if (devices == 1 || combinerOf(i) != Opcode::Add) return i.operand(0);
  Instruction* times = algebra::makeSplat(i, i.shape(), static_cast<double>(devices));
  return i.parent().create(Opcode::Multiply, i.shape(), {i.operand(0), times}, {}, &i);
}

}  // namespace

Result<bool> simplifyAllReduces(Module& module, PassContext& context) {
  return rewriteEach(module, context, "simplified", canGo, simpler);
}

}  // namespace hilo
