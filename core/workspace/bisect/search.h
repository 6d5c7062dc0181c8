// The search for the place where good turns to bad. Private to the room.
#pragma once

#include <cstdint>
#include <functional>

#include "core/workspace/watch/watch.h"

namespace hilo {

// Good and bad places with none in between that is known to be either.
struct Turn {
  int64_t good = 0;
  int64_t bad = 0;
  bool isExact() const { return bad == good + 1; }
};

// `good` and `bad` are known. Looks at about log2(bad - good) places, and at some more where it cannot be
// told what they are; it gives up on a stretch after kMostUnknown of these.
Result<Turn> findTurn(int64_t good, int64_t bad, const std::function<Result<Sight>(int64_t place)>& look);
inline constexpr int kMostUnknown = 24;

}  // namespace hilo
