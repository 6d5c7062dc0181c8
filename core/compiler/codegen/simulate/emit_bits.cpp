// Bits of integers: counted, moved, taken out and put in, chosen by tables.
#include "core/compiler/codegen/simulate/translations.h"

namespace hilo {
namespace {

using Value = FunctionEmitter::Value;

}  // namespace

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
