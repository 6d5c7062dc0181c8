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

}  // namespace hilo
