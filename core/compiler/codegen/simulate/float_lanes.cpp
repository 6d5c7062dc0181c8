#include "core/compiler/codegen/simulate/float_emit.h"

namespace hilo {

using Value = OperandEmitter::Value;

Value widen(OperandEmitter& f, Value bits, const PtxType& lane) {
  if (lane.bits != 16) return f.b().CreateBitCast(bits, f.valueType({lane.kind, lane.bits, 1}));
  if (lane.kind == PtxTypeKind::Brain)
    return f.b().CreateBitCast(f.b().CreateShl(f.b().CreateZExt(bits, f.b().getInt32Ty()), 16),
                               f.b().getFloatTy());
  return f.b().CreateFPExt(f.b().CreateBitCast(bits, f.b().getHalfTy()), f.b().getFloatTy());
}

// f64 as f32 rounded to odd: what is rounded to a narrower float after that is rounded once.
Value roundToOdd(OperandEmitter& f, Value wide) {
  Value value = f.b().CreateFPTrunc(wide, f.b().getFloatTy());
  Value back = f.b().CreateFPExt(value, f.b().getDoubleTy());
  Value isInexact = f.b().CreateFCmpONE(back, wide);
  Value isLarger = f.b().CreateFCmpOGT(f.b().CreateUnaryIntrinsic(llvm::Intrinsic::fabs, back),
                                       f.b().CreateUnaryIntrinsic(llvm::Intrinsic::fabs, wide));
  Value bits = f.b().CreateBitCast(value, f.b().getInt32Ty());
  Value towardsZero = f.b().CreateSub(bits, f.b().CreateZExt(isLarger, f.b().getInt32Ty()));
  Value odd = f.b().CreateOr(towardsZero, f.b().CreateZExt(isInexact, f.b().getInt32Ty()));
  return f.b().CreateBitCast(odd, f.b().getFloatTy());
}

Value narrow(OperandEmitter& f, Value value, const PtxType& lane) {
  if (lane.bits != 16) return f.bitsOf(value);
  if (value->getType()->isDoubleTy()) value = roundToOdd(f, value);
  if (lane.kind != PtxTypeKind::Brain)
    return f.b().CreateBitCast(f.b().CreateFPTrunc(value, f.b().getHalfTy()), f.b().getInt16Ty());
  Value bits = f.b().CreateBitCast(value, f.b().getInt32Ty());
  Value odd = f.b().CreateAnd(f.b().CreateLShr(bits, 16), f.b().getInt32(1));
  Value rounded = f.b().CreateLShr(f.b().CreateAdd(f.b().CreateAdd(bits, f.b().getInt32(0x7fff)), odd), 16);
  Value kept = f.b().CreateSelect(f.b().CreateFCmpUNO(value, value), f.b().getInt32(0x7fff), rounded);
  return f.b().CreateTrunc(kept, f.b().getInt16Ty());
}

std::vector<Value> lanesOf(OperandEmitter& f, Value value, const PtxType& type) {
  if (type.lanes == 1) return {widen(f, value, type)};
  std::vector<Value> parts;
  for (unsigned i = 0; i < type.lanes; ++i)
    parts.push_back(widen(
        f, f.b().CreateTrunc(f.b().CreateLShr(f.bitsOf(value), type.bits * i), f.b().getIntNTy(type.bits)),
        type));
  return parts;
}

Value joinLanes(OperandEmitter& f, const std::vector<Value>& parts, const PtxType& type) {
  if (type.lanes == 1) return narrow(f, parts[0], type);
  llvm::Type* whole = f.b().getIntNTy(type.totalBits());
  Value value = llvm::Constant::getNullValue(whole);
  for (unsigned i = 0; i < type.lanes; ++i)
    value = f.b().CreateOr(
        value, f.b().CreateShl(f.b().CreateZExt(narrow(f, parts[i], type), whole), type.bits * i));
  return value;
}

Value flush(OperandEmitter& f, Value value) {
  if (!value->getType()->isFloatTy()) return value;
  Value bits = f.b().CreateBitCast(value, f.b().getInt32Ty());
  Value isSmall = f.b().CreateIsNull(f.b().CreateAnd(bits, f.b().getInt32(0x7f800000)));
  return f.b().CreateBitCast(
      f.b().CreateSelect(isSmall, f.b().CreateAnd(bits, f.b().getInt32(0x80000000)), bits),
      f.b().getFloatTy());
}

}  // namespace hilo
