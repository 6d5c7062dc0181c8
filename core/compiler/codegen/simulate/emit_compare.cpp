// Comparison and selection.
#include "core/compiler/codegen/simulate/float_emit.h"
#include "core/compiler/codegen/simulate/translations.h"

namespace hilo {
namespace {

using Value = FunctionEmitter::Value;
using P = llvm::CmpInst;

struct Comparison {
  std::string_view word;
  P::Predicate ofSigned, ofUnsigned, ofFloat;
};
constexpr P::Predicate kNone = P::BAD_ICMP_PREDICATE;
constexpr Comparison kComparisons[] = {
    {"eq", P::ICMP_EQ, P::ICMP_EQ, P::FCMP_OEQ},
    {"ne", P::ICMP_NE, P::ICMP_NE, P::FCMP_ONE},
    {"lt", P::ICMP_SLT, P::ICMP_ULT, P::FCMP_OLT},
    {"le", P::ICMP_SLE, P::ICMP_ULE, P::FCMP_OLE},
    {"gt", P::ICMP_SGT, P::ICMP_UGT, P::FCMP_OGT},
    {"ge", P::ICMP_SGE, P::ICMP_UGE, P::FCMP_OGE},
    {"lo", P::ICMP_ULT, P::ICMP_ULT, P::FCMP_OLT},
    {"ls", P::ICMP_ULE, P::ICMP_ULE, P::FCMP_OLE},
    {"hi", P::ICMP_UGT, P::ICMP_UGT, P::FCMP_OGT},
    {"hs", P::ICMP_UGE, P::ICMP_UGE, P::FCMP_OGE},
    {"equ", kNone, kNone, P::FCMP_UEQ},
    {"neu", kNone, kNone, P::FCMP_UNE},
    {"ltu", kNone, kNone, P::FCMP_ULT},
    {"leu", kNone, kNone, P::FCMP_ULE},
    {"gtu", kNone, kNone, P::FCMP_UGT},
    {"geu", kNone, kNone, P::FCMP_UGE},
    {"num", kNone, kNone, P::FCMP_ORD},
    {"nan", kNone, kNone, P::FCMP_UNO},
};

const Comparison* comparisonOf(const PtxInstruction& instruction) {
  for (const std::string& modifier : instruction.modifiers) {
    for (const Comparison& known : kComparisons) {
      if (known.word == modifier) return &known;
    }
  }
  return nullptr;
}

// Of each lane.
Result<std::vector<Value>> compare(FunctionEmitter& f, const PtxType& type) {
  const Comparison* comparison = comparisonOf(f.at());
  if (comparison == nullptr) return f.unsupported();
  if (!type.isFloat()) {
    const auto predicate = type.isSigned() ? comparison->ofSigned : comparison->ofUnsigned;
    if (predicate == kNone) return f.unsupported();
    return std::vector<Value>{f.b().CreateICmp(predicate, f.read(1, type), f.read(2, type))};
  }
  std::vector<Value> a = lanesOf(f, f.read(1, type), type), b = lanesOf(f, f.read(2, type), type);
  for (size_t i = 0; i < a.size(); ++i) {
    const bool flushes = f.at().has("ftz");
    a[i] = f.b().CreateFCmp(comparison->ofFloat, flushes ? flush(f, a[i]) : a[i],
                            flushes ? flush(f, b[i]) : b[i]);
  }
  return a;
}

Value combine(FunctionEmitter& f, Value compared, Value other) {
  if (f.at().has("and")) return f.b().CreateAnd(compared, other);
  if (f.at().has("or")) return f.b().CreateOr(compared, other);
  return f.b().CreateXor(compared, other);
}

constexpr PtxType kPredicate{PtxTypeKind::Predicate, 1, 1};

}  // namespace

// p|q = (a < b) and c: q is that of the opposite. Of two lanes p is the first's and q the second's.
Status emitSetp(FunctionEmitter& f) {
  TRY(const PtxType type, f.type(f.types().size() - 1));
  TRY(std::vector<Value> compared, compare(f, type));
  const bool isPair = f.operand(0).kind == PtxOperand::Kind::Pair;
  Value first = compared[0], second = compared.size() > 1 ? compared[1] : f.b().CreateNot(compared[0]);
  if (f.operands() == 4) {
    Value other = f.predicate(f.operand(3));
    first = combine(f, first, other);
    second = combine(f, second, other);
  }
  if (isPair) f.write(f.operand(0).parts[1], second, kPredicate);
  f.write(isPair ? f.operand(0).parts[0] : f.operand(0), first, kPredicate);
  return {};
}

// All ones or zeros of an integer, 1.0 or 0.0 of a float.
Status emitSet(FunctionEmitter& f) {
  if (f.types().size() != 2) return f.unsupported();
  const PtxType result = f.types()[0], type = f.types()[1];
  TRY(std::vector<Value> compared, compare(f, type));
  auto& ir = f.b();
  for (Value& value : compared) {
    if (f.operands() == 4) value = combine(f, value, f.predicate(f.operand(3)));
    if (result.isFloat()) {
      llvm::Type* lane = result.bits == 64 ? ir.getDoubleTy() : ir.getFloatTy();
      value = ir.CreateUIToFP(value, lane);
    }
  }
  if (result.isFloat()) {
    f.write(joinLanes(f, compared, result), result);
  } else if (compared.size() == 1) {
    f.write(ir.CreateSExt(compared[0], ir.getIntNTy(result.totalBits())), result);
  } else {
    Value low = ir.CreateZExt(ir.CreateSExt(compared[0], ir.getInt16Ty()), ir.getInt32Ty());
    Value high =
        ir.CreateShl(ir.CreateZExt(ir.CreateSExt(compared[1], ir.getInt16Ty()), ir.getInt32Ty()), 16);
    f.write(ir.CreateOr(low, high), result);
  }
  return {};
}

Status emitSelp(FunctionEmitter& f) {
  TRY(const PtxType type, f.type());
  f.write(f.b().CreateSelect(f.predicate(f.operand(3)), f.read(1, type), f.read(2, type)), type);
  return {};
}

// The first where the third is not negative.
Status emitSlct(FunctionEmitter& f) {
  if (f.types().size() != 2) return f.unsupported();
  const PtxType type = f.types()[0], condition = f.types()[1];
  Value value = f.read(3, condition);
  Value chosen = condition.isFloat()
                     ? f.b().CreateFCmpOGE(value, llvm::ConstantFP::get(value->getType(), 0.0))
                     : f.b().CreateICmpSGE(value, llvm::Constant::getNullValue(value->getType()));
  f.write(f.b().CreateSelect(chosen, f.read(1, type), f.read(2, type)), type);
  return {};
}

}  // namespace hilo
