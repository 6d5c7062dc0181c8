#include "core/compiler/codegen/emit/scalar.h"

#include <fmt/format.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

#include "core/base/check.h"
#include "core/base/enum_table.h"
#include "core/compiler/codegen/emit/scalar_library.h"
#include "core/compiler/codegen/emit/scalars/scalars.h"
#include "core/hlo/ir/element_type.h"

namespace hilo {

using llvm::Value;

namespace {

bool isNarrow(ElementType type) { return isFloat(type) && elementBits(type) < 32; }
// The type arithmetic runs in: f32 for narrow floats.
ElementType wideType(ElementType type) { return isNarrow(type) ? ElementType::F32 : type; }
// The formats whose one NaN has the bits of a negative zero; it stands above all numbers.
bool hasUnsignedNan(ElementType type) {
  return type == ElementType::F8E4M3B11FNUZ || type == ElementType::F8E4M3FNUZ ||
         type == ElementType::F8E5M2FNUZ;
}
bool isIntLike(ElementType type) { return isIntegral(type) || type == ElementType::Pred; }

}  // namespace

std::string scalarFunctionName(Opcode opcode, ElementType type) {
  std::string name(opcodeName(opcode));
  std::ranges::replace(name, '-', '_');
  return fmt::format("hilo_{}_{}", name, elementTypeName(wideType(type)));
}

llvm::Type* ScalarEmitter::valueType(ElementType type) const {
  if (type == ElementType::Pred) return b_.getInt1Ty();
  if (isIntegral(type)) return b_.getIntNTy(static_cast<unsigned>(elementBits(type)));
  if (isComplex(type)) return valueType(complexComponent(type));
  return type == ElementType::F64 ? b_.getDoubleTy() : b_.getFloatTy();
}

llvm::Type* ScalarEmitter::storageType(ElementType type) const {
  if (isComplex(type)) return valueType(complexComponent(type));
  if (type == ElementType::F32 || type == ElementType::F64) return valueType(type);
  return b_.getIntNTy(static_cast<unsigned>(8 * elementStorageBytes(type)));
}

Scalar ScalarEmitter::fromStorage(ElementType type, Value* stored, Value* storedImaginary) {
  if (type == ElementType::Pred) return {b_.CreateICmpNE(stored, b_.getInt8(0))};
  if (isIntegral(type)) return {b_.CreateTrunc(stored, valueType(type))};
  if (isNarrow(type)) return {widen(type, stored), nullptr, stored};
  return {stored, storedImaginary};
}

Value* ScalarEmitter::toStorage(ElementType type, Scalar x) {
  Value* value = x.value;
  if (x.bits != nullptr) return x.bits;
  if (type == ElementType::Pred) return b_.CreateZExt(value, b_.getInt8Ty());
  if (isSigned(type)) return b_.CreateSExt(value, storageType(type));
  if (isUnsigned(type)) return b_.CreateZExt(value, storageType(type));
  if (isNarrow(type)) return b_.CreateTrunc(narrow(type, value, "f32"), storageType(type));
  return value;
}

Scalar ScalarEmitter::constant(ElementType type, const void* stored) {
  const auto read = [&]<typename T>(T value) {
    std::memcpy(&value, stored, sizeof(T));
    return value;
  };
  if (isComplex(type)) {
    const bool isDouble = type == ElementType::C128;
    const auto* bytes = static_cast<const std::byte*>(stored);
    const ElementType part = complexComponent(type);
    return {constant(part, bytes).value, constant(part, bytes + (isDouble ? 8 : 4)).value};
  }
  if (type == ElementType::F32) return {llvm::ConstantFP::get(b_.getFloatTy(), llvm::APFloat(read(float())))};
  if (type == ElementType::F64)
    return {llvm::ConstantFP::get(b_.getDoubleTy(), llvm::APFloat(read(double())))};
  uint64_t bits = 0;
  std::memcpy(&bits, stored, static_cast<size_t>(elementStorageBytes(type)));
  return fromStorage(type, llvm::ConstantInt::get(storageType(type), bits));
}

Scalar ScalarEmitter::zero(ElementType type) {
  constexpr std::array<std::byte, 16> kZeros{};
  return constant(type, kZeros.data());
}

Value* ScalarEmitter::call(const std::string& name, llvm::Type* result, llvm::ArrayRef<Value*> arguments) {
  CHECK(hasScalarFunction(name), name);
  llvm::SmallVector<llvm::Type*, 4> types;
  for (Value* argument : arguments) types.push_back(argument->getType());
  llvm::Module* module = b_.GetInsertBlock()->getModule();
  const auto callee = module->getOrInsertFunction(name, llvm::FunctionType::get(result, types, false));
  return b_.CreateCall(callee, arguments);
}

Value* ScalarEmitter::narrow(ElementType type, Value* x, const char* from) {
  if (type == ElementType::BF16 && x->getType()->isFloatTy()) return toBf16(x);
  if (type == ElementType::F16 && x->getType()->isFloatTy()) {
    Value* sign = b_.CreateAnd(b_.CreateLShr(b_.CreateBitCast(x, b_.getInt32Ty()), 16), 0x8000);
    Value* nan = b_.CreateTrunc(b_.CreateOr(sign, 0x7e00), b_.getInt16Ty());
    Value* bits = b_.CreateBitCast(b_.CreateFPTrunc(x, b_.getHalfTy()), b_.getInt16Ty());
    return b_.CreateSelect(b_.CreateFCmpUNO(x, x), nan, bits);
  }
  return call(fmt::format("hilo_narrow_{}_{}", elementTypeName(type), from), b_.getInt16Ty(), {x});
}

// Rounds half to even by adding half, or just under it when the last kept bit is even. A NaN becomes the
// quiet one of its sign.
Value* ScalarEmitter::toBf16(Value* x) {
  llvm::Type* whole = x->getType()->getWithNewType(b_.getInt32Ty());
  const auto number = [&](uint32_t value) { return llvm::ConstantInt::get(whole, value); };
  Value* bits = b_.CreateBitCast(x, whole);
  Value* isEven = b_.CreateICmpEQ(b_.CreateAnd(bits, number(0x10000)), number(0));
  Value* rounded = b_.CreateAdd(bits, b_.CreateSelect(isEven, number(0x7fff), number(0x8000)));
  Value* nan = b_.CreateOr(b_.CreateAnd(bits, number(0x80000000)), number(0x7fc00000));
  Value* all = b_.CreateSelect(b_.CreateFCmpUNO(x, x), nan, rounded);
  return b_.CreateTrunc(b_.CreateLShr(all, number(16)), whole->getWithNewBitWidth(16));
}

Value* ScalarEmitter::widen(ElementType type, Value* bits) {
  if (type == ElementType::BF16)
    return b_.CreateBitCast(b_.CreateShl(b_.CreateZExt(bits, b_.getInt32Ty()), 16), b_.getFloatTy());
  if (type == ElementType::F16)
    return b_.CreateFPExt(b_.CreateBitCast(bits, b_.getHalfTy()), b_.getFloatTy());
  return call(fmt::format("hilo_widen_{}", elementTypeName(type)), b_.getFloatTy(),
              {b_.CreateZExt(bits, b_.getInt16Ty())});
}

Scalar ScalarEmitter::roundTo(ElementType type, Value* x, const char* from) {
  if (!isNarrow(type)) return {x};
  Scalar rounded = fromStorage(type, b_.CreateTrunc(narrow(type, x, from), storageType(type)));
  if (type == ElementType::BF16 && x->getType()->isFloatTy()) rounded.unrounded = x;
  return rounded;
}

Value* ScalarEmitter::toDouble(ElementType, Scalar x) { return b_.CreateFPExt(x.value, b_.getDoubleTy()); }

Scalar ScalarEmitter::fromDouble(ElementType type, Value* x) {
  return isNarrow(type) ? roundTo(type, x, "f64") : Scalar{b_.CreateFPTrunc(x, valueType(type))};
}

Value* ScalarEmitter::entryAlloca(llvm::Type* type, int count) {
  llvm::BasicBlock& entry = b_.GetInsertBlock()->getParent()->getEntryBlock();
  llvm::IRBuilder<> atEntry(&entry, entry.begin());
  return atEntry.CreateAlloca(type, atEntry.getInt32(static_cast<uint32_t>(count)));
}

Scalar ScalarEmitter::complexCall(const std::string& name, ElementType type,
                                  llvm::ArrayRef<Scalar> arguments) {
  llvm::Type* part = valueType(type);
  llvm::SmallVector<Value*, 3> pointers;
  for (const Scalar& argument : arguments) {
    Value* room = entryAlloca(part, 2);
    b_.CreateStore(argument.value, room);
    b_.CreateStore(argument.imaginary, b_.CreateConstGEP1_32(part, room, 1));
    pointers.push_back(room);
  }
  Value* result = entryAlloca(part, 2);
  pointers.push_back(result);
  call(name, b_.getVoidTy(), pointers);
  return {b_.CreateLoad(part, result), b_.CreateLoad(part, b_.CreateConstGEP1_32(part, result, 1))};
}

Scalar ScalarEmitter::integerUnary(Opcode opcode, ElementType type, Value* x) {
  llvm::Type* t = x->getType();
  Value* zero = llvm::ConstantInt::get(t, 0);
  switch (opcode) {
    case Opcode::Abs:
      return {isSigned(type) ? b_.CreateSelect(b_.CreateICmpSLT(x, zero), b_.CreateSub(zero, x), x) : x};
    case Opcode::Negate:
      return {b_.CreateSub(zero, x)};
    case Opcode::Sign: {
      Value* positive = b_.CreateZExtOrBitCast(b_.CreateICmpNE(x, zero), t);
      if (!isSigned(type)) return {positive};
      return {b_.CreateSelect(b_.CreateICmpSLT(x, zero), llvm::ConstantInt::getSigned(t, -1), positive)};
    }
    case Opcode::Not:
      return {b_.CreateNot(x)};
    case Opcode::Popcnt:
      return {b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, x)};
    case Opcode::CountLeadingZeros:
      return {b_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, x, b_.getFalse())};
    case Opcode::Real:
      return {x};
    default:
      checkFailed(__FILE__, __LINE__, "integer operation", opcodeName(opcode));
  }
}

