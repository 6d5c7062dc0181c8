#include "core/workspace/thunks/thunk_hazards.h"

namespace hilo {

ThunkHazard hazardBetween(std::span<const BufferUse> before, std::span<const BufferUse> after) {
  constexpr size_t kMostPairs = 10'000'000;
  ThunkHazard hazard;
  size_t pairs = 0;
  for (const BufferUse& a : before) {
    for (const BufferUse& b : after) {
      if (++pairs > kMostPairs) return hazard;
      if (!a.slice.overlaps(b.slice)) continue;
      hazard.readAfterWrite |= a.writes && !b.writes;
      hazard.writeAfterRead |= !a.writes && b.writes;
      hazard.writeAfterWrite |= a.writes && b.writes;
    }
  }
  return hazard;
}

}  // namespace hilo
