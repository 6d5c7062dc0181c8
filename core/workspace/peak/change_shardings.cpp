// Arrays that come whole to each device for a collective, or that devices hold alike, lying otherwise.
#include "core/workspace/partition/advice.h"
#include "core/workspace/peak/peak_proposals.h"

namespace hilo {
namespace {

constexpr size_t kMost = 3;  // each is a partitioning and a compilation

void propose(std::vector<ShardingAdvice> advice, std::vector<PeakChange>& changes) {
  for (ShardingAdvice& one : advice) {
    const auto isSame = [&](const PeakChange& change) { return change.sharding == one.constraint; };
    if (changes.size() == kMost) return;
    if (std::ranges::any_of(changes, isSame)) continue;
    changes.push_back(
        {.text = std::move(one.text), .how = std::move(one.code), .sharding = std::move(one.constraint)});
  }
}

}  // namespace

Result<std::vector<PeakChange>> changeShardings(const PeakBase& base, const JobContext& /*context*/) {
  std::vector<PeakChange> changes;
  if (base.partitioning == nullptr) return changes;
  const Partitioning& partitioning = *base.partitioning;
  std::vector<const PartitionCollective*> collectives;
  for (const PartitionCollective& one : partitioning.collectives) collectives.push_back(&one);
  std::ranges::stable_sort(collectives, std::greater(), &PartitionCollective::bytes);
  for (const PartitionCollective* one : collectives) propose(adviceFor(partitioning, *one), changes);
  for (const ShardedArray& array : partitioning.arrays) propose(adviceFor(partitioning, array), changes);
  return changes;
}

}  // namespace hilo