Scalar ScalarEmitter::floatUnary(Opcode opcode, ElementType type, Value* x) {
  const auto intrinsic = [&](llvm::Intrinsic::ID id) { return Scalar{b_.CreateUnaryIntrinsic(id, x)}; };
  Value* zero = llvm::ConstantFP::get(x->getType(), 0.0);
  switch (opcode) {
    case Opcode::Abs:
      return intrinsic(llvm::Intrinsic::fabs);
    case Opcode::Ceil:
      return intrinsic(llvm::Intrinsic::ceil);
    case Opcode::Floor:
      return intrinsic(llvm::Intrinsic::floor);
    case Opcode::RoundNearestAfz:
      return intrinsic(llvm::Intrinsic::round);
    case Opcode::RoundNearestEven:
      return intrinsic(llvm::Intrinsic::nearbyint);
    case Opcode::Sqrt:
      return intrinsic(llvm::Intrinsic::sqrt);
    case Opcode::Negate:
      return {b_.CreateFNeg(x)};
    case Opcode::Real:
      return {x};
    case Opcode::Imag:
      return {zero};
    case Opcode::Sign: {
      Value* one = b_.CreateSelect(b_.CreateFCmpONE(x, zero), llvm::ConstantFP::get(x->getType(), 1.0), zero);
      Value* sign = b_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, one, x);
      return {b_.CreateSelect(b_.CreateFCmpUNO(x, x), x, sign)};
    }
    default:
      if (isFar_ != nullptr && hasNearForm(opcode, type)) return {callNear(opcode, x)};
      return {call(scalarFunctionName(opcode, type), x->getType(), {x})};
  }
}

