#include <cstring>

#include "core/hlo/eval/applier.h"
#include "core/hlo/eval/handlers.h"
#include "core/hlo/eval/literal_access.h"

namespace hilo::eval {

Result<Literal> map(const Instruction& instruction, std::span<Literal> operands, EvalContext& context) {
  const Shape shape = instruction.shape();
  EVAL_REQUIRE(shape.isArray(), "must give an array");
  std::vector<ElementType> types;
  std::vector<const void*> inputs;
  for (const Literal& operand : operands) {
    EVAL_REQUIRE(operand.shape().isArray() && sameDimensions(operand.shape(), shape),
                 "operand and result dimensions differ");
    types.push_back(operand.shape().elementType());
    inputs.push_back(operand.bytes().data());
  }
  const ElementType result[] = {shape.elementType()};
  TRY(Applier applier, Applier::make(instruction, instruction.get<Attr::ToApply>(), types, result, context));
  TRY(Literal out, context.make(shape));
  void* outputs[] = {out.mutableBytes().data()};
  TRY_STATUS(applier.apply(inputs.data(), outputs, shape.elementCount()));
  return out;
}

namespace {

// Element `step` along `dimension`, as an array without that dimension.
Result<Literal> sliceAt(const Literal& array, int64_t dimension, int64_t step, EvalContext& context) {
  DimVector sizes(array.shape().dimensions().begin(), array.shape().dimensions().end());
  DimVector strides = rowMajorStrides(sizes);
  const int64_t base = step * strides[dimension];
  sizes.erase(sizes.begin() + dimension);
  strides.erase(strides.begin() + dimension);
  TRY(Literal slice, context.make(Shape::array(array.shape().elementType(), sizes)));
  copyStrided(slice.mutableBytes().data(), array.bytes().data(), storageBytes(array.shape()), sizes,
              {base, strides});
  return slice;
}

Status putAt(const Instruction& instruction, Literal& array, int64_t dimension, int64_t step,
             const Literal& slice) {
  DimVector sizes(array.shape().dimensions().begin(), array.shape().dimensions().end());
  DimVector strides = rowMajorStrides(sizes);
  const int64_t base = step * strides[dimension];
  sizes.erase(sizes.begin() + dimension);
  strides.erase(strides.begin() + dimension);
  EVAL_REQUIRE(slice.shape().elementType() == array.shape().elementType() &&
                   std::ranges::equal(slice.shape().dimensions(), sizes),
               "an output of the computation does not fit the result");
  moveStrided(array.mutableBytes().data(), {base, strides}, slice.bytes().data(), {0, rowMajorStrides(sizes)},
              storageBytes(array.shape()), sizes);
  return {};
}

}  // namespace

// Operands: inputs, then initial carries. The computation takes one slice of each input and the carries, and
// gives one slice of each output and the next carries. Result: outputs, then final carries.
Result<Literal> scan(const Instruction& instruction, std::span<Literal> operands, EvalContext& context) {
  const Computation* body = instruction.get<Attr::ToApply>();
  const auto dimensions = instruction.dimensions();
  const int64_t carries = instruction.get<Attr::NumCarries>().value_or(0);
  EVAL_REQUIRE(body != nullptr && body->root() != nullptr && dimensions.size() == 1,
               "needs a computation and one dimension");
  EVAL_REQUIRE(carries >= 0 && carries <= static_cast<int64_t>(operands.size()),
               "has fewer operands than carries");
  const int64_t dimension = dimensions[0];
  const auto inputs = operands.first(operands.size() - static_cast<size_t>(carries));
  const Shape shape = instruction.shape();
  const std::span<const Shape> resultShapes =
      shape.isTuple() ? shape.tupleShapes() : std::span<const Shape>(&shape, 1);
  EVAL_REQUIRE(static_cast<int64_t>(resultShapes.size()) >= carries, "gives fewer results than carries");
  const size_t outputs = resultShapes.size() - static_cast<size_t>(carries);
  for (const Literal& input : inputs) {
    EVAL_REQUIRE(input.shape().isArray() && dimension >= 0 &&
                     dimension < static_cast<int64_t>(input.shape().rank()) &&
                     input.shape().dimension(dimension) == inputs[0].shape().dimension(dimension),
                 "the inputs differ in the scanned dimension");
  }
  EVAL_REQUIRE(!inputs.empty() || (outputs > 0 && resultShapes[0].isArray() && dimension >= 0 &&
                                   dimension < static_cast<int64_t>(resultShapes[0].rank())),
               "has neither inputs nor outputs that say how long it is");
  const int64_t length = (inputs.empty() ? resultShapes[0] : inputs[0].shape()).dimension(dimension);
  std::vector<Literal> results;
  for (size_t i = 0; i < outputs; ++i) {
    EVAL_REQUIRE(resultShapes[i].isArray() && dimension < static_cast<int64_t>(resultShapes[i].rank()) &&
                     resultShapes[i].dimension(dimension) == length,
                 "a result differs in the scanned dimension");
    TRY(Literal result, context.make(resultShapes[i]));
    results.push_back(std::move(result));
  }
  for (size_t i = inputs.size(); i < operands.size(); ++i) results.push_back(std::move(operands[i]));
  const bool reverse = instruction.get<Attr::IsReverse>().value_or(false);
  for (int64_t step = 0; step < length; ++step) {
    const int64_t at = reverse ? length - 1 - step : step;
    std::vector<Literal> arguments;
    for (const Literal& input : inputs) {
      TRY(Literal slice, sliceAt(input, dimension, at, context));
      arguments.push_back(std::move(slice));
    }
    for (size_t i = outputs; i < results.size(); ++i) arguments.push_back(std::move(results[i]));
    TRY(Literal made, context.call(*body, std::move(arguments)));
    std::vector<Literal> pieces;
    if (made.isTuple()) {
      pieces = std::move(made.mutableElements());
    } else {
      pieces.push_back(std::move(made));
    }
    EVAL_REQUIRE(pieces.size() == results.size(), "the computation gives another number of values");
    for (size_t i = 0; i < outputs; ++i) TRY_STATUS(putAt(instruction, results[i], dimension, at, pieces[i]));
    for (size_t i = outputs; i < results.size(); ++i) results[i] = std::move(pieces[i]);
  }
  if (!shape.isTuple()) return std::move(results[0]);
  return Literal::tuple(std::move(results));
}

}  // namespace hilo::eval
