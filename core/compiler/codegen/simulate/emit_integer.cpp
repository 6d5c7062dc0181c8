// Integer arithmetic, and the families that floats share with it.
#include <fmt/format.h>

#include "core/compiler/codegen/simulate/float_emit.h"
#include "core/compiler/codegen/simulate/translations.h"
#include "core/runtime/device/simulated/sim_thread.h"

namespace hilo {
namespace {

using Value = FunctionEmitter::Value;

Value saturate(FunctionEmitter& f, Value a, Value b, bool subtracts) {
  return f.intrinsic(subtracts ? llvm::Intrinsic::ssub_sat : llvm::Intrinsic::sadd_sat, a, b);
}

// Lanes of 16 bits in 32.
Value byHalves(FunctionEmitter& f, Value a, Value b, Value (*combine)(FunctionEmitter&, Value, Value, bool),
               bool isSigned) {
  llvm::Type* vector = llvm::FixedVectorType::get(f.b().getInt16Ty(), 2);
  return f.b().CreateBitCast(
      combine(f, f.b().CreateBitCast(a, vector), f.b().CreateBitCast(b, vector), isSigned),
      f.b().getInt32Ty());
}

Value addValues(FunctionEmitter& f, Value a, Value b, bool) { return f.b().CreateAdd(a, b); }
Value subValues(FunctionEmitter& f, Value a, Value b, bool) { return f.b().CreateSub(a, b); }
Value minValues(FunctionEmitter& f, Value a, Value b, bool isSigned) {
  return f.intrinsic(isSigned ? llvm::Intrinsic::smin : llvm::Intrinsic::umin, a, b);
}
Value maxValues(FunctionEmitter& f, Value a, Value b, bool isSigned) {
  return f.intrinsic(isSigned ? llvm::Intrinsic::smax : llvm::Intrinsic::umax, a, b);
}

// The carry of add.cc is a variable of the function.
Status addWithCarry(FunctionEmitter& f, const PtxType& type, Value a, Value b, bool takesCarry,
                    bool subtracts) {
  const unsigned bits = type.totalBits();
  auto& ir = f.b();
  llvm::Type* wide = ir.getIntNTy(bits + 2);
  Value x = ir.CreateZExt(a, wide), y = ir.CreateZExt(b, wide);
  Value carry =
      takesCarry ? ir.CreateZExt(ir.CreateLoad(ir.getInt1Ty(), f.carry()), wide) : ir.getIntN(bits + 2, 0);
  Value result =
      subtracts ? ir.CreateSub(ir.CreateSub(x, y), carry) : ir.CreateAdd(ir.CreateAdd(x, y), carry);
  if (f.at().has("cc"))
    ir.CreateStore(ir.CreateTrunc(ir.CreateLShr(result, bits), ir.getInt1Ty()), f.carry());
  f.write(ir.CreateTrunc(result, ir.getIntNTy(bits)), type);
  return {};
}

// Both halves of a product.
Value wideProduct(FunctionEmitter& f, const PtxType& type, Value a, Value b) {
  llvm::Type* wide = f.b().getIntNTy(type.totalBits() * 2);
  return type.isSigned() ? f.b().CreateMul(f.b().CreateSExt(a, wide), f.b().CreateSExt(b, wide))
                         : f.b().CreateMul(f.b().CreateZExt(a, wide), f.b().CreateZExt(b, wide));
}

// .lo, .hi and .wide of a product; the type of the result in `result`.
Value productPart(FunctionEmitter& f, const PtxType& type, PtxType& result) {
  Value a = f.read(1, type), b = f.read(2, type);
  result = type;
  if (f.at().has("wide")) {
    result.bits = static_cast<uint16_t>(type.bits * 2);
    return wideProduct(f, type, a, b);
  }
  if (!f.at().has("hi")) return f.b().CreateMul(a, b);
  return f.b().CreateTrunc(f.b().CreateLShr(wideProduct(f, type, a, b), type.totalBits()), a->getType());
}

Status emitSum(FunctionEmitter& f, bool subtracts) {
  TRY(const PtxType type, f.type());
  if (type.isFloat()) return emitFloatBinary(f, subtracts ? FloatBinary::Sub : FloatBinary::Add);
  Value a = f.read(1, type), b = f.read(2, type);
  if (f.at().has("cc")) return addWithCarry(f, type, a, b, false, subtracts);
  if (type.lanes == 2) {
    f.write(byHalves(f, a, b, subtracts ? subValues : addValues, false), type);
  } else if (f.at().has("sat")) {
    f.write(saturate(f, a, b, subtracts), type);
  } else {
    f.write(subtracts ? f.b().CreateSub(a, b) : f.b().CreateAdd(a, b), type);
  }
  return {};
}

}  // namespace

Status emitAdd(FunctionEmitter& f) { return emitSum(f, false); }
Status emitSub(FunctionEmitter& f) { return emitSum(f, true); }

Status emitCarry(FunctionEmitter& f) {
  TRY(const PtxType type, f.type());
  return addWithCarry(f, type, f.read(1, type), f.read(2, type), true, f.at().op == PtxOp::SubCarry);
}

Status emitMadCarry(FunctionEmitter& f) {
  TRY(const PtxType type, f.type());
  PtxType result;
  Value product = productPart(f, type, result);
  return addWithCarry(f, type, product, f.read(3, type), true, false);
}

Status emitMul(FunctionEmitter& f) {
  TRY(const PtxType type, f.type());
  if (type.isFloat()) return emitFloatBinary(f, FloatBinary::Mul);
  PtxType result;
  Value product = productPart(f, type, result);
  f.write(product, result);
  return {};
}

Status emitMad(FunctionEmitter& f) {
  TRY(const PtxType type, f.type());
  if (type.isFloat()) return emitFma(f);
  PtxType result;
  Value product = productPart(f, type, result);
  if (f.at().has("cc")) return addWithCarry(f, type, product, f.read(3, type), false, false);
  Value addend = f.read(3, result);
  f.write(f.at().has("sat") ? saturate(f, product, addend, false) : f.b().CreateAdd(product, addend), result);
  return {};
}

Status emitMul24(FunctionEmitter& f) {
  TRY(const PtxType type, f.type());
  const auto part = [&](size_t i) {
    Value x = f.b().CreateShl(f.read(i, type), 8);
    x = type.isSigned() ? f.b().CreateAShr(x, 8) : f.b().CreateLShr(x, 8);
    return type.isSigned() ? f.b().CreateSExt(x, f.b().getInt64Ty())
                           : f.b().CreateZExt(x, f.b().getInt64Ty());
  };
  Value product = f.b().CreateMul(part(1), part(2));
  if (f.at().has("hi")) product = f.b().CreateLShr(product, 16);
  Value result = f.b().CreateTrunc(product, f.b().getInt32Ty());
  if (f.at().op == PtxOp::Mad24) result = f.b().CreateAdd(result, f.read(3, type));
  f.write(result, type);
  return {};
}

Status emitSad(FunctionEmitter& f) {
  TRY(const PtxType type, f.type());
  Value a = f.read(1, type), b = f.read(2, type);
  Value distance = f.b().CreateSub(maxValues(f, a, b, type.isSigned()), minValues(f, a, b, type.isSigned()));
  f.write(f.b().CreateAdd(distance, f.read(3, type)), type);
  return {};
}

// What a device gives for a division by zero: all ones, and the dividend as remainder.
Status emitDiv(FunctionEmitter& f) {
  TRY(const PtxType type, f.type());
  if (type.isFloat()) return emitFloatBinary(f, FloatBinary::Div);
  auto& ir = f.b();
  Value a = f.read(1, type), b = f.read(2, type);
  Value isZero = ir.CreateIsNull(b);
  Value one = llvm::ConstantInt::get(a->getType(), 1),
        ones = llvm::ConstantInt::getAllOnesValue(a->getType());
  Value quotient = nullptr;
  if (type.isSigned()) {
    Value isMinus = ir.CreateICmpEQ(b, ones);
    quotient = ir.CreateSelect(isMinus, ir.CreateNeg(a),
                               ir.CreateSDiv(a, ir.CreateSelect(ir.CreateOr(isZero, isMinus), one, b)));
  } else {
    quotient = ir.CreateUDiv(a, ir.CreateSelect(isZero, one, b));
  }
  f.write(ir.CreateSelect(isZero, ones, quotient), type);
  return {};
}

Status emitRem(FunctionEmitter& f) {
  TRY(const PtxType type, f.type());
  auto& ir = f.b();
  Value a = f.read(1, type), b = f.read(2, type);
  Value isZero = ir.CreateIsNull(b);
  Value one = llvm::ConstantInt::get(a->getType(), 1),
        ones = llvm::ConstantInt::getAllOnesValue(a->getType());
  Value isSpecial = type.isSigned() ? ir.CreateOr(isZero, ir.CreateICmpEQ(b, ones)) : isZero;
  Value safe = ir.CreateSelect(isSpecial, one, b);
  Value rest = type.isSigned() ? ir.CreateSRem(a, safe) : ir.CreateURem(a, safe);
  f.write(ir.CreateSelect(isZero, a, rest), type);
  return {};
}

Status emitAbs(FunctionEmitter& f) {
  TRY(const PtxType type, f.type());
  if (type.isFloat()) return emitFloatSign(f, true);
  f.write(f.b().CreateBinaryIntrinsic(llvm::Intrinsic::abs, f.read(1, type), f.b().getFalse()), type);
  return {};
}

Status emitNeg(FunctionEmitter& f) {
  TRY(const PtxType type, f.type());
  if (type.isFloat()) return emitFloatSign(f, false);
  f.write(f.b().CreateNeg(f.read(1, type)), type);
  return {};
}

Status emitMinMax(FunctionEmitter& f) {
  TRY(const PtxType type, f.type());
  const bool isMin = f.at().op == PtxOp::Min;
  if (type.isFloat()) return emitFloatBinary(f, isMin ? FloatBinary::Min : FloatBinary::Max);
  Value a = f.read(1, type), b = f.read(2, type);
  auto* combine = isMin ? minValues : maxValues;
  Value result =
      type.lanes == 2 ? byHalves(f, a, b, combine, type.isSigned()) : combine(f, a, b, type.isSigned());
  if (f.at().has("relu"))
    result = maxValues(f, result, llvm::Constant::getNullValue(result->getType()), true);
  f.write(result, type);
  return {};
}

Status emitBitCount(FunctionEmitter& f) {
  TRY(const PtxType type, f.type());
  Value x = f.read(1, type);
  Value count = f.at().op == PtxOp::Popc ? f.intrinsic(llvm::Intrinsic::ctpop, x)
                                         : f.intrinsic(llvm::Intrinsic::ctlz, x, f.b().getFalse());
  f.write(count, {PtxTypeKind::Unsigned, static_cast<uint16_t>(type.totalBits()), 1});
  return {};
}

// The highest bit that differs from the sign; all ones where none does.
Status emitBfind(FunctionEmitter& f) {
  TRY(const PtxType type, f.type());
  auto& ir = f.b();
  Value x = f.read(1, type);
  const unsigned bits = type.totalBits();
  if (type.isSigned()) x = ir.CreateXor(x, ir.CreateAShr(x, bits - 1));
  Value zeros = ir.CreateZExtOrTrunc(f.intrinsic(llvm::Intrinsic::ctlz, x, ir.getFalse()), ir.getInt32Ty());
  Value place = f.at().has("shiftamt") ? zeros : ir.CreateSub(ir.getInt32(bits - 1), zeros);
  f.write(ir.CreateSelect(ir.CreateIsNull(x), ir.getInt32(~0u), place), {PtxTypeKind::Unsigned, 32, 1});
  return {};
}

// The n-th set bit from a place on, upwards or down.
Status emitFns(FunctionEmitter& f) {
  Value place =
      f.callPlain("find_set", f.b().getInt32Ty(), {f.readBits(1, 32), f.readBits(2, 32), f.readBits(3, 32)});
  f.write(place, {PtxTypeKind::Bits, 32, 1});
  return {};
}

Status emitBrev(FunctionEmitter& f) {
  TRY(const PtxType type, f.type());
  f.write(f.intrinsic(llvm::Intrinsic::bitreverse, f.read(1, type)), type);
  return {};
}

namespace {

// 1s in the lowest `length` bits, all of them from the width on.
Value lowMask(FunctionEmitter& f, llvm::Type* type, Value length) {
  auto& ir = f.b();
  const unsigned bits = type->getIntegerBitWidth();
  Value wide = ir.CreateZExtOrTrunc(length, type);
  Value isAll = ir.CreateICmpUGE(length, llvm::ConstantInt::get(length->getType(), bits));
  Value some = ir.CreateSub(ir.CreateShl(llvm::ConstantInt::get(type, 1),
                                         ir.CreateSelect(isAll, llvm::ConstantInt::get(type, 0), wide)),
                            llvm::ConstantInt::get(type, 1));
  return ir.CreateSelect(isAll, llvm::ConstantInt::getAllOnesValue(type), some);
}

Value byteOf(FunctionEmitter& f, size_t i) { return f.b().CreateAnd(f.readBits(i, 32), f.b().getInt32(255)); }

// x >> n, or x << n, by any n: 0, or the sign, from the width on.
Value shiftAny(FunctionEmitter& f, Value x, Value n, bool left, bool isSigned) {
  auto& ir = f.b();
  const unsigned bits = x->getType()->getIntegerBitWidth();
  Value tooFar = ir.CreateICmpUGE(n, ir.getInt32(bits));
  Value amount = ir.CreateZExtOrTrunc(
      ir.CreateSelect(tooFar, ir.getInt32(isSigned && !left ? bits - 1 : 0), n), x->getType());
  if (isSigned && !left) return ir.CreateAShr(x, amount);
  Value shifted = left ? ir.CreateShl(x, amount) : ir.CreateLShr(x, amount);
  return ir.CreateSelect(tooFar, llvm::Constant::getNullValue(x->getType()), shifted);
}

}  // namespace

Status emitBfe(FunctionEmitter& f) {
  TRY(const PtxType type, f.type());
  auto& ir = f.b();
  Value x = f.read(1, type), position = byteOf(f, 2), length = byteOf(f, 3);
  const unsigned bits = type.totalBits();
  Value moved = shiftAny(f, x, position, false, type.isSigned());
  Value mask = lowMask(f, x->getType(), length);
  Value field = ir.CreateAnd(moved, mask);
  if (type.isSigned()) {
    // The sign is the field's highest bit, or that of x where the field goes past it.
    Value last =
        f.intrinsic(llvm::Intrinsic::umin, ir.CreateSub(ir.CreateAdd(position, length), ir.getInt32(1)),
                    ir.getInt32(bits - 1));
    Value sign = ir.CreateTrunc(shiftAny(f, x, last, false, false), ir.getInt1Ty());
    Value filled = ir.CreateOr(field, ir.CreateNot(mask));
    field = ir.CreateSelect(ir.CreateAnd(sign, ir.CreateIsNotNull(length)), filled, field);
  }
  f.write(field, type);
  return {};
}

Status emitBfi(FunctionEmitter& f) {
  TRY(const PtxType type, f.type());
  auto& ir = f.b();
  Value a = f.read(1, type), base = f.read(2, type), position = byteOf(f, 3), length = byteOf(f, 4);
  Value mask = shiftAny(f, lowMask(f, a->getType(), length), position, true, false);
  Value placed = shiftAny(f, a, position, true, false);
  f.write(ir.CreateOr(ir.CreateAnd(placed, mask), ir.CreateAnd(base, ir.CreateNot(mask))), type);
  return {};
}

Status emitBmsk(FunctionEmitter& f) {
  auto& ir = f.b();
  Value position = f.readBits(1, 32), length = f.readBits(2, 32);
  if (f.at().has("wrap")) {
    position = ir.CreateAnd(position, ir.getInt32(31));
    length = ir.CreateAnd(length, ir.getInt32(31));
  }
  f.write(shiftAny(f, lowMask(f, ir.getInt32Ty(), length), position, true, false),
          {PtxTypeKind::Bits, 32, 1});
  return {};
}

Status emitSzext(FunctionEmitter& f) {
  TRY(const PtxType type, f.type());
  auto& ir = f.b();
  Value count = f.readBits(2, 32);
  if (f.at().has("wrap")) count = ir.CreateAnd(count, ir.getInt32(31));
  Value drop = ir.CreateSub(ir.getInt32(32), f.intrinsic(llvm::Intrinsic::umin, count, ir.getInt32(32)));
  Value moved = shiftAny(f, f.read(1, type), drop, true, false);
  f.write(shiftAny(f, moved, drop, false, type.isSigned()), type);
  return {};
}

Status emitDp4a(FunctionEmitter& f) {
  if (f.types().size() < 2) return f.unsupported();
  auto& ir = f.b();
  const PtxType typeA = f.types()[0], typeB = f.types()[1];
  Value a = f.readBits(1, 32), b = f.readBits(2, 32), sum = f.readBits(3, 32);
  const auto byte = [&](Value x, unsigned i, bool isSigned) {
    Value part = ir.CreateTrunc(ir.CreateLShr(x, 8 * i), ir.getInt8Ty());
    return isSigned ? ir.CreateSExt(part, ir.getInt32Ty()) : ir.CreateZExt(part, ir.getInt32Ty());
  };
  for (unsigned i = 0; i < 4; ++i)
    sum = ir.CreateAdd(sum, ir.CreateMul(byte(a, i, typeA.isSigned()), byte(b, i, typeB.isSigned())));
  f.write(sum, {PtxTypeKind::Bits, 32, 1});
  return {};
}

Status emitShift(FunctionEmitter& f) {
  TRY(const PtxType type, f.type());
  f.write(shiftAny(f, f.read(1, type), f.readBits(2, 32), f.at().op == PtxOp::Shl, type.isSigned()), type);
  return {};
}

Status emitShf(FunctionEmitter& f) {
  auto& ir = f.b();
  Value low = f.readBits(1, 32), high = f.readBits(2, 32), count = f.readBits(3, 32);
  count = f.at().has("wrap") ? ir.CreateAnd(count, ir.getInt32(31))
                             : f.intrinsic(llvm::Intrinsic::umin, count, ir.getInt32(32));
  Value both = ir.CreateOr(ir.CreateShl(ir.CreateZExt(high, ir.getInt64Ty()), 32),
                           ir.CreateZExt(low, ir.getInt64Ty()));
  Value by = ir.CreateZExt(count, ir.getInt64Ty());
  Value result = f.at().has("l") ? ir.CreateLShr(ir.CreateShl(both, by), 32) : ir.CreateLShr(both, by);
  f.write(ir.CreateTrunc(result, ir.getInt32Ty()), {PtxTypeKind::Bits, 32, 1});
  return {};
}

Status emitLogic(FunctionEmitter& f) {
  TRY(const PtxType type, f.type());
  Value a = f.read(1, type), b = f.read(2, type);
  Value result = f.at().op == PtxOp::And  ? f.b().CreateAnd(a, b)
                 : f.at().op == PtxOp::Or ? f.b().CreateOr(a, b)
                                          : f.b().CreateXor(a, b);
  f.write(result, type);
  return {};
}

Status emitNot(FunctionEmitter& f) {
  TRY(const PtxType type, f.type());
  Value x = f.read(1, type);
  f.write(
      f.at().op == PtxOp::Not ? f.b().CreateNot(x) : f.b().CreateZExt(f.b().CreateIsNull(x), x->getType()),
      type);
  return {};
}

// Each bit of the table says the result of three bits.
Status emitLop3(FunctionEmitter& f) {
  auto& ir = f.b();
  if (f.operands() != 5 || f.operand(4).kind != PtxOperand::Kind::Integer) return f.unsupported();
  const uint64_t table = f.operand(4).bits;
  Value inputs[3] = {f.readBits(1, 32), f.readBits(2, 32), f.readBits(3, 32)};
  Value result = ir.getInt32(0);
  for (unsigned row = 0; row < 8; ++row) {
    if ((table >> row & 1) == 0) continue;
    Value term = ir.getInt32(~0u);
    for (unsigned i = 0; i < 3; ++i)
      term = ir.CreateAnd(term, (row >> (2 - i) & 1) != 0 ? inputs[i] : ir.CreateNot(inputs[i]));
    result = ir.CreateOr(result, term);
  }
  f.write(result, {PtxTypeKind::Bits, 32, 1});
  return {};
}

// Bytes of two words, each chosen by 4 bits: its number, and whether its sign fills the byte.
Status emitPrmt(FunctionEmitter& f) {
  if (f.at().modifiers.size() > 1) return f.unsupported("its modes");
  auto& ir = f.b();
  Value low = f.readBits(1, 32), high = f.readBits(2, 32), chosen = f.readBits(3, 32);
  Value both = ir.CreateOr(ir.CreateShl(ir.CreateZExt(high, ir.getInt64Ty()), 32),
                           ir.CreateZExt(low, ir.getInt64Ty()));
  Value result = ir.getInt32(0);
  for (unsigned i = 0; i < 4; ++i) {
    Value selector = ir.CreateAnd(ir.CreateLShr(chosen, 4 * i), ir.getInt32(15));
    Value shift = ir.CreateZExt(ir.CreateShl(ir.CreateAnd(selector, ir.getInt32(7)), 3), ir.getInt64Ty());
    Value byte = ir.CreateTrunc(ir.CreateLShr(both, shift), ir.getInt8Ty());
    Value sign = ir.CreateAShr(byte, 7);
    Value isSign = ir.CreateICmpUGE(selector, ir.getInt32(8));
    result = ir.CreateOr(
        result, ir.CreateShl(ir.CreateZExt(ir.CreateSelect(isSign, sign, byte), ir.getInt32Ty()), 8 * i));
  }
  f.write(result, {PtxTypeKind::Bits, 32, 1});
  return {};
}

}  // namespace hilo