bool hasNearForm(Opcode opcode, ElementType type) {
  return (opcode == Opcode::Cosine || opcode == Opcode::Sine) && isFloat(type) &&
         wideType(type) == ElementType::F32;
}

Value* ScalarEmitter::callNear(Opcode opcode, Value* x) {
  Value* magnitude = b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
  Value* isBeyond = b_.CreateFCmpUGT(magnitude, llvm::ConstantFP::get(x->getType(), kNearAngle));
  Value* before = b_.CreateLoad(b_.getInt32Ty(), isFar_);
  b_.CreateStore(b_.CreateOr(before, b_.CreateZExt(isBeyond, b_.getInt32Ty())), isFar_);
  return call(fmt::format("hilo_{}_near_f32", opcodeName(opcode)), x->getType(), {x});
}

Scalar ScalarEmitter::complexUnary(Opcode opcode, ElementType type, Scalar x) {
  switch (opcode) {
    case Opcode::Real:
      return {x.value};
    case Opcode::Imag:
      return {x.imaginary};
    case Opcode::Negate:
      return {b_.CreateFNeg(x.value), b_.CreateFNeg(x.imaginary)};
    case Opcode::Abs: {
      Value* room = entryAlloca(x.value->getType(), 2);
      b_.CreateStore(x.value, room);
      b_.CreateStore(x.imaginary, b_.CreateConstGEP1_32(x.value->getType(), room, 1));
      return {call(scalarFunctionName(opcode, type), x.value->getType(), {room})};
    }
    default:
      return complexCall(scalarFunctionName(opcode, type), type, {x});
  }
}

