// What waits over the peak of a scheduled module's live bytes, and what can be done about each of it.
#pragma once

#include <absl/container/flat_hash_set.h>

#include "core/analysis/cost_facts.h"
#include "core/analysis/schedule/memory_usage.h"
#include "core/compiler/schedule/rematerialization.h"

namespace hilo {

// Operand `operand` of `user` is the value, or an instruction that passes it on.
struct LaterUse {
  Instruction* user = nullptr;
  size_t operand = 0;
  friend bool operator==(const LaterUse&, const LaterUse&) = default;
};

// The results of one instruction that wait, together.
struct WaitingValue {
  Instruction* instruction = nullptr;
  RematerializedValue::Action action = RematerializedValue::Action::Left;
  int64_t bytes = 0;  // freed over the peak
  double cost = 1;
  std::vector<LaterUse> uses;  // that run behind the peak, in order
  // In front of the peak: tuples, their elements and bitcasts that pass it on.
  absl::flat_hash_set<Instruction*> carriers;
  Shape elsewhere;  // Compressed: with the layout it waits in; Offloaded: on the host
  // Offloaded: the copy to the host is over in front of the one, that back begins in front of the other.
  Instruction* awayBefore = nullptr;
  Instruction* backBefore = nullptr;
  std::string reason;  // Left: why
  double score() const { return static_cast<double>(bytes) / cost; }
};

class WaitingValues {
 public:
  // All three must outlive this, and the module must stay as it is.
  WaitingValues(const Module& module, const AliasAnalysis& alias, const RematerializationOptions& options);

  // With what computations of other threads hold, as often as they run at a time.
  int64_t peakBytes() const { return peakBytes_; }
  // Everything that waits over the peak, the best first.
  std::vector<WaitingValue> all() const;

 private:
  void findPeak();
  std::vector<int64_t> bytesOfOtherThreads(const std::function<int64_t(Shape)>& shapeBytes) const;
  WaitingValue consider(Instruction& instruction, std::span<const HloValue* const> values) const;
  void chooseAction(WaitingValue& waiting) const;
  std::string whyFixed(const HloValue& value) const;
  std::vector<HloPosition> placesOf(const HloValue& value, std::vector<LaterUse>& uses) const;
  std::string addUses(const HloValue& value, WaitingValue& waiting) const;
  std::string whyNotAgain(const WaitingValue& waiting, int64_t& longer) const;
  bool considerCompressing(WaitingValue& waiting) const;
  bool considerOffloading(WaitingValue& waiting) const;
  int64_t startOf(const Instruction& instruction) const;
  double secondsOf(const Instruction& instruction) const;

  const Module& module_;
  const RematerializationOptions& options_;
  const ValueLiveRanges ranges_;
  const ModuleCost cost_;
  int64_t peakBytes_ = 0;
  int64_t peakTime_ = 0;
};

}  // namespace hilo
