// Where the steps of a search stand on its strip, and what is known of each. Pure, in pixels.
#pragma once

#include <QRect>
#include <optional>
#include <vector>

#include "core/workspace/bisect/bisect.h"

namespace hilo {

// Of a step that was not looked at: what follows from those that were, if anything does.
struct StepCell {
  size_t step = 0;
  QRect rect;
  int look = -1;               // the last of this step, by its place in Bisection::looks; -1: none
  std::optional<Sight> sight;  // nullopt: nothing is known yet
  bool isAnswer = false;       // the first bad step
};

// Numbers of rewrites that the bad pass was tried with.
struct FuelMark {
  int64_t fuel = 0;
  QRect rect;
  int look = 0;
  Sight sight = Sight::Good;
};

struct LookLayout {
  std::vector<StepCell> cells;  // one a step
  std::vector<FuelMark> fuel;   // by fuel; empty before the rewrites are searched
  int64_t mostFuel = 0;
};

inline constexpr int kLookStripHeight = 92;

LookLayout layOutLooks(const Bisection& search, int width);
// The look at a place; -1 where there is none.
int lookAt(const LookLayout& layout, QPoint place);

}  // namespace hilo