Scalar ScalarEmitter::unary(Opcode opcode, ElementType type, Scalar x) {
  if (isIntLike(type)) return integerUnary(opcode, type, x.value);
  if (isComplex(type)) return complexUnary(opcode, type, x);
  if (opcode == Opcode::IsFinite) {
    Value* infinity = llvm::ConstantFP::getInfinity(x.value->getType());
    return {b_.CreateFCmpONE(b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x.value), infinity)};
  }
  return roundTo(type, floatUnary(opcode, type, x.value).value, "f32");
}

Scalar ScalarEmitter::integerBinary(Opcode opcode, ElementType type, Value* a, Value* b) {
  llvm::Type* t = a->getType();
  const bool isSignedType = isSigned(type);
  Value* zero = llvm::ConstantInt::get(t, 0);
  Value* allOnes = llvm::ConstantInt::getAllOnesValue(t);
  Value* byZero = b_.CreateICmpEQ(b, zero);
  const auto shift = [&](auto make, Value* outside) {
    // An amount of the width or more shifts everything out.
    const unsigned width = t->getIntegerBitWidth();
    Value* inside = b_.CreateICmpULT(b, llvm::ConstantInt::get(t, width));
    if (width == 1) inside = byZero;
    // Not chosen by `inside`, of which LLVM 22 makes, for NVPTX, a shift by the lower half of the amount.
    Value* within =
        width == 1 ? zero
                   : b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, b, llvm::ConstantInt::get(t, width - 1));
    return Scalar{b_.CreateSelect(inside, make(within), outside)};
  };
  const auto wide = [&](Value* x) {
    llvm::Type* twice = b_.getIntNTy(2 * t->getIntegerBitWidth());
    return isSignedType ? b_.CreateSExt(x, twice) : b_.CreateZExt(x, twice);
  };
  switch (opcode) {
    case Opcode::Add:
      return {b_.CreateAdd(a, b)};
    case Opcode::Subtract:
      return {b_.CreateSub(a, b)};
    case Opcode::Multiply:
      return {b_.CreateMul(a, b)};
    case Opcode::And:
      return {b_.CreateAnd(a, b)};
    case Opcode::Or:
      return {b_.CreateOr(a, b)};
    case Opcode::Xor:
      return {b_.CreateXor(a, b)};
    case Opcode::Maximum:
      return {b_.CreateSelect(isSignedType ? b_.CreateICmpSLT(a, b) : b_.CreateICmpULT(a, b), b, a)};
    case Opcode::Minimum:
      return {b_.CreateSelect(isSignedType ? b_.CreateICmpSLT(b, a) : b_.CreateICmpULT(b, a), b, a)};
    case Opcode::Divide: {
      Value* one = llvm::ConstantInt::get(t, 1);
      if (!isSignedType)
        return {b_.CreateSelect(byZero, allOnes, b_.CreateUDiv(a, b_.CreateSelect(byZero, one, b)))};
      // The most negative number over -1 wraps; the processor would trap on it.
      Value* byMinusOne = b_.CreateICmpEQ(b, allOnes);
      Value* quotient = t->getIntegerBitWidth() == 1
                            ? zero
                            : b_.CreateSDiv(a, b_.CreateSelect(b_.CreateOr(byZero, byMinusOne), one, b));
      return {b_.CreateSelect(byZero, allOnes, b_.CreateSelect(byMinusOne, b_.CreateSub(zero, a), quotient))};
    }
    case Opcode::Remainder: {
      Value* one = llvm::ConstantInt::get(t, 1);
      if (!isSignedType)
        return {b_.CreateSelect(byZero, a, b_.CreateURem(a, b_.CreateSelect(byZero, one, b)))};
      Value* byMinusOne = b_.CreateICmpEQ(b, allOnes);
      Value* rest = t->getIntegerBitWidth() == 1
                        ? zero
                        : b_.CreateSRem(a, b_.CreateSelect(b_.CreateOr(byZero, byMinusOne), one, b));
      return {b_.CreateSelect(byZero, a, b_.CreateSelect(byMinusOne, zero, rest))};
    }
    case Opcode::Mulhi:
      return {b_.CreateTrunc(b_.CreateAShr(b_.CreateMul(wide(a), wide(b)), t->getIntegerBitWidth()), t)};
    case Opcode::Power: {
      Value* wideA = isSignedType ? b_.CreateSExt(a, b_.getInt64Ty()) : b_.CreateZExt(a, b_.getInt64Ty());
      Value* wideB = isSignedType ? b_.CreateSExt(b, b_.getInt64Ty()) : b_.CreateZExt(b, b_.getInt64Ty());
      const char* name = isSignedType ? "hilo_power_s64" : "hilo_power_u64";
      return {b_.CreateTrunc(call(name, b_.getInt64Ty(), {wideA, wideB}), t)};
    }
    case Opcode::ShiftLeft:
      return shift([&](Value* amount) { return b_.CreateShl(a, amount); }, zero);
    case Opcode::ShiftRightLogical:
      return shift([&](Value* amount) { return b_.CreateLShr(a, amount); }, zero);
    case Opcode::ShiftRightArithmetic:
      return shift([&](Value* amount) { return b_.CreateAShr(a, amount); },
                   b_.CreateSelect(b_.CreateICmpSLT(a, zero), allOnes, zero));
    default:
      checkFailed(__FILE__, __LINE__, "integer operation", opcodeName(opcode));
  }
}

