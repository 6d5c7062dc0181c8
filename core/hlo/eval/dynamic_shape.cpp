#include "core/hlo/eval/handlers.h"
#include "core/hlo/eval/literal_access.h"

namespace hilo::eval {
namespace {

std::optional<size_t> theDimension(const Instruction& instruction, Shape of) {
  const auto dimensions = instruction.dimensions();
  if (dimensions.size() != 1 || !areDistinctDimensions(dimensions, of.rank())) return std::nullopt;
  return static_cast<size_t>(dimensions[0]);
}

std::vector<int64_t> realSizes(const Literal& literal) {
  if (!literal.dynamicSizes().empty()) return {literal.dynamicSizes().begin(), literal.dynamicSizes().end()};
  return {literal.shape().dimensions().begin(), literal.shape().dimensions().end()};
}

}  // namespace

Result<Literal> getDimensionSize(const Instruction& instruction, std::span<Literal> operands, EvalContext&) {
  const auto dimension = theDimension(instruction, operands[0].shape());
  EVAL_REQUIRE(dimension.has_value(), "dimensions must name one dimension of the operand");
  return Literal::scalar<int32_t>(ElementType::S32, static_cast<int32_t>(realSizes(operands[0])[*dimension]));
}

Result<Literal> setDimensionSize(const Instruction& instruction, std::span<Literal> operands, EvalContext&) {
  const Shape shape = operands[0].shape();
  const auto dimension = theDimension(instruction, shape);
  EVAL_REQUIRE(dimension.has_value(), "dimensions must name one dimension of the operand");
  EVAL_REQUIRE(holdsIntegers(operands[1]) && operands[1].shape().isScalar(),
               "the size must be an integer scalar");
  const int64_t size = integerAt(operands[1], 0);
  EVAL_REQUIRE(size >= 0 && size <= shape.dimension(*dimension), "the size exceeds the dimension's bound");
  std::vector<int64_t> sizes = realSizes(operands[0]);
  sizes[*dimension] = size;
  Literal result = operands[0].withShape(instruction.shape().withoutLayout());
  if (std::ranges::equal(sizes, shape.dimensions())) sizes.clear();
  result.setDynamicSizes(std::move(sizes));
  return result;
}

// The operand's real elements in row-major order become the result's, whose real sizes are
// the other operands.
Result<Literal> dynamicReshape(const Instruction& instruction, std::span<Literal> operands,
                               EvalContext& context) {
  const Shape to = instruction.shape();
  EVAL_REQUIRE(operands.size() == to.rank() + 1 && operands[0].shape().elementType() == to.elementType(),
               "needs one size a result dimension");
  const std::vector<int64_t> fromSizes = realSizes(operands[0]);
  std::vector<int64_t> toSizes;
  for (size_t d = 0; d < to.rank(); ++d) {
    EVAL_REQUIRE(holdsIntegers(operands[d + 1]) && operands[d + 1].shape().isScalar(),
                 "sizes must be integer scalars");
    const int64_t size = integerAt(operands[d + 1], 0);
    EVAL_REQUIRE(size >= 0 && size <= to.dimension(d), "a size exceeds the result's bound");
    toSizes.push_back(size);
  }
  EVAL_REQUIRE(productOf(fromSizes) == productOf(toSizes), "operand and result differ in element count");
  std::vector<std::byte> packed(static_cast<size_t>(productOf(fromSizes)) * storageBytes(to));
  copyStrided(packed.data(), operands[0].bytes().data(), storageBytes(to), fromSizes,
              {0, rowMajorStrides(operands[0].shape().dimensions())});
  TRY(Literal result, context.make(to));
  moveStrided(result.mutableBytes().data(), {0, rowMajorStrides(to.dimensions())}, packed.data(),
              {0, rowMajorStrides(toSizes)}, storageBytes(to), toSizes);
  result.setDynamicSizes(std::move(toSizes));
  return result;
}

}  // namespace hilo::eval
