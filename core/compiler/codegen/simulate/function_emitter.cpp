#include "core/compiler/codegen/simulate/function_emitter.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/compiler/codegen/simulate/translations.h"
#include "core/runtime/device/simulated/sim_abi.h"
#include "core/runtime/device/simulated/sim_thread.h"

namespace hilo {

using Value = FunctionEmitter::Value;

namespace {

// tf32 and lanes of 8 bits are for conversions and products of matrices, textures for nothing.
bool areTypesOf(PtxOp op, const std::vector<PtxType>& types) {
  const bool takesAll = op == PtxOp::Cvt || op == PtxOp::Mma || op == PtxOp::WgmmaMma ||
                        op == PtxOp::WmmaLoad || op == PtxOp::WmmaStore || op == PtxOp::WmmaMma;
  return std::ranges::all_of(types, [&](const PtxType& type) {
    if (type.kind == PtxTypeKind::Opaque || type.lanes > 2) return false;
    return takesAll ||
           (type.kind != PtxTypeKind::Tensor && (type.lanes == 1 || type.bits == 16 || type.bits == 32));
  });
}

}  // namespace

void FunctionEmitter::emit(Diagnostics& problems) {
  b_.SetInsertPoint(llvm::BasicBlock::Create(b_.getContext(), "entry", function_));
  registers_.declare(b_, ptx_);
  declareVariables();
  makeBlocks();
  b_.CreateBr(blocks_[0]);
  for (uint32_t i = 0; i < ptx_.instructions.size(); ++i) emitInstruction(i, problems);
  if (blocks_.back() != nullptr) {
    if (!ended_ && b_.GetInsertBlock() != blocks_.back()) b_.CreateBr(blocks_.back());
    b_.SetInsertPoint(blocks_.back());
    ended_ = false;
  }
  if (!ended_) ret();
}

// Parameters of a kernel lie in its second argument. Those of a function are arguments, pointers, before
// those of its results.
void FunctionEmitter::declareVariables() {
  unsigned argument = 1;
  const auto addAll = [&](const std::vector<PtxVariable>& variables) {
    for (const PtxVariable& variable : variables) {
      if (ptx_.isEntry) {
        const auto offset = context_.paramOffsets.find(variable.name);
        variables_[variable.name] =
            b_.CreatePtrAdd(function_->getArg(kParamsArgument), b_.getInt64(offset->second));
      } else {
        variables_[variable.name] = function_->getArg(argument++);
      }
    }
  };
  addAll(ptx_.params);
  addAll(ptx_.returns);
  for (const PtxVariable& variable : ptx_.variables) {
    if (variable.space != PtxSpace::Local && variable.space != PtxSpace::Param) continue;
    variables_[variable.name] = room(b_.getInt8Ty(), std::max<uint64_t>(1, variable.bytes()),
                                     std::max<uint64_t>(8, variable.alignedTo()));
  }
  for (const PtxVariable& param : ptx_.params) {
    for (uint32_t i = 0; param.space == PtxSpace::Register && i < ptx_.registers.size(); ++i) {
      if (ptx_.registers[i].name == param.name)
        registers_.write(b_, i, b_.CreateLoad(registers_.type(i), variables_[param.name]));
    }
  }
}

void FunctionEmitter::makeBlocks() {
  blocks_.assign(ptx_.instructions.size() + 1, nullptr);
  blocks_[0] = llvm::BasicBlock::Create(b_.getContext(), "begin", function_);
  for (const PtxLabel& label : ptx_.labels) {
    labels_[label.name] = label.at;
    if (blocks_[label.at] == nullptr)
      blocks_[label.at] = llvm::BasicBlock::Create(b_.getContext(), label.name, function_);
  }
}

llvm::BasicBlock* FunctionEmitter::target(const std::string& label) {
  const auto found = labels_.find(label);
  return found == labels_.end() ? nullptr : blocks_[found->second];
}

void FunctionEmitter::beginBlock(uint32_t i) {
  if (blocks_[i] != nullptr) {
    if (!ended_ && i > 0) b_.CreateBr(blocks_[i]);
    b_.SetInsertPoint(blocks_[i]);
  } else if (ended_) {
    b_.SetInsertPoint(llvm::BasicBlock::Create(b_.getContext(), "dead", function_));
  }
  ended_ = false;
}

// What follows is done where the guard holds; the block to go on in.
llvm::BasicBlock* FunctionEmitter::beginGuard() {
  Value guard = registers_.read(b_, at_->guard);
  if (at_->guardNegated) guard = b_.CreateNot(guard);
  if (at_->op == PtxOp::Bra && context_.isCounted)
    call("branch", b_.getVoidTy(), {b_.CreateZExt(guard, b_.getInt32Ty()), line()});
  auto* inside = llvm::BasicBlock::Create(b_.getContext(), "if", function_);
  auto* after = llvm::BasicBlock::Create(b_.getContext(), "after", function_);
  b_.CreateCondBr(guard, inside, after);
  b_.SetInsertPoint(inside);
  return after;
}

void FunctionEmitter::emitInstruction(uint32_t i, Diagnostics& problems) {
  at_ = &ptx_.instructions[i];
  place_ = i;
  beginBlock(i);
  types_.clear();
  for (const std::string& modifier : at_->modifiers) {
    PtxType type;
    if (readPtxType(modifier, type)) types_.push_back(type);
  }
  if (context_.isCounted) countInstruction();
  llvm::BasicBlock* after = at_->guard == PtxInstruction::kNone ? nullptr : beginGuard();
  auto* translation = translationOf(at_->op);
  const bool isKnown = translation != nullptr && areTypesOf(at_->op, types_);
  const Status done = isKnown ? translation(*this) : unsupported();
  if (!done) problems.push_back(done.error());
  if (!problem_.empty()) problems.push_back(unsupported(std::exchange(problem_, {})).error());
  if (after == nullptr) return;
  if (!ended_) b_.CreateBr(after);
  b_.SetInsertPoint(after);
  ended_ = false;
}

Value FunctionEmitter::carry() {
  if (carry_ == nullptr) carry_ = room(b_.getInt1Ty());
  return carry_;
}

void FunctionEmitter::ret() {
  for (const PtxVariable& result : ptx_.returns) {
    for (uint32_t i = 0; result.space == PtxSpace::Register && i < ptx_.registers.size(); ++i) {
      if (ptx_.registers[i].name == result.name)
        b_.CreateStore(registers_.read(b_, i), variables_[result.name]);
    }
  }
  if (context_.isCounted) {
    Value sum = b_.CreatePtrAdd(thread(), b_.getInt64(offsetof(SimThread, executed)));
    Value before = b_.CreateLoad(b_.getInt64Ty(), sum);
    b_.CreateStore(b_.CreateAdd(before, b_.CreateLoad(b_.getInt64Ty(), counted())), sum);
  }
  b_.CreateRetVoid();
  ended_ = true;
}

Value FunctionEmitter::counted() {
  if (counted_ != nullptr) return counted_;
  counted_ = room(b_.getInt64Ty());
  llvm::IRBuilder<> entry(function_->getEntryBlock().getTerminator());
  entry.CreateStore(entry.getInt64(0), counted_);
  return counted_;
}

// With a guard too, whether it holds or not: a device issues it.
void FunctionEmitter::countInstruction() {
  b_.CreateStore(b_.CreateAdd(b_.CreateLoad(b_.getInt64Ty(), counted()), b_.getInt64(1)), counted());
}

void FunctionEmitter::countTurn(uint32_t targetInstruction) {
  if (targetInstruction > place_) return;
  const bool waits = mayWait(ptx_, targetInstruction, place_);
  if (!context_.isChecked && !waits) return;
  Value at = b_.CreatePtrAdd(thread(), b_.getInt64(offsetof(SimThread, fuel)));
  Value left = b_.CreateSub(b_.CreateLoad(b_.getInt64Ty(), at), b_.getInt64(1));
  b_.CreateStore(left, at);
  auto* others = llvm::BasicBlock::Create(b_.getContext(), "others", function_);
  auto* on = llvm::BasicBlock::Create(b_.getContext(), "on", function_);
  b_.CreateCondBr(b_.CreateICmpSLE(left, b_.getInt64(0)), others, on);
  b_.SetInsertPoint(others);
  if (waits)
    wait({.kind = SimPointKind::Yield});
  else
    call("turns", b_.getVoidTy(), {line()});
  b_.CreateBr(on);
  b_.SetInsertPoint(on);
}

const PtxTargets* FunctionEmitter::targetsOf(const std::string& name) const {
  const auto found = std::ranges::find(ptx_.targets, name, &PtxTargets::name);
  return found == ptx_.targets.end() ? nullptr : &*found;
}

}  // namespace hilo
