// Arrays that come from no elements of others, and the same elements laid out otherwise.
#include <fmt/format.h>

#include <charconv>

#include "core/compiler/codegen/warpgroup/each_element.h"
#include "core/hlo/ir/element_type.h"

namespace hilo::warpgroup {

using llvm::Value;

namespace {

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

}  // namespace hilo::warpgroup
