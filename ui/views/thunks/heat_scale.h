// How long a thunk takes as a place on the ramp of heat: one scale for its graph and its timeline, so that a
// colour is the same time in both.
#pragma once

#include "core/workspace/thunks/thunk_study.h"

namespace hilo {

// What a thunk's time is wherever one is shown: measured, else the compiler's estimate; -1 for neither.
int64_t timeOf(const StudiedThunk& thunk);

struct HeatScale {
  // That the ramp spans at most: nothing is told apart below a nanosecond. What takes less is as cold
  // as can be.
  static constexpr double kDecades = 4;
  int64_t mostNs = 0;       // of what runs nothing else, all its runs together; 0: no time is known
  bool isMeasured = false;  // else estimated by the compiler

  bool isKnown() const { return mostNs > 0; }
  int64_t leastNs() const;
  // From 0 to 1.
  double share(double ns) const;
};

HeatScale heatScaleOf(const ThunkStudy& study);

}  // namespace hilo