Scalar ScalarEmitter::floatBinary(Opcode opcode, ElementType type, Value* a, Value* b) {
  const auto orNan = [&](Value* test, Value* x) {
    return fastMinMax_ ? test : b_.CreateOr(test, b_.CreateFCmpUNO(x, x));
  };
  switch (opcode) {
    case Opcode::Add:
      return {b_.CreateFAdd(a, b)};
    case Opcode::Subtract:
      return {b_.CreateFSub(a, b)};
    case Opcode::Multiply:
      return {b_.CreateFMul(a, b)};
    case Opcode::Divide:
      return {b_.CreateFDiv(a, b)};
    // The first when they are equal, or when it is NaN.
    case Opcode::Maximum:
      return {b_.CreateSelect(orNan(b_.CreateFCmpOLT(a, b), b), b, a)};
    case Opcode::Minimum:
      return {b_.CreateSelect(orNan(b_.CreateFCmpOGT(a, b), b), b, a)};
    default:
      return {call(scalarFunctionName(opcode, type), a->getType(), {a, b})};
  }
}

Scalar ScalarEmitter::complexBinary(Opcode opcode, ElementType type, Scalar a, Scalar b) {
  if (opcode == Opcode::Add)
    return {b_.CreateFAdd(a.value, b.value), b_.CreateFAdd(a.imaginary, b.imaginary)};
  if (opcode == Opcode::Subtract)
    return {b_.CreateFSub(a.value, b.value), b_.CreateFSub(a.imaginary, b.imaginary)};
  return complexCall(scalarFunctionName(opcode, type), type, {a, b});
}

