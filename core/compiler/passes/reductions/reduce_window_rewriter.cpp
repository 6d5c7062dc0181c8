#include "core/compiler/passes/reductions/reduce_window_rewriter.h"

#include <algorithm>
#include <optional>

#include "core/compiler/passes/reductions/reduce_window_resizer.h"
#include "core/compiler/passes/reductions/window_scan.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

std::span<const WindowDimension> windowsOf(const Instruction& i) { return i.get<Attr::Window>()->dimensions; }

std::span<Instruction* const> startsOf(const Instruction& i) {
  return i.operands().subspan(i.operandCount() / 2);
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

Instruction* rewritten(Instruction& i, int64_t row) {
  const auto scan = longScan(i, row);
  if (scan && canScanTotals(*scan->combiner, scan->starts)) return together(i, scanByRows(*scan, row, i), i);
  return windowOverRow(i);
}

bool applies(const Instruction& i, int64_t row) {
  if (!isPlainWindow(i)) return false;
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
