#include "core/workspace/bisect/search.h"

#include <absl/container/flat_hash_set.h>

#include <optional>

namespace hilo {
namespace {

// A place between the two to look at: the middle, else a quarter, an eighth, ... of the way, wherever it was
// not looked at in vain; at last any.
std::optional<int64_t> nextPlace(const Turn& turn, const absl::flat_hash_set<int64_t>& unknown) {
  const int64_t width = turn.bad - turn.good;
  for (int64_t parts = 2; parts <= 64 && parts <= 2 * width; parts *= 2) {
    for (int64_t part = 1; part < parts; part += 2) {
      const int64_t place = turn.good + width / parts * part + width % parts * part / parts;
      if (place > turn.good && place < turn.bad && !unknown.contains(place)) return place;
    }
  }
  for (int64_t place = turn.good + 1; place < turn.bad; ++place) {
    if (!unknown.contains(place)) return place;
  }
  return std::nullopt;
}

}  // namespace

Result<Turn> findTurn(int64_t good, int64_t bad, const std::function<Result<Sight>(int64_t place)>& look) {
  Turn turn{good, bad};
  absl::flat_hash_set<int64_t> unknown;
  while (unknown.size() < kMostUnknown) {
    const std::optional<int64_t> place = nextPlace(turn, unknown);
    if (!place) break;
    TRY(const Sight sight, look(*place));
    if (sight == Sight::Unknown) {
      unknown.insert(*place);
    } else {
      (sight == Sight::Good ? turn.good : turn.bad) = *place;
    }
  }
  return turn;
}

}  // namespace hilo