namespace {

// pred is an integer of one bit, except that every "number" but zero is true.
Opcode predOpcode(Opcode opcode) {
  switch (opcode) {
    case Opcode::Add:
    case Opcode::Maximum:
      return Opcode::Or;
    case Opcode::Multiply:
    case Opcode::Minimum:
      return Opcode::And;
    case Opcode::Subtract:
      return Opcode::Xor;
    default:
      return opcode;
  }
}

}  // namespace

Scalar ScalarEmitter::binary(Opcode opcode, ElementType type, Scalar a, Scalar b) {
  if (type == ElementType::Pred) {
    if (opcode == Opcode::Divide || opcode == Opcode::Power)
      return {b_.CreateOr(a.value, b_.CreateNot(b.value))};
    if (opcode == Opcode::Remainder) return {b_.CreateAnd(a.value, b_.CreateNot(b.value))};
    return integerBinary(predOpcode(opcode), type, a.value, b.value);
  }
  if (isIntegral(type)) return integerBinary(opcode, type, a.value, b.value);
  if (opcode == Opcode::Complex) return {a.value, b.value};
  if (isComplex(type)) return complexBinary(opcode, type, a, b);
  return roundTo(type, floatBinary(opcode, type, a.value, b.value).value, "f32");
}

// An integer that, signed, is ordered as floats are in total order.
Value* ScalarEmitter::totalOrderKey(ElementType type, Value* x) {
  if (hasUnsignedNan(type))
    x = b_.CreateSelect(b_.CreateFCmpUNO(x, x), llvm::ConstantFP::getNaN(x->getType()), x);
  llvm::Type* t = b_.getIntNTy(x->getType()->getScalarSizeInBits());
  Value* bits = b_.CreateBitCast(x, t);
  Value* flipped = b_.CreateXor(bits, llvm::APInt::getSignedMaxValue(t->getIntegerBitWidth()));
  return b_.CreateSelect(b_.CreateICmpSLT(bits, llvm::ConstantInt::get(t, 0)), flipped, bits);
}

Value* ScalarEmitter::compare(ComparisonDirection direction, bool totalOrder, ElementType type, Scalar a,
                              Scalar b) {
  using Predicate = llvm::CmpInst::Predicate;
  struct Row {
    Predicate floats, signedInts, unsignedInts;
  };
  static constexpr EnumTable<ComparisonDirection, Row> kRows({
      {Predicate::FCMP_OEQ, Predicate::ICMP_EQ, Predicate::ICMP_EQ},
      {Predicate::FCMP_UNE, Predicate::ICMP_NE, Predicate::ICMP_NE},
      {Predicate::FCMP_OGE, Predicate::ICMP_SGE, Predicate::ICMP_UGE},
      {Predicate::FCMP_OGT, Predicate::ICMP_SGT, Predicate::ICMP_UGT},
      {Predicate::FCMP_OLE, Predicate::ICMP_SLE, Predicate::ICMP_ULE},
      {Predicate::FCMP_OLT, Predicate::ICMP_SLT, Predicate::ICMP_ULT},
  });
  const Row& row = kRows[direction];
  if (isComplex(type)) {
    Value* real = b_.CreateFCmp(row.floats, a.value, b.value);
    Value* imaginary = b_.CreateFCmp(row.floats, a.imaginary, b.imaginary);
    return direction == ComparisonDirection::Eq ? b_.CreateAnd(real, imaginary)
                                                : b_.CreateOr(real, imaginary);
  }
  if (isFloat(type) && totalOrder)
    return b_.CreateICmp(row.signedInts, totalOrderKey(type, a.value), totalOrderKey(type, b.value));
  if (isFloat(type)) return b_.CreateFCmp(row.floats, a.value, b.value);
  return b_.CreateICmp(isSigned(type) ? row.signedInts : row.unsignedInts, a.value, b.value);
}

