#include "core/compiler/passes/convolutions/convolution_fuser.h"

namespace hilo {

bool ConvolutionFuser::onEach(Rewrite rewrite) {
  std::vector<Instruction*> all;
  for (Instruction* i : computation_.instructions()) all.push_back(i);
  bool changed = false;
  for (Instruction* i : all) {
    if (context_.cancelled()) return changed;
    const bool isTied =
        removed_.contains(i) || i->has(Attr::ControlPredecessors) || i->wasControlPredecessor();
    if (!isTied && (this->*rewrite)(*i)) changed = true;
  }
  return changed;
}

std::optional<ConvolutionFuser::Pair> ConvolutionFuser::onlyUseIn(const Instruction& i) {
  if (i.operandCount() != 2 || i.operand(0) == i.operand(1)) return std::nullopt;
  for (size_t side = 0; side < 2; ++side) {
    const auto call = forwardCallOf(i.operand(side));
    if (call && isReadByOne(*call->element)) return Pair{*call, i.operand(1 - side)};
  }
  return std::nullopt;
}

bool ConvolutionFuser::supersede(Instruction& i, const ForwardCall& call, std::string_view what) {
  context_.remark(i, "fused", std::string(what));
  computation_.replaceAllUses(&i, makeForwardCall(call, i));
  sweep(i);
  return true;
}

void ConvolutionFuser::sweep(Instruction& dead) {
  if (!dead.users().empty() || dead.isRoot() || dead.opcode() == Opcode::Parameter) return;
  const std::vector<Instruction*> operands(dead.operands().begin(), dead.operands().end());
  computation_.remove(&dead);
  removed_.insert(&dead);
  for (Instruction* operand : operands) {
    if (!removed_.contains(operand)) sweep(*operand);
  }
}

}  // namespace hilo
