#include "core/compiler/passes/reductions/reduce_window_resizer.h"

#include <algorithm>

#include "core/compiler/passes/reductions/reduction_dims.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

std::vector<int64_t> asRow(Shape vector) { return {1, vector.dimension(0)}; }

bool isOverVectors(const Instruction& i) { return isPlainWindow(i) && i.operand(0)->shape().rank() == 1; }

}  // namespace

bool isPlainWindow(const Instruction& i) {
  const auto arrays = i.operands().first(i.operandCount() / 2);
  const auto liesPlain = [](Shape shape) {
    return shape.isArray() && !shape.isDynamic() && liesRowMajor(shape);
  };
  return i.opcode() == Opcode::ReduceWindow && i.get<Attr::Window>() != nullptr && !arrays.empty() &&
         (i.shape().isTuple() ? std::ranges::all_of(i.shape().tupleShapes(), liesPlain)
                              : liesPlain(i.shape())) &&
         std::ranges::all_of(arrays, [&](const Instruction* array) { return liesPlain(array->shape()); });
}

Instruction* windowOverRow(Instruction& i) {
  const auto starts = i.operands().subspan(i.operandCount() / 2);
  std::vector<Instruction*> operands;
  for (Instruction* operand : i.operands().first(i.operandCount() / 2))
    operands.push_back(reshapeTo(operand, asRow(operand->shape()), i));
  operands.insert(operands.end(), starts.begin(), starts.end());
  Instruction* made = i.parent().createLike(i, operands, &i);
  const WindowDimension windows[] = {WindowDimension(), i.get<Attr::Window>()->dimensions[0]};
  const Window window{.dimensions = windows};
  made->set<Attr::Window>(&window);
  const auto widened = [](Shape shape) { return arrayLike(shape, shape.elementType(), asRow(shape)); };
  std::vector<Shape> shapes;
  for (const Shape shape : i.shape().isTuple() ? i.shape().tupleShapes() : std::span<const Shape>())
    shapes.push_back(widened(shape));
  made->setShape(i.shape().isTuple() ? Shape::tuple(shapes) : widened(i.shape()));
  std::vector<Instruction*> results;
  for (Instruction* result : resultsOf(made, i))
    results.push_back(reshapeTo(result, result->shape().dimensions().last(1), i));
  return i.shape().isTuple() ? i.parent().create(Opcode::Tuple, i.shape(), results, {}, &i) : results[0];
}

Result<bool> resizeReduceWindows(Module& module, PassContext& context) {
  return rewriteEach(module, context, "resized", isOverVectors, windowOverRow);
}

}  // namespace hilo