// What a narrow float stands for has no more bits than this in f32.
int orderedBitCount(ElementType type) {
  if (!isNarrow(type)) return elementBits(type);
  return type == ElementType::F16 ? 19 : 16;
}

Value* ScalarEmitter::orderedBits(ElementType type, Scalar x) {
  if (!isFloat(type) && !isSigned(type)) return x.value;
  Value* bits = isFloat(type) ? totalOrderKey(type, x.value) : x.value;
  const unsigned width = bits->getType()->getIntegerBitWidth();
  bits = b_.CreateXor(bits, llvm::ConstantInt::get(bits->getType(), llvm::APInt::getSignMask(width)));
  const auto count = static_cast<unsigned>(orderedBitCount(type));
  return b_.CreateTrunc(b_.CreateLShr(bits, width - count), b_.getIntNTy(count));
}

Scalar ScalarEmitter::clamp(ElementType type, Scalar low, Scalar x, Scalar high) {
  return binary(Opcode::Minimum, type, high, binary(Opcode::Maximum, type, x, low));
}

Scalar ScalarEmitter::select(Value* choose, Scalar yes, Scalar no) {
  return {b_.CreateSelect(choose, yes.value, no.value),
          yes.imaginary == nullptr ? nullptr : b_.CreateSelect(choose, yes.imaginary, no.imaginary),
          yes.bits == nullptr || no.bits == nullptr ? nullptr : b_.CreateSelect(choose, yes.bits, no.bits)};
}

Scalar ScalarEmitter::convert(ElementType from, ElementType to, Scalar x) {
  if (from == to) return x;
  if (isComplex(from) && isComplex(to)) {
    return {b_.CreateFPCast(x.value, valueType(to)), b_.CreateFPCast(x.imaginary, valueType(to))};
  }
  if (to == ElementType::Pred) {
    if (isIntegral(from)) return {b_.CreateICmpNE(x.value, llvm::ConstantInt::get(x.value->getType(), 0))};
    Value* zero = llvm::ConstantFP::get(x.value->getType(), 0.0);
    Value* isSet = b_.CreateFCmpUNE(x.value, zero);
    return {isComplex(from) ? b_.CreateOr(isSet, b_.CreateFCmpUNE(x.imaginary, zero)) : isSet};
  }
  if (isComplex(from)) return convert(complexComponent(from), to, {x.value});
  if (isComplex(to)) {
    const Scalar real = convert(from, complexComponent(to), x);
    return {real.value, llvm::ConstantFP::get(valueType(to), 0.0)};
  }
  if (isIntLike(from)) {
    const bool isSignedFrom = isSigned(from);
    if (isIntegral(to)) return {b_.CreateIntCast(x.value, valueType(to), isSignedFrom)};
    if (isNarrow(to)) {
      Value* wide = b_.CreateIntCast(x.value, b_.getInt64Ty(), isSignedFrom);
      return roundTo(to, wide, isSignedFrom ? "s64" : "u64");
    }
    return {isSignedFrom ? b_.CreateSIToFP(x.value, valueType(to)) : b_.CreateUIToFP(x.value, valueType(to))};
  }
  if (isIntegral(to)) {
    const auto id = isSigned(to) ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat;
    const auto toInteger = [&](llvm::Type* type) {
      return b_.CreateIntrinsic(id, {type, x.value->getType()}, {x.value});
    };
    if (elementBits(to) > 1) return {toInteger(valueType(to))};
    // LLVM 22 writes a conversion to one bit for NVPTX that gives the other one.
    Value* byte = toInteger(b_.getInt8Ty());
    if (isSigned(to)) byte = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, byte, b_.getInt8(0xff));
    const auto least = isSigned(to) ? llvm::Intrinsic::smin : llvm::Intrinsic::umin;
    byte = b_.CreateBinaryIntrinsic(least, byte, b_.getInt8(isSigned(to) ? 0 : 1));
    return {b_.CreateTrunc(byte, valueType(to))};
  }
  if (from == ElementType::F64) return fromDouble(to, x.value);
  return isNarrow(to) ? roundTo(to, x.value, "f32") : Scalar{b_.CreateFPCast(x.value, valueType(to))};
}

