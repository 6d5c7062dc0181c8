// Floats. f16 and bf16 are computed in f32 and rounded; roundings other than to nearest are called.
#include "core/compiler/codegen/simulate/float_emit.h"
#include "core/compiler/codegen/simulate/translations.h"
#include "core/runtime/device/simulated/sim_floats.h"

namespace hilo {

using Value = OperandEmitter::Value;

namespace {

struct RoundingWord {
  std::string_view word;
  FloatRounding rounding;
};
constexpr RoundingWord kRoundings[] = {
    {"rz", FloatRounding::Zero}, {"rm", FloatRounding::Down}, {"rp", FloatRounding::Up}};

FloatRounding roundingOf(const PtxInstruction& instruction) {
  for (const RoundingWord& known : kRoundings) {
    if (instruction.has(known.word)) return known.rounding;
  }
  return FloatRounding::Nearest;
}

// By the host with another rounding.
Value roundedOtherwise(FunctionEmitter& f, FloatOp op, FloatRounding rounding, std::vector<Value> values) {
  auto& ir = f.b();
  const bool isDouble = values[0]->getType()->isDoubleTy();
  const uint32_t operation =
      static_cast<uint32_t>(op) | static_cast<uint32_t>(rounding) << 8 | (isDouble ? 1u << 16 : 0);
  llvm::SmallVector<Value, 4> arguments{ir.getInt32(operation)};
  llvm::Type* type = values[0]->getType();
  for (Value value : values) arguments.push_back(ir.CreateZExt(f.bitsOf(value), ir.getInt64Ty()));
  while (arguments.size() < 4) arguments.push_back(ir.getInt64(0));
  Value bits = f.callPlain("arith", ir.getInt64Ty(), arguments);
  return ir.CreateBitCast(ir.CreateTrunc(bits, ir.getIntNTy(isDouble ? 64 : 32)), type);
}

// What .ftz, .sat and .relu make of a result.
Value finish(FunctionEmitter& f, Value value) {
  auto& ir = f.b();
  if (f.at().has("ftz")) value = flush(f, value);
  Value zero = llvm::ConstantFP::get(value->getType(), 0.0);
  if (f.at().has("relu")) {
    Value isNan = ir.CreateFCmpUNO(value, value);
    value = ir.CreateSelect(ir.CreateOr(isNan, ir.CreateFCmpOGT(value, zero)), value, zero);
  }
  if (f.at().has("sat")) {
    Value one = llvm::ConstantFP::get(value->getType(), 1.0);
    value = ir.CreateSelect(ir.CreateFCmpOGT(value, zero),
                            ir.CreateSelect(ir.CreateFCmpOLT(value, one), value, one), zero);
  }
  return value;
}

std::vector<Value> readLanes(FunctionEmitter& f, size_t i, const PtxType& type) {
  std::vector<Value> values = lanesOf(f, f.read(i, type), type);
  if (f.at().has("ftz")) {
    for (Value& value : values) value = flush(f, value);
  }
  return values;
}

// Of a number and a NaN the number, or with .NaN the NaN; -0 is less than +0.
Value minMax(FunctionEmitter& f, Value a, Value b, bool isMin) {
  auto& ir = f.b();
  if (f.at().has("xorsign") || f.at().has("abs")) {
    a = f.intrinsic(llvm::Intrinsic::fabs, a);
    b = f.intrinsic(llvm::Intrinsic::fabs, b);
  }
  if (f.at().has("NaN"))
    return f.intrinsic(isMin ? llvm::Intrinsic::minimum : llvm::Intrinsic::maximum, a, b);
  Value exact = f.intrinsic(isMin ? llvm::Intrinsic::minimum : llvm::Intrinsic::maximum, a, b);
  Value withoutA = ir.CreateSelect(ir.CreateFCmpUNO(a, a), b, exact);
  return ir.CreateSelect(ir.CreateFCmpUNO(b, b), a, withoutA);
}

Value binary(FunctionEmitter& f, FloatBinary op, Value a, Value b, FloatRounding rounding) {
  auto& ir = f.b();
  const bool isOther = rounding != FloatRounding::Nearest;
  switch (op) {
    case FloatBinary::Add:
      return isOther ? roundedOtherwise(f, FloatOp::Add, rounding, {a, b}) : ir.CreateFAdd(a, b);
    case FloatBinary::Sub:
      return isOther ? roundedOtherwise(f, FloatOp::Add, rounding, {a, ir.CreateFNeg(b)})
                     : ir.CreateFSub(a, b);
    case FloatBinary::Mul:
      return isOther ? roundedOtherwise(f, FloatOp::Mul, rounding, {a, b}) : ir.CreateFMul(a, b);
    case FloatBinary::Div:
      return isOther ? roundedOtherwise(f, FloatOp::Div, rounding, {a, b}) : ir.CreateFDiv(a, b);
    case FloatBinary::Min:
      return minMax(f, a, b, true);
    case FloatBinary::Max:
      return minMax(f, a, b, false);
  }
  return a;
}

template <typename F>
Status unary(FunctionEmitter& f, F&& compute) {
  TRY(const PtxType type, f.type());
  if (!type.isFloat()) return f.unsupported();
  std::vector<Value> values = readLanes(f, 1, type);
  for (Value& value : values) value = finish(f, compute(value));
  f.write(joinLanes(f, values, type), type);
  return {};
}

}  // namespace

Status emitFloatBinary(FunctionEmitter& f, FloatBinary op) {
  TRY(const PtxType type, f.type());
  if (f.types().size() > 1) return f.unsupported("types of two widths");
  std::vector<Value> a = readLanes(f, 1, type), b = readLanes(f, 2, type);
  const bool isThree = f.operands() == 4;
  if (isThree && op != FloatBinary::Min && op != FloatBinary::Max) return f.unsupported();
  for (size_t i = 0; i < a.size(); ++i) a[i] = binary(f, op, a[i], b[i], roundingOf(f.at()));
  if (isThree) {
    std::vector<Value> c = readLanes(f, 3, type);
    for (size_t i = 0; i < a.size(); ++i) a[i] = binary(f, op, a[i], c[i], FloatRounding::Nearest);
  }
  for (Value& value : a) value = finish(f, value);
  f.write(joinLanes(f, a, type), type);
  return {};
}

Status emitFloatSign(FunctionEmitter& f, bool isAbs) {
  TRY(const PtxType type, f.type());
  auto& ir = f.b();
  Value bits = f.bitsOf(f.read(1, type));
  const unsigned width = type.totalBits();
  llvm::APInt signs(width, 0);
  for (unsigned lane = 1; lane <= type.lanes; ++lane) signs.setBit(lane * type.bits - 1);
  Value mask = llvm::ConstantInt::get(f.b().getContext(), signs);
  Value result = isAbs ? ir.CreateAnd(bits, ir.CreateNot(mask)) : ir.CreateXor(bits, mask);
  if (f.at().has("ftz") && type.bits == 32)
    result = f.bitsOf(flush(f, ir.CreateBitCast(result, ir.getFloatTy())));
  f.write(result, type);
  return {};
}

Status emitFma(FunctionEmitter& f) {
  TRY(const PtxType type, f.type());
  if (f.types().size() > 1) return f.unsupported("types of two widths");
  auto& ir = f.b();
  std::vector<Value> a = readLanes(f, 1, type), b = readLanes(f, 2, type), c = readLanes(f, 3, type);
  for (size_t i = 0; i < a.size(); ++i) {
    if (const FloatRounding rounding = roundingOf(f.at()); rounding != FloatRounding::Nearest) {
      a[i] = roundedOtherwise(f, FloatOp::Fma, rounding, {a[i], b[i], c[i]});
    } else if (type.bits == 16) {
      // The product is exact in f64, the sum nearly: one rounding.
      llvm::Type* wide = ir.getDoubleTy();
      Value product = ir.CreateFMul(ir.CreateFPExt(a[i], wide), ir.CreateFPExt(b[i], wide));
      a[i] = ir.CreateFAdd(product, ir.CreateFPExt(c[i], wide));
    } else {
      a[i] = ir.CreateIntrinsic(llvm::Intrinsic::fma, {a[i]->getType()}, {a[i], b[i], c[i]});
    }
    a[i] = finish(f, a[i]);
  }
  f.write(joinLanes(f, a, type), type);
  return {};
}

Status emitRcp(FunctionEmitter& f) {
  const FloatRounding rounding = roundingOf(f.at());
  return unary(f, [&](Value x) {
    if (rounding != FloatRounding::Nearest) return roundedOtherwise(f, FloatOp::Rcp, rounding, {x});
    return f.b().CreateFDiv(llvm::ConstantFP::get(x->getType(), 1.0), x);
  });
}

Status emitSqrt(FunctionEmitter& f) {
  const FloatRounding rounding = roundingOf(f.at());
  return unary(f, [&](Value x) {
    if (rounding != FloatRounding::Nearest) return roundedOtherwise(f, FloatOp::Sqrt, rounding, {x});
    return f.intrinsic(llvm::Intrinsic::sqrt, x);
  });
}

Status emitRsqrt(FunctionEmitter& f) {
  return unary(f, [&](Value x) {
    return f.b().CreateFDiv(llvm::ConstantFP::get(x->getType(), 1.0), f.intrinsic(llvm::Intrinsic::sqrt, x));
  });
}

// Approximations of a device, here nearly exact.
Status emitFunction(FunctionEmitter& f) {
  const PtxOp op = f.at().op;
  return unary(f, [&](Value x) {
    const auto id = op == PtxOp::Sin   ? llvm::Intrinsic::sin
                    : op == PtxOp::Cos ? llvm::Intrinsic::cos
                    : op == PtxOp::Lg2 ? llvm::Intrinsic::log2
                    : op == PtxOp::Ex2 ? llvm::Intrinsic::exp2
                                       : llvm::Intrinsic::tanh;
    return f.intrinsic(id, x);
  });
}

// The magnitude of the second operand with the sign of the first.
Status emitCopysign(FunctionEmitter& f) {
  TRY(const PtxType type, f.type());
  f.write(f.intrinsic(llvm::Intrinsic::copysign, f.read(2, type), f.read(1, type)), type);
  return {};
}

Status emitTestp(FunctionEmitter& f) {
  TRY(const PtxType type, f.type());
  struct Test {
    std::string_view word;
    unsigned classes;
  };
  static constexpr Test kTests[] = {{"finite", llvm::fcFinite},
                                    {"infinite", llvm::fcInf},
                                    {"number", ~unsigned(llvm::fcNan) & llvm::fcAllFlags},
                                    {"notanumber", llvm::fcNan},
                                    {"normal", llvm::fcNormal},
                                    {"subnormal", llvm::fcSubnormal}};
  for (const Test& test : kTests) {
    if (!f.at().has(test.word)) continue;
    Value x = f.read(1, type);
    f.write(f.b().createIsFPClass(x, test.classes), {PtxTypeKind::Predicate, 1, 1});
    return {};
  }
  return f.unsupported();
}

}  // namespace hilo
