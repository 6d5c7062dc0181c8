#include "core/compiler/codegen/simulate/operand_emitter.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/runtime/device/simulated/sim_thread.h"

namespace hilo {

using Value = OperandEmitter::Value;

namespace {
const PtxOperand kNothing;
}

const PtxOperand& OperandEmitter::operand(size_t i) {
  if (i < at_->operands.size()) return at_->operands[i];
  problem_ = "operands are missing";
  return kNothing;
}

const PtxOperand& OperandEmitter::part(const PtxOperand& whole, size_t i) {
  if (whole.kind != PtxOperand::Kind::Vector) return whole;
  if (i < whole.parts.size()) return whole.parts[i];
  problem_ = "a vector is too short";
  return kNothing;
}

std::unexpected<Diagnostic> OperandEmitter::unsupported(std::string why) {
  return fail(
      "unsupported-instruction",
      fmt::format("{} in {} is not simulated{}", at_->opcode, ptx_.name, why.empty() ? "" : ": " + why),
      {.line = at_->line, .column = at_->column});
}

Result<PtxType> OperandEmitter::type(size_t i) {
  if (types_.empty()) return unsupported("it has no type");
  return types_[std::min(i, types_.size() - 1)];
}

llvm::Type* OperandEmitter::valueType(const PtxType& type) {
  if (type.kind == PtxTypeKind::Float && type.lanes == 1 && type.bits == 32) return b_.getFloatTy();
  if (type.kind == PtxTypeKind::Float && type.lanes == 1 && type.bits == 64) return b_.getDoubleTy();
  return b_.getIntNTy(type.totalBits());
}

Value OperandEmitter::constant(const PtxOperand& operand, const PtxType& type) {
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

Value OperandEmitter::read(const PtxOperand& operand, const PtxType& type) {
  if (type.kind == PtxTypeKind::Predicate) return predicate(operand);
  const unsigned bits = type.totalBits();
  Value value = nullptr;
  switch (operand.kind) {
    case PtxOperand::Kind::Register:
      value = registers_.read(b_, operand.index);
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
      if (operand.parts.empty() || bits % operand.parts.size() != 0) {
        problem_ = "a vector does not fill its type";
        return llvm::Constant::getNullValue(valueType(type));
      }
      const unsigned part = bits / static_cast<unsigned>(operand.parts.size());
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

Value OperandEmitter::predicate(const PtxOperand& operand) {
  Value value = b_.getTrue();
  if (operand.kind == PtxOperand::Kind::Register) {
    value = registers_.read(b_, operand.index);
    if (!value->getType()->isIntegerTy(1)) value = b_.CreateIsNotNull(value);
  } else if (operand.kind == PtxOperand::Kind::Special) {
    value = b_.CreateIsNotNull(special(operand.name));
  } else {
    value = b_.getInt1(operand.bits != 0);
  }
  return operand.negated ? b_.CreateNot(value) : value;
}

Value OperandEmitter::bitsOf(Value value) {
  llvm::Type* type = value->getType();
  if (type->isIntegerTy()) return value;
  return b_.CreateBitCast(
      value, b_.getIntNTy(static_cast<unsigned>(type->getPrimitiveSizeInBits().getFixedValue())));
}

void OperandEmitter::write(const PtxOperand& operand, Value value, const PtxType& type) {
  value = bitsOf(value);
  if (operand.kind == PtxOperand::Kind::Vector) return writeBits(operand, value);
  if (operand.kind != PtxOperand::Kind::Register) return;
  llvm::Type* wide = registers_.type(operand.index);
  value = type.isSigned() ? b_.CreateSExtOrTrunc(value, wide) : b_.CreateZExtOrTrunc(value, wide);
  registers_.write(b_, operand.index, value);
}

// Of a vector each part gets its share.
void OperandEmitter::writeBits(const PtxOperand& operand, Value value) {
  if (operand.kind != PtxOperand::Kind::Vector)
    return write(operand, value, {PtxTypeKind::Bits, uint16_t(value->getType()->getIntegerBitWidth()), 1});
  const auto count = static_cast<unsigned>(operand.parts.size());
  const unsigned width = value->getType()->getIntegerBitWidth();
  if (count == 0 || width % count != 0) {
    problem_ = "a vector does not fill its type";
    return;
  }
  const unsigned part = width / count;
  for (unsigned i = 0; i < count; ++i)
    writeBits(operand.parts[i], b_.CreateTrunc(b_.CreateLShr(value, uint64_t{part} * i), b_.getIntNTy(part)));
}

// Accesses are told in powers of two.
void OperandEmitter::tellAccess(Value pointer, uint64_t bytes, uint32_t kind, std::optional<uint64_t> used) {
  const auto tell = [&](const char* function, uint64_t at, uint64_t count) {
    Value site = b_.getInt32(static_cast<uint32_t>(context_.accesses.size()));
    context_.accesses.push_back(
        {at_->line, static_cast<uint32_t>(count), kind, static_cast<uint32_t>(at == 0 ? bytes : count)});
    call(function, b_.getVoidTy(), {b_.CreatePtrAdd(pointer, b_.getInt64(at)), site});
  };
  const uint64_t end = used.value_or(bytes);
  for (uint64_t at = 0; context_.isChecked && at < end; at += std::bit_floor(end - at))
    tell("access", at, std::bit_floor(end - at));
  if (context_.isCounted) tell("count", 0, bytes);
}

Value unchanging(llvm::IRBuilder<>& b, llvm::Type* type, Value pointer) {
  auto* load = b.CreateLoad(type, pointer);
  load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(b.getContext(), {}));
  return load;
}

// The first lane of the warp has it for all.
Value OperandEmitter::field(size_t offset, unsigned bits) {
  Value warp = nullptr;
  if (ptx_.isEntry) {
    warp = function_->getArg(kWarpArgument);
  } else {
    Value before = b_.CreateMul(b_.CreateZExt(laneId(), b_.getInt64Ty()), b_.getInt64(kSimThreadStride));
    warp = b_.CreatePtrAdd(thread(), b_.CreateNeg(before));
  }
  return unchanging(b_, b_.getIntNTy(bits), b_.CreatePtrAdd(warp, b_.getInt64(offset)));
}

Value OperandEmitter::laneId() {
  if (ptx_.isEntry) return function_->getArg(kLaneArgument);
  return unchanging(b_, b_.getInt32Ty(), b_.CreatePtrAdd(thread(), b_.getInt64(offsetof(SimThread, laneid))));
}

Value OperandEmitter::recordPlace(uint32_t i) {
  Value context = ptx_.isEntry
                      ? function_->getArg(kContextArgument)
                      : unchanging(b_, b_.getPtrTy(),
                                   b_.CreatePtrAdd(thread(), b_.getInt64(offsetof(SimThread, context))));
  Value lanes = b_.CreatePtrAdd(context, b_.getInt64(kContextRecords + i * kSimLanes * 8));
  return b_.CreateGEP(b_.getInt64Ty(), lanes, b_.CreateZExt(laneId(), b_.getInt64Ty()));
}

// LLVM sees through sums from a pointer, not through numbers made pointers.
Value OperandEmitter::toPointer(Value address) {
  Value origin = ptx_.isEntry
                     ? function_->getArg(kOriginArgument)
                     : unchanging(b_, b_.getPtrTy(),
                                  b_.CreatePtrAdd(thread(), b_.getInt64(offsetof(SimThread, origin))));
  return b_.CreatePtrAdd(origin, address);
}

void OperandEmitter::wait(SimulatedPoint point) {
  point.line = at_->line;
  callPlain("point." + std::to_string(context_.points.size()), b_.getVoidTy(), {});
  context_.points.push_back(point);
}

Value OperandEmitter::callPlain(const std::string& name, llvm::Type* result,
                                llvm::ArrayRef<Value> arguments) {
  llvm::SmallVector<llvm::Type*, 8> types;
  for (Value argument : arguments) types.push_back(argument->getType());
  auto callee =
      context_.out.getOrInsertFunction("hilo_sim_" + name, llvm::FunctionType::get(result, types, false));
  llvm::CallInst* made = b_.CreateCall(callee, arguments);
  made->addFnAttr(llvm::Attribute::NoUnwind);
  return made;
}

Value OperandEmitter::call(const std::string& name, llvm::Type* result, llvm::ArrayRef<Value> arguments) {
  llvm::SmallVector<Value, 8> all{thread()};
  all.append(arguments.begin(), arguments.end());
  return callPlain(name, result, all);
}

Value OperandEmitter::room(llvm::Type* type, uint64_t count, uint64_t alignment) {
  llvm::IRBuilder<> entry(&function_->getEntryBlock(), function_->getEntryBlock().begin());
  auto* made = entry.CreateAlloca(type, entry.getInt64(count));
  made->setAlignment(llvm::Align(alignment));
  return made;
}

Value OperandEmitter::variable(const std::string& name) {
  const auto found = variables_.find(name);
  return found == variables_.end() ? nullptr : found->second;
}

}  // namespace hilo
