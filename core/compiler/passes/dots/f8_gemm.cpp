#include "core/compiler/passes/dots/f8_gemm.h"

#include <algorithm>
#include <numeric>

#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/dot_dimensions.h"
#include "core/compiler/passes/dots/f8_epilogues.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

constexpr int64_t kMultiple = 16;

bool isResult(ElementType type) {
  return type == ElementType::BF16 || type == ElementType::F16 || type == ElementType::F32 ||
         isF8Result(type);
}

// A free dimension on each side as well: no vectors.
bool hasOneFreeDimensionEach(const Instruction& dot) {
  return dotSide(dot, 0).free.size() == 1 && dotSide(dot, 1).free.size() == 1;
}

bool mayComputeIn8Bits(DotAlgorithm algorithm) {
  return algorithm == DotAlgorithm::Unset || algorithm == DotAlgorithm::AnyF8AnyF8F32 ||
         algorithm == DotAlgorithm::AnyF8AnyF8F32FastAccum;
}

bool liesDensest(const Shape shape, int64_t dimension, int64_t other) {
  if (shape.layout() == nullptr) return dimension > other;
  const auto& order = shape.layout()->minorToMajor;
  return std::ranges::find(order, dimension) < std::ranges::find(order, other);
}

Shape withSizes(Shape shape, std::span<const int64_t> sizes) {
  return Shape::array(shape.elementType(), sizes, shape.layout());
}

std::vector<int64_t> sizesOf(Shape shape) { return {shape.dimensions().begin(), shape.dimensions().end()}; }

// The value with two dimensions swapped, in the same layout: as a transpose of what lies row-major, between
// bitcasts where the value does not.
Instruction* swapped(Instruction* value, int64_t a, int64_t b, Instruction& before) {
  const Shape shape = value->shape();
  std::vector<int64_t> order(shape.rank());
  std::iota(order.begin(), order.end(), 0);
  if (!liesRowMajor(shape)) std::ranges::reverse_copy(shape.layout()->minorToMajor, order.begin());
  std::vector<int64_t> dense, permutation(shape.rank()), sizes = sizesOf(shape);
  for (const int64_t d : order) dense.push_back(shape.dimension(static_cast<size_t>(d)));
  std::iota(permutation.begin(), permutation.end(), 0);
  const auto placeOf = [&](int64_t d) { return std::ranges::find(order, d) - order.begin(); };
  std::swap(permutation[static_cast<size_t>(placeOf(a))], permutation[static_cast<size_t>(placeOf(b))]);
  std::swap(sizes[static_cast<size_t>(a)], sizes[static_cast<size_t>(b)]);
  Instruction* flat = bitcastTo(value, arrayLike(shape, shape.elementType(), dense), before);
  return bitcastTo(transposeBy(flat, permutation, before), withSizes(shape, sizes), before);
}

Shape roundedUp(Shape shape, const std::vector<int64_t>& batch) {
  std::vector<int64_t> sizes = sizesOf(shape);
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (std::ranges::find(batch, static_cast<int64_t>(d)) == batch.end())
      sizes[d] = (sizes[d] + kMultiple - 1) / kMultiple * kMultiple;
  }
  return withSizes(shape, sizes);
}

Instruction* paddedTo(Instruction* value, Shape shape, Instruction& before) {
  if (value->shape() == shape) return value;
  Instruction* zero = algebra::makeSplat(before, arrayLike(shape, shape.elementType(), {}), 0);
  Instruction* pad = padTo(value, shape.dimensions(), zero, before);
  pad->setShape(shape);
  return pad;
}

Instruction* scaleOf(const F8Operand& operand, Instruction& dot) {
  if (operand.scale != nullptr) return f8Scale(operand.scale, operand.divides, dot);
  return algebra::makeSplat(dot, arrayLike(dot.shape(), ElementType::F32, {}), 1);
}

}  // namespace

std::string_view whyNoF8Call(const Instruction& dot, const F8Target& target) {
  if (dot.operandCount() != 2 || dot.has(Attr::SparsityConfig) || dot.has(Attr::ControlPredecessors))
    return "sparse, or ordered by control dependencies";
  const auto lhs = f8OperandOf(dot.operand(0)), rhs = f8OperandOf(dot.operand(1));
  if (!lhs || !rhs) return "its operands are not of 8 bit floats, widened and scaled by one number";
  if (target.capability < 89) return "a device without products of 8 bit floats";
  const ElementType a = lhs->value->shape().elementType(), b = rhs->value->shape().elementType();
  if (!isF8Result(a) || !isF8Result(b) || (a == b && a == ElementType::F8E5M2) ||
      !isResult(dot.shape().elementType()))
    return "no types of the library's";
  if (!mayComputeIn8Bits(dot.get<Attr::Algorithm>().value_or(DotAlgorithm::Unset)))
    return "a stated algorithm";
  if (const std::string_view why = whyNoLibraryArrays(dot); !why.empty()) return why;
  return hasOneFreeDimensionEach(dot) ? "" : "more free dimensions than a matrix has";
}

void replaceByF8Call(Instruction& dot, const F8Target& target, GemmCalls& calls) {
  std::array<int64_t, 2> contracting;
  std::vector<Instruction*> operands, scales;
  for (size_t side = 0; side < 2; ++side) {
    const DotSide of = dotSide(dot, side);
    const F8Operand operand = *f8OperandOf(dot.operand(side));
    scales.push_back(scaleOf(operand, dot));
    Instruction* value = operand.moved(dot);
    contracting[side] = of.contracting[0];
    if (target.capability < 100 && !liesDensest(value->shape(), of.contracting[0], of.free[0])) {
      value = swapped(value, of.contracting[0], of.free[0], dot);
      contracting[side] = of.free[0];
    }
    operands.push_back(paddedTo(value, roundedUp(value->shape(), of.batch), dot));
  }
  operands.insert(operands.end(), scales.begin(), scales.end());
  std::vector<int64_t> batch(dotSide(dot, 0).batch.size());
  std::iota(batch.begin(), batch.end(), 0);
  const GemmCall call{.target = kF8Gemm,
                      .operands = operands,
                      .results = {roundedUp(dot.shape(), batch)},
                      .workspaceBytes = target.workspaceBytes,
                      .config = gemmConfigOf(dot, contracting)};
  Instruction* made = makeGemmCall(call, dot, dot);
  calls.emplace(made, call);
  Instruction* result = cutTo(elementOfTuple(made, 0, dot), dot.shape().dimensions(), dot);
  result->setShape(dot.shape());
  dot.parent().replaceAllUses(&dot, result);
  dot.parent().remove(&dot);
}

void widenF8Operands(Instruction& dot) {
  const bool isBf16 = dot.shape().elementType() == ElementType::BF16;
  for (size_t side = 0; side < 2; ++side)
    dot.setOperand(side, convertTo(dot.operand(side), isBf16 ? ElementType::BF16 : ElementType::F16, dot));
  if (!isF8(dot.shape().elementType())) return;
  const Shape shape = dot.shape();
  Instruction* halves = dot.parent().createLike(
      dot, std::vector<Instruction*>(dot.operands().begin(), dot.operands().end()), &dot);
  halves->setShape(shape.withElementType(ElementType::F16));
  dot.parent().replaceAllUses(&dot, convertTo(halves, shape.elementType(), dot));
  dot.parent().remove(&dot);
}

}  // namespace hilo