Scalar ScalarEmitter::reducePrecision(ElementType type, Scalar x, int64_t exponentBits,
                                      int64_t mantissaBits) {
  Value* exponent = b_.getInt32(static_cast<uint32_t>(exponentBits));
  Value* mantissa = b_.getInt32(static_cast<uint32_t>(mantissaBits));
  return roundTo(type,
                 call(fmt::format("hilo_reduce_precision_{}", elementTypeName(wideType(type))),
                      x.value->getType(), {x.value, exponent, mantissa}),
                 "f32");
}

Value* ScalarEmitter::toBits(ElementType type, Scalar x) {
  const auto bits = static_cast<unsigned>(elementBits(type));
  if (isComplex(type)) {
    llvm::Type* part = b_.getIntNTy(bits / 2);
    llvm::Type* whole = b_.getIntNTy(bits);
    Value* real = b_.CreateZExt(b_.CreateBitCast(x.value, part), whole);
    Value* imaginary = b_.CreateZExt(b_.CreateBitCast(x.imaginary, part), whole);
    return b_.CreateOr(real, b_.CreateShl(imaginary, bits / 2));
  }
  if (type == ElementType::F32 || type == ElementType::F64)
    return b_.CreateBitCast(x.value, b_.getIntNTy(bits));
  return b_.CreateTrunc(toStorage(type, x), b_.getIntNTy(bits));
}

Scalar ScalarEmitter::fromBits(ElementType type, Value* bits) {
  const auto width = static_cast<unsigned>(elementBits(type));
  if (isComplex(type)) {
    llvm::Type* part = b_.getIntNTy(width / 2);
    return {b_.CreateBitCast(b_.CreateTrunc(bits, part), valueType(type)),
            b_.CreateBitCast(b_.CreateTrunc(b_.CreateLShr(bits, width / 2), part), valueType(type))};
  }
  if (type == ElementType::F32 || type == ElementType::F64) return {b_.CreateBitCast(bits, valueType(type))};
  return fromStorage(type, b_.CreateZExt(bits, storageType(type)));
}

bool canEmitElementwise(Opcode opcode, ElementType type) {
  const auto inLibrary = [&] { return hasScalarFunction(scalarFunctionName(opcode, type)); };
  switch (opcode) {
    case Opcode::Convert:
    case Opcode::BitcastConvert:
    case Opcode::Select:
      return true;
    case Opcode::Compare:
      return true;
    case Opcode::Clamp:
      return !isComplex(type);
    case Opcode::ReducePrecision:
    case Opcode::StochasticConvert:
    case Opcode::IsFinite:
    case Opcode::Ceil:
    case Opcode::Floor:
    case Opcode::RoundNearestAfz:
    case Opcode::RoundNearestEven:
      return isFloat(type);
    case Opcode::Sqrt:
      return isFloat(type) || isComplex(type);
    case Opcode::Complex:
      return type == ElementType::F32 || type == ElementType::F64;
    case Opcode::Real:
      return type != ElementType::Pred;
    case Opcode::Imag:
      return isFloat(type) || isComplex(type);
    case Opcode::Abs:
    case Opcode::Negate:
    case Opcode::Sign:
      return type != ElementType::Pred;
    case Opcode::Not:
      return isIntLike(type);
    case Opcode::Popcnt:
    case Opcode::CountLeadingZeros:
    case Opcode::Mulhi:
    case Opcode::ShiftLeft:
    case Opcode::ShiftRightArithmetic:
    case Opcode::ShiftRightLogical:
      return isIntegral(type);
    case Opcode::And:
    case Opcode::Or:
    case Opcode::Xor:
      return isIntLike(type);
    case Opcode::Add:
    case Opcode::Subtract:
    case Opcode::Multiply:
    case Opcode::Divide:
      return true;
    case Opcode::Maximum:
    case Opcode::Minimum:
      return !isComplex(type);
    case Opcode::Power:
    case Opcode::Remainder:
      return isIntLike(type) || inLibrary();
    default:
      return inLibrary();
  }
}

}  // namespace hilo
