#include "core/compiler/codegen/simulate/recompute.h"

#include <llvm/IR/Instructions.h>

#include "core/compiler/codegen/simulate/operand_emitter.h"

namespace hilo {

Recompute::Cost Recompute::costOf(llvm::Value& value) {
  if (llvm::isa<llvm::Constant>(value)) return {};
  if (auto* argument = llvm::dyn_cast<llvm::Argument>(&value)) {
    const unsigned i = argument->getArgNo();
    return {0, i != kThreadArgument && i != kLaneArgument};
  }
  auto* instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  if (instruction == nullptr) return {kNever, false};
  if (const auto found = costs_.find(instruction); found != costs_.end()) return found->second;
  costs_[instruction] = {kNever, false};  // of what goes round in a loop
  const Cost cost = compute(*instruction);
  costs_[instruction] = cost;
  return cost;
}

Recompute::Cost Recompute::compute(llvm::Instruction& value) {
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(&value);
  const bool isPure = llvm::isa<llvm::BinaryOperator, llvm::CastInst, llvm::GetElementPtrInst, llvm::CmpInst,
                                llvm::SelectInst, llvm::FreezeInst>(value) ||
                      (load != nullptr && load->hasMetadata(llvm::LLVMContext::MD_invariant_load));
  if (!isPure) return {kNever, false};
  Cost cost{1, true};
  for (llvm::Value* operand : value.operands()) {
    const Cost part = costOf(*operand);
    cost.instructions = std::min(kNever, cost.instructions + part.instructions);
    cost.isAlike = cost.isAlike && part.isAlike;
  }
  if (cost.instructions >= kNever) return {kNever, false};
  const auto op = value.getOpcode();
  const bool divides = op == llvm::Instruction::UDiv || op == llvm::Instruction::SDiv ||
                       op == llvm::Instruction::URem || op == llvm::Instruction::SRem ||
                       op == llvm::Instruction::FDiv || op == llvm::Instruction::FRem;
  if (cost.isAlike && cost.instructions <= kAlike) return {0, true};
  if (divides || cost.instructions > kMost) return {kNever, cost.isAlike};
  return cost;
}

llvm::Value* Recompute::emit(llvm::Instruction& value, llvm::IRBuilder<>& b, llvm::ValueToValueMapTy& map) {
  if (llvm::Value* made = map.lookup(&value)) return made;
  for (llvm::Value* operand : value.operands()) {
    if (auto* part = llvm::dyn_cast<llvm::Instruction>(operand)) emit(*part, b, map);
  }
  llvm::Instruction* again = value.clone();
  llvm::RemapInstruction(again, map, llvm::RF_NoModuleLevelChanges);
  b.Insert(again);
  map[&value] = again;
  return again;
}

}  // namespace hilo
