// Operations on each element by itself: those of arith and math, on arrays in registers and on scalars.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>

#include "core/compiler/codegen/warpgroup/kernel_lowering.h"
#include "core/hlo/ir/element_type.h"

namespace hilo::warpgroup {

using llvm::Value;

namespace {

// How an operation takes integers, which have no sign of their own.
enum class Sign : uint8_t { Signed, Unsigned };

struct Elementwise {
  std::string_view name;
  Opcode opcode;
  Sign sign = Sign::Signed;
};
constexpr Elementwise kOperations[] = {{"arith.addf", Opcode::Add},
                                       {"arith.addi", Opcode::Add},
                                       {"arith.andi", Opcode::And},
                                       {"arith.divf", Opcode::Divide},
                                       {"arith.divsi", Opcode::Divide},
                                       {"arith.divui", Opcode::Divide, Sign::Unsigned},
                                       {"arith.maximumf", Opcode::Maximum},
                                       {"arith.maxsi", Opcode::Maximum},
                                       {"arith.maxui", Opcode::Maximum, Sign::Unsigned},
                                       {"arith.minimumf", Opcode::Minimum},
                                       {"arith.minsi", Opcode::Minimum},
                                       {"arith.minui", Opcode::Minimum, Sign::Unsigned},
                                       {"arith.mulf", Opcode::Multiply},
                                       {"arith.muli", Opcode::Multiply},
                                       {"arith.negf", Opcode::Negate},
                                       {"arith.ori", Opcode::Or},
                                       {"arith.remf", Opcode::Remainder},
                                       {"arith.remsi", Opcode::Remainder},
                                       {"arith.remui", Opcode::Remainder, Sign::Unsigned},
                                       {"arith.shli", Opcode::ShiftLeft},
                                       {"arith.shrsi", Opcode::ShiftRightArithmetic},
                                       {"arith.shrui", Opcode::ShiftRightLogical, Sign::Unsigned},
                                       {"arith.subf", Opcode::Subtract},
                                       {"arith.subi", Opcode::Subtract},
                                       {"arith.xori", Opcode::Xor},
                                       {"math.absf", Opcode::Abs},
                                       {"math.absi", Opcode::Abs},
                                       {"math.atan2", Opcode::Atan2},
                                       {"math.cos", Opcode::Cosine},
                                       {"math.ctlz", Opcode::CountLeadingZeros},
                                       {"math.erf", Opcode::Erf},
                                       {"math.exp", Opcode::Exponential},
                                       {"math.log", Opcode::Log},
                                       {"math.round", Opcode::RoundNearestAfz},
                                       {"math.roundeven", Opcode::RoundNearestEven},
                                       {"math.rsqrt", Opcode::Rsqrt},
                                       {"math.sin", Opcode::Sine},
                                       {"math.sqrt", Opcode::Sqrt},
                                       {"math.tanh", Opcode::Tanh}};

ElementType typeFor(Sign sign, ElementType type) {
  return sign == Sign::Unsigned ? asUnsigned(type) : asSigned(type);
}

Result<Elementwise> operationOf(const KernelOp& op, ElementType type) {
  const Elementwise operation = *std::ranges::find(kOperations, op.opcode, &Elementwise::name);
  if (canEmitElementwise(operation.opcode, typeFor(operation.sign, type))) return operation;
  return refuse(op, fmt::format("not of elements of type {}", elementTypeName(type)));
}

// All operands, laid out as the result is.
Result<std::vector<RegisterArray>> operandsOf(KernelLowering& lowering, OpId op, size_t count) {
  TRY_STATUS(needs(lowering.op(op), count, 1));
  std::vector<RegisterArray> operands;
  for (size_t i = 0; i < count; ++i) {
    TRY(RegisterArray array, lowering.array(op, i));
    operands.push_back(std::move(array));
  }
  return operands;
}

using OfElements = std::function<Scalar(std::span<const Scalar>)>;

// The result's element from those of the operands in the same place; a splat's is everywhere.
Status giveEach(KernelLowering& lowering, OpId op, std::span<const RegisterArray> operands, ElementType type,
                const OfElements& of) {
  TRY(RegisterMap map, lowering.resultMap(op));
  RegisterArray result{type, std::move(map), {}};
  for (size_t i = 0; i < elementsOf(result.map); ++i) {
    std::vector<Scalar> elements;
    for (const RegisterArray& operand : operands) {
      if (operand.map.layout() != result.map.layout() && !operand.isSplat())
        return refuse(lowering.op(op), "operands that are laid out in different ways");
      elements.push_back(operand.elements[operand.isSplat() ? 0 : i]);
    }
    result.elements.push_back(of(elements));
  }
  lowering.give(lowering.op(op).results[0], std::move(result));
  return {};
}

std::optional<double> numberIn(const std::string& word) {
  double number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc() && end == word.data() + word.size() ? std::optional(number) : std::nullopt;
}

Result<Scalar> constantFor(KernelLowering& lowering, const KernelOp& op, ElementType type) {
  const auto* whole = op.attribute<int64_t>("value");
  const auto* word = op.attribute<std::string>("value");
  const auto number = word ? numberIn(*word) : std::nullopt;
  if (!whole && !number) return refuse(op, "its value is no number");
  if (!isFloat(type)) {
    if (!whole) return refuse(op, "a fraction as an integer");
    return Scalar{llvm::ConstantInt::get(lowering.scalars().valueType(type), static_cast<uint64_t>(*whole))};
  }
  Value* exact =
      llvm::ConstantFP::get(lowering.b().getDoubleTy(), number ? *number : static_cast<double>(*whole));
  return lowering.scalars().convert(ElementType::F64, type, {exact});
}

// Numbers of MLIR's predicates, and what they are called.
struct Predicate {
  std::string_view name;
  ComparisonDirection direction;
  bool isUnsigned = false;  // of integers; of floats: true of a NaN
};
constexpr Predicate kIntegerPredicates[] = {
    {"eq", ComparisonDirection::Eq},        {"ne", ComparisonDirection::Ne},
    {"slt", ComparisonDirection::Lt},       {"sle", ComparisonDirection::Le},
    {"sgt", ComparisonDirection::Gt},       {"sge", ComparisonDirection::Ge},
    {"ult", ComparisonDirection::Lt, true}, {"ule", ComparisonDirection::Le, true},
    {"ugt", ComparisonDirection::Gt, true}, {"uge", ComparisonDirection::Ge, true}};
// From MLIR's number 1 on; ordered ones first, then those that are true of a NaN.
constexpr Predicate kFloatPredicates[] = {
    {"oeq", ComparisonDirection::Eq},       {"ogt", ComparisonDirection::Gt},
    {"oge", ComparisonDirection::Ge},       {"olt", ComparisonDirection::Lt},
    {"ole", ComparisonDirection::Le},       {"one", ComparisonDirection::Ne},
    {"ord", ComparisonDirection::Eq},       {"ueq", ComparisonDirection::Eq, true},
    {"ugt", ComparisonDirection::Gt, true}, {"uge", ComparisonDirection::Ge, true},
    {"ult", ComparisonDirection::Lt, true}, {"ule", ComparisonDirection::Le, true},
    {"une", ComparisonDirection::Ne, true}, {"uno", ComparisonDirection::Ne, true}};

Result<Predicate> predicateOf(const KernelOp& op, std::span<const Predicate> all, int64_t first) {
  if (const auto* number = op.attribute<int64_t>("predicate"))
    if (*number >= first && *number - first < static_cast<int64_t>(all.size()))
      return all[static_cast<size_t>(*number - first)];
  if (const auto* word = op.attribute<std::string>("predicate"))
    if (const auto at = std::ranges::find(all, *word, &Predicate::name); at != all.end()) return *at;
  return refuse(op, "its predicate is none of MLIR's");
}

}  // namespace

Status lowerConstant(KernelLowering& lowering, OpId op) {
  const KernelOp& one = lowering.op(op);
  TRY_STATUS(needs(one, 0, 1));
  TRY(const ElementType type, lowering.elementOf(one, one.results[0]));
  TRY(RegisterMap map, lowering.resultMap(op));
  TRY(const Scalar value, constantFor(lowering, one, type));
  const size_t count = elementsOf(map);
  lowering.give(one.results[0], RegisterArray{type, std::move(map), std::vector<Scalar>(count, value)});
  return {};
}

Status lowerUnary(KernelLowering& lowering, OpId op) {
  TRY(const auto operands, operandsOf(lowering, op, 1));
  TRY(const Elementwise operation, operationOf(lowering.op(op), operands[0].type));
  const ElementType type = typeFor(operation.sign, operands[0].type);
  return giveEach(lowering, op, operands, operands[0].type, [&](std::span<const Scalar> x) {
    return lowering.scalars().unary(operation.opcode, type, x[0]);
  });
}

Status lowerBinary(KernelLowering& lowering, OpId op) {
  TRY(const auto operands, operandsOf(lowering, op, 2));
  TRY(const Elementwise operation, operationOf(lowering.op(op), operands[0].type));
  const ElementType type = typeFor(operation.sign, operands[0].type);
  return giveEach(lowering, op, operands, operands[0].type, [&](std::span<const Scalar> x) {
    return lowering.scalars().binary(operation.opcode, type, x[0], x[1]);
  });
}

// Towards minus infinity: one less where the signs differ and something is left.
Status lowerFloorDivide(KernelLowering& lowering, OpId op) {
  TRY(const auto operands, operandsOf(lowering, op, 2));
  ScalarEmitter& s = lowering.scalars();
  llvm::IRBuilder<>& b = lowering.b();
  const ElementType type = operands[0].type;
  return giveEach(lowering, op, operands, type, [&](std::span<const Scalar> x) {
    Value* quotient = s.binary(Opcode::Divide, type, x[0], x[1]).value;
    Value* rest = s.binary(Opcode::Remainder, type, x[0], x[1]).value;
    Value* zero = llvm::ConstantInt::get(rest->getType(), 0);
    Value* differ = b.CreateICmpSLT(b.CreateXor(rest, x[1].value), zero);
    Value* isBelow = b.CreateAnd(b.CreateICmpNE(rest, zero), differ);
    return Scalar{b.CreateSub(quotient, b.CreateZExt(isBelow, quotient->getType()))};
  });
}

Status lowerCopysign(KernelLowering& lowering, OpId op) {
  TRY(const auto operands, operandsOf(lowering, op, 2));
  return giveEach(lowering, op, operands, operands[0].type, [&](std::span<const Scalar> x) {
    return Scalar{lowering.b().CreateBinaryIntrinsic(llvm::Intrinsic::copysign, x[0].value, x[1].value)};
  });
}

Status lowerPowerOfTwo(KernelLowering& lowering, OpId op) {
  TRY(const auto operands, operandsOf(lowering, op, 1));
  const ElementType type = operands[0].type;
  if (!isFloat(type)) return refuse(lowering.op(op), "only of floats");
  ScalarEmitter& s = lowering.scalars();
  return giveEach(lowering, op, operands, type, [&](std::span<const Scalar> x) {
    const Scalar two{llvm::ConstantFP::get(x[0].value->getType(), 2.0)};
    return s.binary(Opcode::Power, type, two, x[0]);
  });
}

// In f64, so that it is rounded once but for what is lost there.
Status lowerLogarithmOfTwo(KernelLowering& lowering, OpId op) {
  TRY(const auto operands, operandsOf(lowering, op, 1));
  const ElementType type = operands[0].type;
  if (!isFloat(type)) return refuse(lowering.op(op), "only of floats");
  ScalarEmitter& s = lowering.scalars();
  return giveEach(lowering, op, operands, type, [&](std::span<const Scalar> x) {
    const Scalar wide = s.convert(type, ElementType::F64, x[0]);
    Value* logarithm = s.unary(Opcode::Log, ElementType::F64, wide).value;
    Value* scale = llvm::ConstantFP::get(logarithm->getType(), std::numbers::log2e);
    return s.convert(ElementType::F64, type, {lowering.b().CreateFMul(logarithm, scale)});
  });
}

Status lowerConvert(KernelLowering& lowering, OpId op) {
  TRY(const auto operands, operandsOf(lowering, op, 1));
  const KernelOp& one = lowering.op(op);
  TRY(const ElementType result, lowering.elementOf(one, one.results[0]));
  const bool fromUnsigned = one.opcode == "arith.extui" || one.opcode == "arith.uitofp" ||
                            one.opcode == "arith.index_castui" || one.opcode == "llvm.inttoptr";
  const bool toUnsigned = one.opcode == "arith.fptoui";
  const ElementType from = fromUnsigned ? asUnsigned(operands[0].type) : asSigned(operands[0].type);
  const ElementType to = toUnsigned ? asUnsigned(result) : asSigned(result);
  // To one bit an integer is cut, where HLO asks whether it is zero.
  const bool isCut = one.opcode == "arith.trunci" && to == ElementType::Pred;
  // Of a predicate HLO makes 0 and 1, a signed extension 0 and -1.
  const bool isSignedBit = one.opcode == "arith.extsi" && from == ElementType::Pred;
  ScalarEmitter& s = lowering.scalars();
  return giveEach(lowering, op, operands, result, [&](std::span<const Scalar> x) {
    if (isCut) return Scalar{lowering.b().CreateTrunc(x[0].value, lowering.b().getInt1Ty())};
    if (isSignedBit) return Scalar{lowering.b().CreateSExt(x[0].value, s.valueType(to))};
    return s.convert(from, to, x[0]);
  });
}

Status lowerBitcast(KernelLowering& lowering, OpId op) {
  TRY(const auto operands, operandsOf(lowering, op, 1));
  const KernelOp& one = lowering.op(op);
  TRY(const ElementType result, lowering.elementOf(one, one.results[0]));
  if (elementBits(result) != elementBits(operands[0].type)) return refuse(one, "elements of other sizes");
  ScalarEmitter& s = lowering.scalars();
  return giveEach(lowering, op, operands, result, [&](std::span<const Scalar> x) {
    return s.fromBits(result, s.toBits(operands[0].type, x[0]));
  });
}

Status lowerSelect(KernelLowering& lowering, OpId op) {
  TRY(const auto operands, operandsOf(lowering, op, 3));
  return giveEach(lowering, op, operands, operands[1].type, [&](std::span<const Scalar> x) {
    return lowering.scalars().select(x[0].value, x[1], x[2]);
  });
}

Status lowerCompareIntegers(KernelLowering& lowering, OpId op) {
  TRY(const auto operands, operandsOf(lowering, op, 2));
  TRY(const Predicate predicate, predicateOf(lowering.op(op), kIntegerPredicates, 0));
  const ElementType type = predicate.isUnsigned ? asUnsigned(operands[0].type) : asSigned(operands[0].type);
  return giveEach(lowering, op, operands, ElementType::Pred, [&](std::span<const Scalar> x) {
    return Scalar{lowering.scalars().compare(predicate.direction, false, type, x[0], x[1])};
  });
}

Status lowerCompareFloats(KernelLowering& lowering, OpId op) {
  TRY(const auto operands, operandsOf(lowering, op, 2));
  TRY(const Predicate predicate, predicateOf(lowering.op(op), kFloatPredicates, 1));
  const bool isOfNanAlone = predicate.name == "ord" || predicate.name == "uno";
  llvm::IRBuilder<>& b = lowering.b();
  return giveEach(lowering, op, operands, ElementType::Pred, [&](std::span<const Scalar> x) {
    Value* isNan = b.CreateFCmpUNO(x[0].value, x[1].value);
    if (isOfNanAlone) return Scalar{predicate.isUnsigned ? isNan : b.CreateNot(isNan)};
    Value* holds = lowering.scalars().compare(predicate.direction, false, operands[0].type, x[0], x[1]);
    return Scalar{predicate.isUnsigned ? b.CreateOr(holds, isNan) : b.CreateAnd(holds, b.CreateNot(isNan))};
  });
}

// One operand a result, which is what it was, laid out as the result is.
Status lowerSameValues(KernelLowering& lowering, OpId op) {
  const KernelOp& one = lowering.op(op);
  TRY_STATUS(needs(one, one.results.size(), one.results.size()));
  for (size_t i = 0; i < one.results.size(); ++i) {
    TRY(RegisterArray array, lowering.array(op, i));
    if (!array.map.shape().empty()) {
      TRY(const RegisterLayout layout, lowering.resultLayout(op, i));
      TRY(array, lowering.laidOut(one, std::move(array), layout));
    }
    lowering.give(one.results[i], std::move(array));
  }
  return {};
}

Status lowerSplat(KernelLowering& lowering, OpId op) {
  const KernelOp& one = lowering.op(op);
  TRY_STATUS(needs(one, 1, 1));
  TRY(const RegisterArray scalar, lowering.array(op, 0));
  if (!scalar.map.shape().empty()) return refuse(one, "only scalars are broadcast");
  TRY(RegisterMap map, lowering.resultMap(op));
  const size_t count = elementsOf(map);
  lowering.give(one.results[0],
                RegisterArray{scalar.type, std::move(map), std::vector<Scalar>(count, scalar.elements[0])});
  return {};
}

// Each element is its own place along a dimension.
Status lowerIota(KernelLowering& lowering, OpId op) {
  const KernelOp& one = lowering.op(op);
  TRY_STATUS(needs(one, 0, 1));
  const auto* dimension = one.attribute<int64_t>("dimension");
  const Sizes& shape = lowering.kernel().type(one.results[0]).shape;
  if (!dimension || *dimension < 0 || *dimension >= static_cast<int64_t>(shape.size()))
    return refuse(one, "it has no dimension of its result");
  TRY(const ElementType type, lowering.elementOf(one, one.results[0]));
  TRY(RegisterMap map, lowering.resultMap(op));
  RegisterArray result{type, std::move(map), {}};
  if (result.isSplat()) return refuse(one, "its elements differ");
  const ThreadIndices indices(lowering.code(), result.map);
  for (size_t i = 0; i < elementsOf(result.map); ++i) {
    Value* place = indices.at(i)[static_cast<size_t>(*dimension)];
    result.elements.push_back(lowering.scalars().convert(ElementType::S64, type, {place}));
  }
  lowering.give(one.results[0], std::move(result));
  return {};
}

}  // namespace hilo::warpgroup
