#include "ui/views/thunks/heat_scale.h"

#include <algorithm>
#include <cmath>

namespace hilo {

int64_t timeOf(const StudiedThunk& thunk) {
  return thunk.measuredNs >= 0 ? thunk.measuredNs : thunk.estimatedNs;
}

int64_t HeatScale::leastNs() const {
  return std::max<int64_t>(1, std::llround(static_cast<double>(mostNs) / std::pow(10, kDecades)));
}

double HeatScale::share(double ns) const {
  const auto least = static_cast<double>(leastNs());
  const double decades = std::log10(static_cast<double>(mostNs) / least);
  if (!isKnown() || decades <= 0) return 1;
  return std::clamp(std::log10(std::max(1.0, ns) / least) / decades, 0.0, 1.0);
}

HeatScale heatScaleOf(const ThunkStudy& study) {
  std::vector<uint8_t> runsOthers(study.thunks.size(), 0);
  for (const StudiedThunk& thunk : study.thunks) {
    if (thunk.parent != StudiedThunk::kNone) runsOthers[thunk.parent] = 1;
  }
  HeatScale scale;
  for (size_t i = 0; i < study.thunks.size(); ++i) {
    scale.isMeasured |= study.thunks[i].measuredNs >= 0;
    if (runsOthers[i] == 0) scale.mostNs = std::max(scale.mostNs, timeOf(study.thunks[i]));
  }
  return scale;
}

}  // namespace hilo
