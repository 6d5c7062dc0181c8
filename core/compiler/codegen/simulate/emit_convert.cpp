// mov and cvt.
#include "core/compiler/codegen/simulate/float_emit.h"
#include "core/compiler/codegen/simulate/translations.h"
#include "core/runtime/device/simulated/sim_floats.h"

namespace hilo {
namespace {

using Value = FunctionEmitter::Value;

struct NarrowWord {
  std::string_view word;  // without x2
  NarrowFormat format;
  unsigned bits;
};
constexpr NarrowWord kNarrow[] = {
    {"e4m3", NarrowFormat::E4M3, 8},  {"e5m2", NarrowFormat::E5M2, 8}, {"e2m1", NarrowFormat::E2M1, 4},
    {"e2m3", NarrowFormat::E2M3, 8},  {"e3m2", NarrowFormat::E3M2, 8}, {"ue8m0", NarrowFormat::UE8M0, 8},
    {"bf16", NarrowFormat::BF16, 16}, {"f16", NarrowFormat::F16, 16},  {"tf32", NarrowFormat::TF32, 32}};

const NarrowWord* narrowOf(std::string_view word, bool& isPair) {
  isPair = word.ends_with("x2");
  if (isPair) word.remove_suffix(2);
  for (const NarrowWord& known : kNarrow) {
    if (known.word == word) return &known;
  }
  return nullptr;
}

uint32_t flagsOf(FunctionEmitter& f) {
  const PtxInstruction& at = f.at();
  return (at.has("relu") ? kNarrowRelu : 0) | (at.has("satfinite") || at.has("sat") ? kNarrowSatfinite : 0) |
         (at.has("rz") ? kNarrowZero : 0) | (at.has("rp") ? kNarrowUp : 0) |
         (at.has("rna") ? kNarrowAway : 0);
}

Value toNarrow(FunctionEmitter& f, const NarrowWord& to, Value x) {
  auto& ir = f.b();
  const uint32_t operation = static_cast<uint32_t>(to.format) | flagsOf(f);
  // What most kernels convert to, without a call.
  if (operation == static_cast<uint32_t>(NarrowFormat::BF16))
    return ir.CreateZExt(narrow(f, x, {PtxTypeKind::Brain, 16, 1}), ir.getInt32Ty());
  if (operation == static_cast<uint32_t>(NarrowFormat::F16))
    return ir.CreateZExt(narrow(f, x, {PtxTypeKind::Float, 16, 1}), ir.getInt32Ty());
  return f.callPlain("narrow", ir.getInt32Ty(), {ir.getInt32(operation), f.bitsOf(x)});
}

Value fromNarrow(FunctionEmitter& f, const NarrowWord& from, Value bits) {
  auto& ir = f.b();
  if (from.format == NarrowFormat::BF16 || from.format == NarrowFormat::F16) {
    const auto kind = from.format == NarrowFormat::BF16 ? PtxTypeKind::Brain : PtxTypeKind::Float;
    return widen(f, ir.CreateTrunc(bits, ir.getInt16Ty()), {kind, 16, 1});
  }
  Value wide = ir.CreateZExtOrTrunc(bits, ir.getInt32Ty());
  return ir.CreateBitCast(
      f.callPlain("widen", ir.getInt32Ty(), {ir.getInt32(static_cast<uint32_t>(from.format)), wide}),
      ir.getFloatTy());
}

// d = {a, b}, b in the low half; of one source two of its lanes.
Status convertPair(FunctionEmitter& f, const NarrowWord& to, const std::string& source) {
  auto& ir = f.b();
  Value parts[2] = {};
  bool isPair = false;
  const NarrowWord* from = narrowOf(source, isPair);
  if (f.operands() == 3 && source == "f32") {
    parts[1] = f.read(1, {PtxTypeKind::Float, 32, 1});
    parts[0] = f.read(2, {PtxTypeKind::Float, 32, 1});
  } else if (from != nullptr && isPair && f.operands() == 2) {
    Value both = ir.CreateZExt(f.readBits(1, from->bits * 2), ir.getInt32Ty());
    for (unsigned i = 0; i < 2; ++i)
      parts[i] = fromNarrow(
          f, *from, ir.CreateAnd(ir.CreateLShr(both, i * from->bits), ir.getInt32((1u << from->bits) - 1)));
  } else {
    return f.unsupported();
  }
  Value low = toNarrow(f, to, parts[0]), high = toNarrow(f, to, parts[1]);
  Value both = ir.CreateOr(low, ir.CreateShl(high, to.bits));
  f.writeBits(f.operand(0), ir.CreateTrunc(both, ir.getIntNTy(to.bits * 2)));
  return {};
}

FloatRounding toIntegerMode(const PtxInstruction& at) {
  if (at.has("rzi")) return FloatRounding::Zero;
  if (at.has("rmi")) return FloatRounding::Down;
  if (at.has("rpi")) return FloatRounding::Up;
  return FloatRounding::Nearest;
}

// To an integral value, as .rni, .rzi, .rmi and .rpi say.
Value roundToIntegral(FunctionEmitter& f, Value x) {
  switch (toIntegerMode(f.at())) {
    case FloatRounding::Zero:
      return f.intrinsic(llvm::Intrinsic::trunc, x);
    case FloatRounding::Down:
      return f.intrinsic(llvm::Intrinsic::floor, x);
    case FloatRounding::Up:
      return f.intrinsic(llvm::Intrinsic::ceil, x);
    case FloatRounding::Nearest:
      break;
  }
  return f.intrinsic(llvm::Intrinsic::roundeven, x);
}

bool roundsToIntegral(const PtxInstruction& at) {
  return at.has("rni") || at.has("rzi") || at.has("rmi") || at.has("rpi");
}

// What is too large gives the nearest integer; a NaN 0, of f64 the one with only its highest bit.
Value floatToInteger(FunctionEmitter& f, Value x, const PtxType& to, const PtxType& from) {
  auto& ir = f.b();
  llvm::Type* type = ir.getIntNTy(to.totalBits());
  Value rounded = roundToIntegral(f, x);
  const auto id = to.isSigned() ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat;
  Value result = ir.CreateIntrinsic(id, {type, x->getType()}, {rounded});
  if (from.bits != 64 && to.bits != 64) return result;
  llvm::APInt highest = llvm::APInt::getOneBitSet(to.totalBits(), to.totalBits() - 1);
  return ir.CreateSelect(ir.CreateFCmpUNO(x, x), llvm::ConstantInt::get(ir.getContext(), highest), result);
}

Value integerToFloat(FunctionEmitter& f, Value x, const PtxType& to, const PtxType& from) {
  auto& ir = f.b();
  const bool isOther = f.at().has("rz") || f.at().has("rm") || f.at().has("rp");
  llvm::Type* type = to.bits == 64 ? ir.getDoubleTy() : ir.getFloatTy();
  if (!isOther) {
    // Of f16 and bf16 the integer is exact in f64, unless it is beyond both.
    if (to.bits == 16) type = ir.getDoubleTy();
    return from.isSigned() ? ir.CreateSIToFP(x, type) : ir.CreateUIToFP(x, type);
  }
  const uint32_t mode = f.at().has("rz") ? 1 : f.at().has("rm") ? 2 : 3;
  Value wide = from.isSigned() ? ir.CreateSExt(x, ir.getInt64Ty()) : ir.CreateZExt(x, ir.getInt64Ty());
  const auto op = from.isSigned() ? FloatOp::FromSigned : FloatOp::FromUnsigned;
  Value bits =
      f.callPlain("arith", ir.getInt64Ty(),
                  {ir.getInt32(static_cast<uint32_t>(op) | mode << 8 | (to.bits == 64 ? 1u << 16 : 0)), wide,
                   ir.getInt64(0), ir.getInt64(0)});
  return ir.CreateBitCast(ir.CreateTrunc(bits, ir.getIntNTy(to.bits)), type);
}

Value saturateInteger(FunctionEmitter& f, Value x, const PtxType& to, const PtxType& from) {
  auto& ir = f.b();
  const unsigned width = std::max(to.totalBits(), from.totalBits()) + 1;
  llvm::Type* wide = ir.getIntNTy(width);
  x = from.isSigned() ? ir.CreateSExt(x, wide) : ir.CreateZExt(x, wide);
  const unsigned bits = to.totalBits();
  const llvm::APInt least =
      to.isSigned() ? llvm::APInt::getSignedMinValue(bits).sext(width) : llvm::APInt(width, 0);
  const llvm::APInt most = to.isSigned() ? llvm::APInt::getSignedMaxValue(bits).sext(width)
                                         : llvm::APInt::getMaxValue(bits).zext(width);
  x = f.intrinsic(llvm::Intrinsic::smax, x, llvm::ConstantInt::get(ir.getContext(), least));
  x = f.intrinsic(llvm::Intrinsic::smin, x, llvm::ConstantInt::get(ir.getContext(), most));
  return ir.CreateTrunc(x, ir.getIntNTy(bits));
}

Value floatToFloat(FunctionEmitter& f, Value x, const PtxType& to, const PtxType& from) {
  auto& ir = f.b();
  if (f.at().has("ftz")) x = flush(f, x);
  if (roundsToIntegral(f.at())) x = roundToIntegral(f, x);
  const bool isOther = f.at().has("rz") || f.at().has("rm") || f.at().has("rp");
  if (to.bits == 64 && from.bits != 64) x = ir.CreateFPExt(x, ir.getDoubleTy());
  if (to.bits == 32 && from.bits == 64) {
    if (isOther) {
      const uint32_t mode = f.at().has("rz") ? 1 : f.at().has("rm") ? 2 : 3;
      Value bits = f.callPlain("arith", ir.getInt64Ty(),
                               {ir.getInt32(static_cast<uint32_t>(FloatOp::ToF32) | mode << 8), f.bitsOf(x),
                                ir.getInt64(0), ir.getInt64(0)});
      x = ir.CreateBitCast(ir.CreateTrunc(bits, ir.getInt32Ty()), ir.getFloatTy());
    } else {
      x = ir.CreateFPTrunc(x, ir.getFloatTy());
    }
  }
  if (f.at().has("sat")) {
    Value zero = llvm::ConstantFP::get(x->getType(), 0.0), one = llvm::ConstantFP::get(x->getType(), 1.0);
    x = ir.CreateSelect(ir.CreateFCmpOGT(x, zero), ir.CreateSelect(ir.CreateFCmpOLT(x, one), x, one), zero);
  }
  return f.at().has("ftz") ? flush(f, x) : x;
}

constexpr PtxType kFloat{PtxTypeKind::Float, 32, 1};

}  // namespace

Status emitCvt(FunctionEmitter& f) {
  const auto& words = f.at().modifiers;
  if (words.size() < 2) return f.unsupported();
  const std::string& target = words[words.size() - 2];
  const std::string& source = words.back();
  bool toPair = false, fromPair = false;
  const NarrowWord* toWord = narrowOf(target, toPair);
  const NarrowWord* fromWord = narrowOf(source, fromPair);
  if (toWord != nullptr && toPair) return convertPair(f, *toWord, source);
  if (toWord != nullptr && source == "f32") {
    Value bits = toNarrow(f, *toWord, floatToFloat(f, f.read(1, kFloat), kFloat, kFloat));
    f.writeBits(f.operand(0), f.b().CreateTrunc(bits, f.b().getIntNTy(toWord->bits)));
    return {};
  }
  PtxType to, from;
  if (!readPtxType(target, to) || !readPtxType(source, from) || fromPair || to.lanes != 1)
    return f.unsupported();
  (void)fromWord;
  Value x = f.read(1, from);
  if (from.isFloat()) x = widen(f, f.bitsOf(x), from);
  if (from.isFloat() && to.isFloat()) {
    Value result = floatToFloat(f, x, to, from);
    f.write(narrow(f, result, to), to);
  } else if (from.isFloat()) {
    if (f.at().has("ftz")) x = flush(f, x);
    f.write(floatToInteger(f, x, to, from), to);
  } else if (to.isFloat()) {
    f.write(narrow(f, integerToFloat(f, x, to, from), to), to);
  } else if (f.at().has("sat")) {
    f.write(saturateInteger(f, x, to, from), to);
  } else {
    auto& ir = f.b();
    llvm::Type* type = ir.getIntNTy(to.totalBits());
    f.write(from.isSigned() ? ir.CreateSExtOrTrunc(x, type) : ir.CreateZExtOrTrunc(x, type), to);
  }
  return {};
}

// Vectors pack and unpack.
Status emitMov(FunctionEmitter& f) {
  TRY(const PtxType type, f.type());
  f.write(f.read(1, type), type);
  return {};
}

}  // namespace hilo
