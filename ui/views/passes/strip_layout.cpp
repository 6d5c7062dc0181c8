#include "ui/views/passes/strip_layout.h"

#include <algorithm>

namespace hilo {

namespace {
bool didNothing(const StripStep& step) { return step.outcome && !step.changed() && !step.isLowering(); }
}  // namespace

std::vector<StripCell> layOutStrip(const std::vector<StripStep>& steps, bool fold, size_t current,
                                   const std::optional<std::vector<size_t>>& wanted) {
  const auto foldable = [&](size_t i) {
    if (i == 0 || i == current) return false;
    return wanted ? !std::ranges::binary_search(*wanted, i) : fold && didNothing(steps[i]);
  };
  std::vector<StripCell> cells;
  int x = 0;
  for (size_t i = 0; i < steps.size();) {
    size_t last = i;
    if (foldable(i)) {
      while (last + 1 < steps.size() && foldable(last + 1)) ++last;
    }
    const bool isFolded = last > i || (wanted && foldable(i));
    const int width = isFolded ? kStripFoldedWidth : kStripCellWidth;
    cells.push_back({i, last, QRect(x, 0, width, kStripHeight), isFolded});
    x += width;
    i = last + 1;
  }
  return cells;
}

int stripCellAt(const std::vector<StripCell>& cells, int x) {
  const auto found = std::ranges::find_if(
      cells, [x](const StripCell& c) { return x >= c.rect.left() && x < c.rect.left() + c.rect.width(); });
  return found == cells.end() ? -1 : static_cast<int>(found - cells.begin());
}

int stripCellOf(const std::vector<StripCell>& cells, size_t step) {
  const auto found =
      std::ranges::find_if(cells, [step](const StripCell& c) { return step >= c.first && step <= c.last; });
  return found == cells.end() ? -1 : static_cast<int>(found - cells.begin());
}

size_t nextChangedStep(const std::vector<StripStep>& steps, size_t from, int direction) {
  if (steps.empty()) return 0;
  const auto last = static_cast<std::ptrdiff_t>(steps.size()) - 1;
  for (auto i = static_cast<std::ptrdiff_t>(from) + direction; i >= 0 && i <= last; i += direction) {
    if (i == 0 || !didNothing(steps[static_cast<size_t>(i)])) return static_cast<size_t>(i);
  }
  return direction > 0 ? static_cast<size_t>(last) : 0;
}

}  // namespace hilo
