// Limits of amounts as text: "1.5x" of what there was before, or an amount with a unit of its own.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace hilo {

struct WatchLimit {
  bool isFactor = false;
  double value = 0;  // times what it was before, or the amount
  std::string text;  // as given

  bool isOver(double before, double after) const { return after > (isFactor ? value * before : value); }
};

// Units: ns, us, ms, s; B, KiB, MiB, GiB; none. A time is given in nanoseconds. Kind "bad-watcher".
Result<WatchLimit> parseLimit(std::string_view text);

}  // namespace hilo
