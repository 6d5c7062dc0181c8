#include "core/hlo/eval/contraction.h"
#include "core/hlo/eval/handlers.h"

namespace hilo::eval {
Result<Literal> dot(const Instruction& instruction, std::span<Literal> operands, EvalContext& context) {
  const Shape lhs = operands[0].shape(), rhs = operands[1].shape();
  const DotDimensions dims = dotDimensionsOf(instruction);
  TRY_STATUS(checkDotDimensions(instruction, lhs, rhs, dims));
  TRY_STATUS(checkDotRoom(instruction, {lhs, rhs, instruction.shape()}, context));
  const ElementType type = commonAccumulation({lhs, rhs, instruction.shape()}, context);
  return visitAccumulationType(type, [&]<typename T>() -> Result<Literal> {
    TRY(const DotProduct<T> product, multiply<T>(operands[0], operands[1], dims, context));
    return roundedProduct(instruction, product, type, context);
  });
}

namespace {

// The operand with each element multiplied by its scale: one a block of the operand. A scalar in the place of
// a scale says that there is none.
Result<Literal> scaled(const Instruction& instruction, const Literal& operand, const Literal& scale,
                       EvalContext& context) {
  const Shape shape = operand.shape(), scaleShape = scale.shape();
  EVAL_REQUIRE(scaleShape.isArray() && (scaleShape.rank() == 0 || scaleShape.rank() == shape.rank()),
               "a scale has another rank");
  if (scaleShape.rank() == 0) return operand;
  DimVector blocks;
  for (size_t d = 0; d < shape.rank(); ++d) {
    EVAL_REQUIRE(scaleShape.dimension(d) > 0 && shape.dimension(d) % scaleShape.dimension(d) == 0,
                 "a scale does not divide its operand");
    blocks.push_back(std::max<int64_t>(1, shape.dimension(d) / scaleShape.dimension(d)));
  }
  TRY(Literal product, context.make(Shape::array(ElementType::F64, shape.dimensions())));
  const auto values = elementsAs<double>(operand, ElementType::F64),
             scales = elementsAs<double>(scale, ElementType::F64);
  const DimVector strides = rowMajorStrides(scaleShape.dimensions()), unit(shape.rank(), 0);
  double* out = product.mutableData<double>().data();
  int64_t i = 0;
  for (StridedCounter<1> at(shape.dimensions(), {unit}); !at.done(); at.next(), ++i) {
    int64_t offset = 0;
    for (size_t d = 0; d < shape.rank(); ++d) offset += at.index(d) / blocks[d] * strides[d];
    out[i] = values[static_cast<size_t>(i)] * scales[static_cast<size_t>(offset)];
  }
  return product;
}

}  // namespace

Result<Literal> scaledDot(const Instruction& instruction, std::span<Literal> operands, EvalContext& context) {
  TRY_STATUS(checkDotDimensions(instruction, operands[0].shape(), operands[1].shape(),
                                dotDimensionsOf(instruction)));
  TRY_STATUS(
      checkDotRoom(instruction, {operands[0].shape(), operands[1].shape(), instruction.shape()}, context));
  std::array<Literal, 2> both;
  for (const size_t side : {0, 1}) {
    TRY(both[side], scaled(instruction, operands[side], operands[side + 2], context));
  }
  return dot(instruction, both, context);
}

}  // namespace hilo::eval
