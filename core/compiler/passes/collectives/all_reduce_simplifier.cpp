#include "core/compiler/passes/collectives/all_reduce_simplifier.h"

#include <algorithm>

#include "core/compiler/passes/collectives/collective_match.h"
#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/hlo/ir/device_grid.h"

namespace hilo {
namespace {

constexpr int kDeepest = 16;

bool isReplicatedParameter(const Instruction& i) {
  const auto& replicated = i.get<Attr::ParameterReplication>();
  return i.opcode() == Opcode::Parameter && i.parent().isEntry() && !replicated.empty() &&
         std::ranges::all_of(replicated, [](bool each) { return each; });
}

// An all-reduce among all replicas.
bool reachesAll(const Instruction& i) {
  return i.opcode() == Opcode::AllReduce && !i.has(Attr::ChannelId) && i.operandCount() == 1 &&
         groupSizeOf(i) == gridOf(i.module()).replicas;
}

// Computed from what all replicas have, as far as is looked.
bool isSameEverywhere(const Instruction& i, int depth = 0) {
  if (i.opcode() == Opcode::Constant || i.opcode() == Opcode::Iota || isReplicatedParameter(i) ||
      reachesAll(i))
    return true;
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

// The done of a gathering among single devices.
bool isGatheringOfOne(const Instruction& done) {
  const Instruction& start = *done.operand(0);
  if (start.opcode() != Opcode::AsyncStart || start.operandCount() != 1 || start.users().size() != 1)
    return false;
  // The gathering itself has gone before.
  const Instruction& left = *start.calledComputations()[0]->root();
  return left.opcode() == Opcode::Parameter && left.shape() == done.shape();
}

bool canGo(const Instruction& i) {
  if (i.operandCount() != 1 || !i.shape().isArray() || i.get<Attr::ConstrainLayout>().value_or(false))
    return false;
  if (i.opcode() == Opcode::AsyncDone) return isGatheringOfOne(i);
  if (isGathering(i.opcode())) return i.shape() == i.operand(0)->shape() && groupSizeOf(i) == 1;
  return i.opcode() == Opcode::AllReduce && i.shape() == i.operand(0)->shape() &&
         (groupSizeOf(i) == 1 || isReplicatedSum(i));
}

Instruction* simpler(Instruction& i) {
  if (i.opcode() == Opcode::AsyncDone) return i.operand(0)->operand(0);
  const int64_t devices = *groupSizeOf(i);
  if (devices == 1 || combinerOf(i) != Opcode::Add) return i.operand(0);
  Instruction* times = algebra::makeSplat(i, i.shape(), static_cast<double>(devices));
  return i.parent().create(Opcode::Multiply, i.shape(), {i.operand(0), times}, {}, &i);
}

void removeStartsWithoutDone(Module& module) {
  for (Computation* computation : module.computations()) {
    for (Instruction* i : computation->instructions()) {
      if (i->opcode() == Opcode::AsyncStart && i->users().empty() && !i->isRoot()) computation->remove(i);
    }
  }
}

}  // namespace

Result<bool> simplifyAllReduces(Module& module, PassContext& context) {
  const bool changed = rewriteEach(module, context, "simplified", canGo, simpler);
  if (changed) removeStartsWithoutDone(module);
  return changed;
}

}  // namespace hilo
