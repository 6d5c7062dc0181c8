#include "ui/views/bisect/look_layout.h"

#include <algorithm>

namespace hilo {
namespace {

constexpr int kCellTop = 20, kCellHeight = 22, kFuelTop = 62, kFuelHeight = 14, kMargin = 8, kMostCell = 72;

bool isOfSteps(const BisectLook& look) { return look.fuel < 0; }

// The nearest looks say it of all in between that lie on their side.
void inferSights(const Bisection& search, std::vector<StepCell>& cells) {
  size_t lastGood = 0, firstBad = cells.size();
  bool anyGood = false;
  for (const BisectLook& look : search.looks) {
    if (!isOfSteps(look)) continue;
    if (look.seen.sight == Sight::Good) {
      lastGood = std::max(lastGood, look.step);
      anyGood = true;
    }
    if (look.seen.sight == Sight::Bad) firstBad = std::min(firstBad, look.step);
  }
  for (StepCell& cell : cells) {
    if (cell.look >= 0) continue;
    if (anyGood && cell.step <= lastGood) cell.sight = Sight::Good;
    if (cell.step >= firstBad) cell.sight = Sight::Bad;
  }
}

}  // namespace

LookLayout layOutLooks(const Bisection& search, int width) {
  LookLayout layout;
  const size_t count = search.steps.size();
  if (count == 0) return layout;
  const int room = std::max(1, width - 2 * kMargin);
  const int used = std::min(room, static_cast<int>(count) * kMostCell);
  const auto at = [&](size_t step) {
    return kMargin + static_cast<int>(step * static_cast<size_t>(used) / count);
  };
  for (size_t step = 0; step < count; ++step) {
    const int left = at(step),
              right = std::max(left + 1, at(step + 1) - (used / static_cast<int>(count) > 6 ? 2 : 0));
    layout.cells.push_back({.step = step, .rect = QRect(left, kCellTop, right - left, kCellHeight)});
  }
  for (size_t n = 0; n < search.looks.size(); ++n) {
    const BisectLook& look = search.looks[n];
    if (!isOfSteps(look)) {
      layout.mostFuel = std::max(layout.mostFuel, look.fuel);
      layout.fuel.push_back({look.fuel, QRect(), static_cast<int>(n), look.seen.sight});
      continue;
    }
    layout.cells[look.step].look = static_cast<int>(n);
    layout.cells[look.step].sight = look.seen.sight;
  }
  inferSights(search, layout.cells);
  if (search.firstBad > 0 && search.firstBad < count) layout.cells[search.firstBad].isAnswer = true;
  std::ranges::sort(layout.fuel, {}, &FuelMark::fuel);
  for (FuelMark& mark : layout.fuel) {
    const int64_t x = layout.mostFuel == 0 ? 0 : mark.fuel * (room - kFuelHeight) / layout.mostFuel;
    mark.rect = QRect(kMargin + static_cast<int>(x), kFuelTop, kFuelHeight, kFuelHeight);
  }
  return layout;
}

int lookAt(const LookLayout& layout, QPoint place) {
  for (const StepCell& cell : layout.cells) {
    if (cell.rect.contains(place)) return cell.look;
  }
  for (const FuelMark& mark : layout.fuel) {
    if (mark.rect.contains(place)) return mark.look;
  }
  return -1;
}

}  // namespace hilo
