// Elements compared, and one of two chosen.
#include <fmt/format.h>

#include <algorithm>

#include "core/compiler/codegen/warpgroup/each_element.h"
#include "core/hlo/ir/element_type.h"

namespace hilo::warpgroup {

using llvm::Value;

namespace {

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

Status lowerSelect(KernelLowering& lowering, OpId op) {
  TRY(const auto operands, operandsOf(lowering, op, 3));
  return giveEach(lowering, op, operands, operands[1].type, [&](std::span<const Scalar> x) {
    return lowering.scalars().select(x[0].value, x[1], x[2]);
  });
}

}  // namespace hilo::warpgroup
