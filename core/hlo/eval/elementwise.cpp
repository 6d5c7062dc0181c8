#include "core/hlo/eval/handlers.h"
#include "core/hlo/eval/literal_access.h"

namespace hilo::eval {
namespace {

// A scalar operand of clamp or select stands for an array of it.
Literal spread(const Literal& scalar, Literal room) {
  auto bytes = room.mutableBytes();
  fillElements(bytes.data(), scalar.bytes().data(), storageBytes(scalar.shape()),
               room.shape().elementCount());
  return room;
}

Result<Literal> spreadTo(const Literal& operand, Shape target, EvalContext& context) {
  if (sameDimensions(operand.shape(), target)) return operand;
  TRY(Literal room, context.make(Shape::array(operand.shape().elementType(), target.dimensions())));
  return spread(operand, std::move(room));
}

}  // namespace

Result<Literal> elementwise(const Instruction& instruction, std::span<Literal> operands,
                            EvalContext& context) {
  TRY(const ElementKernel kernel, elementKernel(instruction));
  const void* inputs[ElementKernel::kMaxOperands];
  const Shape shape = instruction.shape();
  for (size_t i = 0; i < operands.size(); ++i) {
    EVAL_REQUIRE(sameDimensions(operands[i].shape(), shape), "operand and result dimensions differ");
    inputs[i] = operands[i].bytes().data();
  }
  TRY(Literal result, context.make(shape));
  kernel.run(result.mutableBytes().data(), inputs, shape.elementCount());
  for (const Literal& operand : operands) {
    if (operand.dynamicSizes().empty()) continue;
    result.setDynamicSizes({operand.dynamicSizes().begin(), operand.dynamicSizes().end()});
    break;
  }
  return result;
}

// pred may be a scalar for arrays of any shape.
Result<Literal> select(const Instruction& instruction, std::span<Literal> operands, EvalContext& context) {
  EVAL_REQUIRE(operands.size() == 3, "takes three operands");
  const Shape chooser = operands[0].shape();
  if (chooser.isScalar() && chooser.elementType() == ElementType::Pred) {
    return *operands[0].data<uint8_t>().data() != 0 ? std::move(operands[1]) : std::move(operands[2]);
  }
  return elementwise(instruction, operands, context);
}

// The bounds may be scalars.
Result<Literal> clamp(const Instruction& instruction, std::span<Literal> operands, EvalContext& context) {
  EVAL_REQUIRE(operands.size() == 3, "takes three operands");
  for (const int bound : {0, 2}) {
    if (!operands[bound].shape().isScalar()) continue;
    TRY(operands[bound], spreadTo(operands[bound], instruction.shape(), context));
  }
  return elementwise(instruction, operands, context);
}

}  // namespace hilo::eval
