// What a device takes from its host while it runs, by infeed, and what it gives to it, by outfeed.
//
// Infeeds take values in the order they run, each the next there is; a value that is not there ends the run
// instead of being waited for. The output of a module with an outfeed is that of its entry and, behind its
// elements, a tuple of what outfeeds gave, in order (withOutfeed): engines whose outputs agree agree on that.
#pragma once

#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/ir/module.h"

namespace hilo {

struct InfeedValues {
  std::vector<Literal> values;
  // Made-up ones never end: an infeed takes the next of its shape, after the last the first again.
  bool repeats = false;
};

// Of one device in one run. One thread at a time.
class HostFeed {
 public:
  // Nothing to take.
  HostFeed() = default;
  // `infeed` outlives it; null: nothing to take.
  explicit HostFeed(const InfeedValues* infeed) : infeed_(infeed) {}

  // What the infeed of this name takes. Kinds "infeed-empty", and "wrong-argument" where what comes next has
  // another shape, layouts aside.
  Result<Literal> take(Shape shape, std::string_view infeed);
  // Kind "out-of-memory" when a run gives more than its host can keep.
  Status give(Literal value, std::string_view outfeed);
  // All that was given.
  std::vector<Literal> takeOutfeed() { return std::move(outfeed_); }

 private:
  const InfeedValues* infeed_ = nullptr;
  size_t next_ = 0;
  std::vector<Literal> outfeed_;
  int64_t outfeedBytes_ = 0;
};

// The shapes of the data that infeeds called from the entry take, without layouts, each once, in order.
std::vector<Shape> infeedShapes(const Module& module);
// Whether an outfeed is called from the entry; whether one or an infeed is.
bool hasOutfeed(const Module& module);
bool talksToHost(const Module& module);

// What the result is called that has what outfeeds gave.
inline constexpr std::string_view kOutfeedName = "outfeed";
Literal withOutfeed(Literal output, std::vector<Literal> outfeed);

// Of one list for all devices, one a device, or none: the one of this device, or null.
inline const InfeedValues* infeedOf(std::span<const InfeedValues> infeeds, int64_t device) {
  if (infeeds.empty()) return nullptr;
  return &infeeds[infeeds.size() == 1 ? 0 : static_cast<size_t>(device)];
}
// Kind "wrong-argument" where there are other numbers of lists.
Status checkInfeeds(std::span<const InfeedValues> infeeds, int64_t devices);

}  // namespace hilo
