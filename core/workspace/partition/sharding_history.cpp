#include "core/workspace/partition/sharding_history.h"

#include <absl/container/flat_hash_set.h>

#include "core/workspace/partition/move_causes.h"
#include "core/workspace/partition/partition_series.h"

namespace hilo {
namespace {

// What each instruction was given, in order; each neighbour gave what it had at that time.
using Gifts = absl::flat_hash_map<std::string, std::vector<ShardedRemark>>;

Gifts giftsOf(const PassSeries& series) {
  Gifts gifts;
  for (const SeriesStep& step : series.steps) {
    for (const Remark& remark : step.remarks) {
      if (auto read = readShardedRemark(remark)) gifts[remark.name].push_back(*std::move(read));
    }
  }
  return gifts;
}

// The last that came in this round or before.
const ShardedRemark* giftBefore(const Gifts& gifts, const std::string& name, int round) {
  const auto found = gifts.find(name);
  if (found == gifts.end()) return nullptr;
  const ShardedRemark* last = nullptr;
  for (const ShardedRemark& gift : found->second) {
    if (gift.round <= round) last = &gift;
  }
  return last;
}

}  // namespace

Result<std::vector<ShardingStep>> shardingHistory(const Partitioning& partitioning, const std::string& name) {
  if (partitioning.spread == nullptr)
    return fail("not-sharded", "the module was partitioned before: how its shardings spread is not known");
  const MoveCauses causes(*partitioning.spread, partitioning.series, partitioning.mesh);
  if (causes.find(name) == nullptr) {
    return fail("no-such-instruction", fmt::format("no instruction '{}' where shardings spread", name), {},
                {"names are those of the module after the passes that inline calls: hilo partition --json"});
  }
  const Gifts gifts = giftsOf(partitioning.series);
  std::vector<ShardingStep> steps;
  absl::flat_hash_set<std::string> seen;
  int round = std::numeric_limits<int>::max();
  for (std::string at = name; !at.empty() && seen.insert(at).second;) {
    ShardingStep step{.at = causes.endOf(at)};
    const ShardedRemark* gift = giftBefore(gifts, at, round);
    step.gave = gift == nullptr ? step.at.sharding : gift->sharding;
    if (step.gave.empty()) break;
    if (gift != nullptr)
      step.at.rule = fmt::format("from {} %{} by {}", gift->way, gift->neighbour, gift->rule);
    steps.push_back(std::move(step));
    if (gift == nullptr) break;
    round = gift->round;
    at = gift->neighbour;
  }
  return steps;
}

}  // namespace hilo
