#include "core/compiler/codegen/simulate/function_emitter.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/compiler/codegen/simulate/translations.h"
#include "core/runtime/device/simulated/sim_abi.h"
#include "core/runtime/device/simulated/sim_thread.h"

namespace hilo {

using Value = FunctionEmitter::Value;

FunctionEmitter::FunctionEmitter(KernelContext& context, const PtxFunction& ptx, llvm::Function* function)
    : context_(context), ptx_(ptx), function_(function), b_(context.out.getContext()) {}

void FunctionEmitter::emit(Diagnostics& problems) {
  b_.SetInsertPoint(llvm::BasicBlock::Create(b_.getContext(), "entry", function_));
  for (const PtxRegister& reg : ptx_.registers)
    registers_.push_back(b_.CreateAlloca(b_.getIntNTy(reg.type.totalBits()), nullptr, reg.name));
  declareVariables();
  makeBlocks();
  b_.CreateBr(targetAt(0));
  for (uint32_t i = 0; i < ptx_.instructions.size(); ++i) emitInstruction(i, problems);
  if (blocks_.back() != nullptr) {
    if (!ended_ && b_.GetInsertBlock() != blocks_.back()) b_.CreateBr(blocks_.back());
    b_.SetInsertPoint(blocks_.back());
    ended_ = false;
  }
  if (!ended_) ret();
}

// Parameters of a kernel lie in its second argument, those of a function are arguments: pointers, results
// after them.
void FunctionEmitter::declareVariables() {
  unsigned argument = 1;
  const auto addAll = [&](const std::vector<PtxVariable>& variables) {
    for (const PtxVariable& variable : variables) {
      if (ptx_.isEntry) {
        const auto offset = context_.paramOffsets.find(variable.name);
        variables_[variable.name] = b_.CreatePtrAdd(function_->getArg(1), b_.getInt64(offset->second));
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
    for (size_t i = 0; param.space == PtxSpace::Register && i < ptx_.registers.size(); ++i) {
      if (ptx_.registers[i].name == param.name)
        b_.CreateStore(b_.CreateLoad(registers_[i]->getAllocatedType(), variables_[param.name]),
                       registers_[i]);
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

llvm::BasicBlock* FunctionEmitter::targetAt(uint32_t instruction) { return blocks_[instruction]; }

llvm::BasicBlock* FunctionEmitter::target(const std::string& label) {
  const auto found = labels_.find(label);
  return found == labels_.end() ? nullptr : blocks_[found->second];
}

void FunctionEmitter::emitInstruction(uint32_t i, Diagnostics& problems) {
  at_ = &ptx_.instructions[i];
  place_ = i;
  if (blocks_[i] != nullptr) {
    if (!ended_ && i > 0) b_.CreateBr(blocks_[i]);
    b_.SetInsertPoint(blocks_[i]);
  } else if (ended_) {
    b_.SetInsertPoint(llvm::BasicBlock::Create(b_.getContext(), "dead", function_));
  }
  ended_ = false;
  types_.clear();
  for (const std::string& modifier : at_->modifiers) {
    PtxType type;
    if (readPtxType(modifier, type)) types_.push_back(type);
  }
  llvm::BasicBlock* after = nullptr;
  if (at_->guard != PtxInstruction::kNone) {
    Value guard = b_.CreateLoad(b_.getInt1Ty(), registers_[at_->guard]);
    if (at_->guardNegated) guard = b_.CreateNot(guard);
    if (at_->op == PtxOp::Bra && context_.isChecked)
      call("branch", b_.getVoidTy(), {b_.CreateZExt(guard, b_.getInt32Ty()), line()});
    auto* inside = llvm::BasicBlock::Create(b_.getContext(), "if", function_);
    after = llvm::BasicBlock::Create(b_.getContext(), "after", function_);
    b_.CreateCondBr(guard, inside, after);
    b_.SetInsertPoint(inside);
  }
  auto* translation = translationOf(at_->op);
  const Status done = translation == nullptr ? unsupported() : translation(*this);
  if (!done) problems.push_back(done.error());
  if (!problem_.empty()) problems.push_back(unsupported(std::exchange(problem_, {})).error());
  if (after == nullptr) return;
  if (!ended_) b_.CreateBr(after);
  b_.SetInsertPoint(after);
  ended_ = false;
}

std::unexpected<Diagnostic> FunctionEmitter::unsupported(std::string why) {
  return fail(
      "unsupported-instruction",
      fmt::format("{} in {} is not simulated{}", at_->opcode, ptx_.name, why.empty() ? "" : ": " + why),
      {.line = at_->line, .column = at_->column});
}

Result<PtxType> FunctionEmitter::type(size_t i) {
  if (types_.empty()) return unsupported("it has no type");
  return types_[std::min(i, types_.size() - 1)];
}

llvm::Type* FunctionEmitter::valueType(const PtxType& type) {
  if (type.kind == PtxTypeKind::Float && type.lanes == 1 && type.bits == 32) return b_.getFloatTy();
  if (type.kind == PtxTypeKind::Float && type.lanes == 1 && type.bits == 64) return b_.getDoubleTy();
  return b_.getIntNTy(type.totalBits());
}

Value FunctionEmitter::constant(const PtxOperand& operand, const PtxType& type) {
  uint64_t bits = operand.bits;
  const bool isDouble = type.totalBits() == 64 && type.kind != PtxTypeKind::Signed;
  if (operand.kind == PtxOperand::Kind::Float) {
    if (operand.wide && type.totalBits() == 32)
      bits = std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
    if (!operand.wide && isDouble && type.isFloat())
      bits = std::bit_cast<uint64_t>(double{std::bit_cast<float>(static_cast<uint32_t>(bits))});
  }
  Value value = llvm::ConstantInt::get(b_.getContext(), llvm::APInt(64, bits).zextOrTrunc(type.totalBits()));
  return b_.CreateBitCast(value, valueType(type));
}

Value FunctionEmitter::read(const PtxOperand& operand, const PtxType& type) {
  if (type.kind == PtxTypeKind::Predicate) return predicate(operand);
  const unsigned bits = type.totalBits();
  Value value = nullptr;
  switch (operand.kind) {
    case PtxOperand::Kind::Register:
      value = b_.CreateLoad(registers_[operand.index]->getAllocatedType(), registers_[operand.index]);
      break;
    case PtxOperand::Kind::Special:
      value = special(operand.name);
      break;
    case PtxOperand::Kind::Name:
      value = addressOf(operand.name, operand.bits);
      break;
    case PtxOperand::Kind::Integer:
    case PtxOperand::Kind::Float:
      return constant(operand, type);
    case PtxOperand::Kind::Vector: {
      const unsigned part = bits / std::max<unsigned>(1, static_cast<unsigned>(operand.parts.size()));
      value = b_.getIntN(bits, 0);
      for (size_t i = 0; i < operand.parts.size(); ++i) {
        Value piece = read(operand.parts[i], {PtxTypeKind::Bits, static_cast<uint16_t>(part), 1});
        value = b_.CreateOr(value, b_.CreateShl(b_.CreateZExt(piece, b_.getIntNTy(bits)), part * i));
      }
      break;
    }
    default:
      value = b_.getIntN(bits, 0);
  }
  value = type.isSigned() ? b_.CreateSExtOrTrunc(value, b_.getIntNTy(bits))
                          : b_.CreateZExtOrTrunc(value, b_.getIntNTy(bits));
  return b_.CreateBitCast(value, valueType(type));
}

Value FunctionEmitter::predicate(const PtxOperand& operand) {
  Value value = b_.getTrue();
  if (operand.kind == PtxOperand::Kind::Register) {
    value = b_.CreateLoad(registers_[operand.index]->getAllocatedType(), registers_[operand.index]);
    if (!value->getType()->isIntegerTy(1)) value = b_.CreateIsNotNull(value);
  } else if (operand.kind == PtxOperand::Kind::Special) {
    value = b_.CreateIsNotNull(special(operand.name));
  } else {
    value = b_.getInt1(operand.bits != 0);
  }
  return operand.negated ? b_.CreateNot(value) : value;
}

Value FunctionEmitter::bitsOf(Value value) {
  llvm::Type* type = value->getType();
  if (type->isIntegerTy()) return value;
  return b_.CreateBitCast(
      value, b_.getIntNTy(static_cast<unsigned>(type->getPrimitiveSizeInBits().getFixedValue())));
}

void FunctionEmitter::write(const PtxOperand& operand, Value value, const PtxType& type) {
  value = bitsOf(value);
  if (operand.kind == PtxOperand::Kind::Vector) return writeBits(operand, value);
  if (operand.kind != PtxOperand::Kind::Register) return;
  llvm::AllocaInst* reg = registers_[operand.index];
  llvm::Type* wide = reg->getAllocatedType();
  value = type.isSigned() ? b_.CreateSExtOrTrunc(value, wide) : b_.CreateZExtOrTrunc(value, wide);
  b_.CreateStore(value, reg);
}

// Of a vector each part gets its share.
void FunctionEmitter::writeBits(const PtxOperand& operand, Value value) {
  if (operand.kind != PtxOperand::Kind::Vector)
    return write(operand, value, {PtxTypeKind::Bits, uint16_t(value->getType()->getIntegerBitWidth()), 1});
  const auto count = static_cast<unsigned>(operand.parts.size());
  const unsigned part = value->getType()->getIntegerBitWidth() / std::max(1u, count);
  for (unsigned i = 0; i < count; ++i)
    writeBits(operand.parts[i], b_.CreateTrunc(b_.CreateLShr(value, uint64_t{part} * i), b_.getIntNTy(part)));
}

void FunctionEmitter::tellAccess(Value pointer, uint64_t bytes, uint32_t kind) {
  if (!context_.isChecked) return;
  call("access", b_.getVoidTy(),
       {pointer, b_.getInt32(static_cast<uint32_t>(bytes)), b_.getInt32(kind), line()});
}

Value FunctionEmitter::field(size_t offset, unsigned bits) {
  auto* load = b_.CreateLoad(b_.getIntNTy(bits), b_.CreatePtrAdd(thread(), b_.getInt64(offset)));
  load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(b_.getContext(), {}));
  return load;
}

void FunctionEmitter::setField(size_t offset, Value value) {
  b_.CreateStore(value, b_.CreatePtrAdd(thread(), b_.getInt64(offset)));
}

Value FunctionEmitter::callPlain(const std::string& name, llvm::Type* result,
                                 llvm::ArrayRef<Value> arguments) {
  llvm::SmallVector<llvm::Type*, 8> types;
  for (Value argument : arguments) types.push_back(argument->getType());
  auto callee =
      context_.out.getOrInsertFunction("hilo_sim_" + name, llvm::FunctionType::get(result, types, false));
  llvm::CallInst* made = b_.CreateCall(callee, arguments);
  made->addFnAttr(llvm::Attribute::NoUnwind);
  return made;
}

Value FunctionEmitter::call(const std::string& name, llvm::Type* result, llvm::ArrayRef<Value> arguments) {
  llvm::SmallVector<Value, 8> all{thread()};
  all.append(arguments.begin(), arguments.end());
  return callPlain(name, result, all);
}

Value FunctionEmitter::room(llvm::Type* type, uint64_t count, uint64_t alignment) {
  llvm::IRBuilder<> entry(&function_->getEntryBlock(), function_->getEntryBlock().begin());
  auto* made = entry.CreateAlloca(type, entry.getInt64(count));
  made->setAlignment(llvm::Align(alignment));
  return made;
}

Value FunctionEmitter::carry() {
  if (carry_ == nullptr) carry_ = room(b_.getInt1Ty());
  return carry_;
}

Value FunctionEmitter::variable(const std::string& name) {
  const auto found = variables_.find(name);
  return found == variables_.end() ? nullptr : found->second;
}

void FunctionEmitter::ret() {
  for (const PtxVariable& result : ptx_.returns) {
    for (size_t i = 0; result.space == PtxSpace::Register && i < ptx_.registers.size(); ++i) {
      if (ptx_.registers[i].name == result.name)
        b_.CreateStore(b_.CreateLoad(registers_[i]->getAllocatedType(), registers_[i]),
                       variables_[result.name]);
    }
  }
  b_.CreateRetVoid();
  ended_ = true;
}

void FunctionEmitter::countTurn(uint32_t targetInstruction) {
  if (targetInstruction > place_) return;
  if (!context_.isChecked && !mayWait(ptx_, targetInstruction, place_)) return;
  Value at = b_.CreatePtrAdd(thread(), b_.getInt64(offsetof(SimThread, fuel)));
  Value left = b_.CreateSub(b_.CreateLoad(b_.getInt64Ty(), at), b_.getInt64(1));
  b_.CreateStore(left, at);
  auto* others = llvm::BasicBlock::Create(b_.getContext(), "others", function_);
  auto* on = llvm::BasicBlock::Create(b_.getContext(), "on", function_);
  b_.CreateCondBr(b_.CreateICmpSLE(left, b_.getInt64(0)), others, on);
  b_.SetInsertPoint(others);
  call("yield", b_.getVoidTy(), {line()});
  b_.CreateBr(on);
  b_.SetInsertPoint(on);
}

const PtxTargets* FunctionEmitter::targetsOf(const std::string& name) const {
  const auto found = std::ranges::find(ptx_.targets, name, &PtxTargets::name);
  return found == ptx_.targets.end() ? nullptr : &*found;
}

}  // namespace hilo
