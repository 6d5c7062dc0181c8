#include "core/compiler/passes/reductions/reduce_window_rewriter.h"

#include <algorithm>
#include <optional>

#include "core/compiler/passes/reductions/reduction_dims.h"
#include "core/compiler/passes/reductions/window_scan.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

std::span<const WindowDimension> windowsOf(const Instruction& i) { return i.get<Attr::Window>()->dimensions; }

std::span<Instruction* const> startsOf(const Instruction& i) {
  return i.operands().subspan(i.operandCount() / 2);
}

bool isPlainReduceWindow(const Instruction& i) {
  const auto arrays = i.operands().first(i.operandCount() / 2);
  const auto liesPlain = [](Shape shape) {
    return shape.isArray() && !shape.isDynamic() && liesRowMajor(shape);
  };
  return i.opcode() == Opcode::ReduceWindow && i.get<Attr::Window>() != nullptr && !arrays.empty() &&
         (i.shape().isTuple() ? std::ranges::all_of(i.shape().tupleShapes(), liesPlain)
                              : liesPlain(i.shape())) &&
         std::ranges::all_of(arrays, [&](const Instruction* array) { return liesPlain(array->shape()); });
}

// What it scans; nullopt where it is no running total, or a short one.
std::optional<WindowScan> longScan(const Instruction& i, int64_t longest) {
  std::optional<size_t> along;
  for (size_t d = 0; d < windowsOf(i).size(); ++d) {
    if (windowsOf(i)[d] == WindowDimension()) continue;
    if (along) return std::nullopt;
    along = d;
  }
  if (!along) return std::nullopt;
  const WindowDimension window = windowsOf(i)[*along];
  const int64_t length = i.operand(0)->shape().dimension(*along);
  const int64_t reach = window.paddingLow + window.paddingHigh;
  const bool isOneSided = window.paddingLow == 0 || window.paddingHigh == 0;
  if (length <= longest || window.size != length || !isOneSided || reach < length - 1 || reach > length ||
      window !=
          WindowDimension{.size = length, .paddingLow = window.paddingLow, .paddingHigh = window.paddingHigh})
    return std::nullopt;
  return WindowScan{.arrays = i.operands().first(i.operandCount() / 2),
                    .starts = startsOf(i),
                    .combiner = i.get<Attr::ToApply>(),
                    .dimension = *along,
                    .isForward = window.paddingLow > 0,
                    .isExclusive = reach == length};
}

Instruction* together(const Instruction& i, const std::vector<Instruction*>& results, Instruction& before) {
  return i.shape().isTuple() ? before.parent().create(Opcode::Tuple, i.shape(), results, {}, &before)
                             : results[0];
}

std::vector<int64_t> asRow(Shape vector) { return {1, vector.dimension(0)}; }

Instruction* overRow(Instruction& i) {
  std::vector<Instruction*> operands;
  for (Instruction* operand : i.operands().first(i.operandCount() / 2))
    operands.push_back(reshapeTo(operand, asRow(operand->shape()), i));
  operands.insert(operands.end(), startsOf(i).begin(), startsOf(i).end());
  Instruction* made = i.parent().createLike(i, operands, &i);
  const WindowDimension windows[] = {WindowDimension(), windowsOf(i)[0]};
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
  return together(i, results, i);
}

Instruction* rewritten(Instruction& i, int64_t row) {
  const auto scan = longScan(i, row);
  if (scan && canScanTotals(*scan->combiner, scan->starts)) return together(i, scanByRows(*scan, row, i), i);
  return overRow(i);
}

bool applies(const Instruction& i, int64_t row) {
  if (!isPlainReduceWindow(i)) return false;
  const auto scan = longScan(i, row);
  return i.operand(0)->shape().rank() == 1 || (scan && canScanTotals(*scan->combiner, scan->starts));
}

}  // namespace

Result<bool> rewriteReduceWindows(Module& module, PassContext& context, const ReduceWindowRows& rows) {
  if (rows.length == 0) return false;
  return rewriteEach(
      module, context, "rewritten", [&](const Instruction& i) { return applies(i, rows.length); },
      [&](Instruction& i) { return rewritten(i, rows.length); });
}

}  // namespace hilo
