// From when to when each value is needed, in steps of one sequence of all instructions: called computations
// in front of their callers, a loop's condition in front of its body. The sequence is the computations'
// lists: the schedule of a scheduled module, one possible order of another. Matches XLA's
// hlo/utils/hlo_live_range.cc.
#pragma once

#include <optional>
#include <vector>

#include "core/analysis/dataflow/alias_analysis.h"

namespace hilo {

// Both ends belong to it.
struct LiveRange {
  int64_t start = 0;
  int64_t end = 0;
  friend bool operator==(const LiveRange&, const LiveRange&) = default;
};

class ValueLiveRanges {
 public:
  // `aliases` must outlive this.
  explicit ValueLiveRanges(const AliasAnalysis& aliases);
  // In steps of what one computation runs, as if nothing else did: the view of a thread of its own.
  ValueLiveRanges(const AliasAnalysis& aliases, const Computation& root);

  const AliasAnalysis& aliases() const { return aliases_; }
  std::span<const Instruction* const> sequence() const { return sequence_; }
  int64_t endTime() const { return static_cast<int64_t>(sequence_.size()); }
  // nullopt for values of computations that are applied or fused.
  const std::optional<LiveRange>& of(ValueId value) const { return ranges_[value.value]; }
  // Step of an instruction in the sequence; -1 when it is not in it.
  int64_t timeOf(const Instruction& instruction) const { return times_[instruction.id().value]; }

 private:
  struct Span {
    int64_t start = -1;
    int64_t end = -1;
  };
  ValueLiveRanges(const AliasAnalysis& aliases, const Computation* root);
  void flatten(const Computation& computation, const Instruction* asyncStart);
  void findRange(const HloValue& value);
  int64_t endOfPositions(const HloValue& value, int64_t end) const;
  int64_t lastUse(const HloValue& value) const;
  void normalizeBuffers();

  const AliasAnalysis& aliases_;
  std::vector<const Instruction*> sequence_;
  std::vector<int64_t> times_;                  // by instruction id
  std::vector<Span> spans_;                     // by computation id
  std::vector<const Instruction*> asyncStart_;  // by computation id: what it runs under, null for most
  std::vector<std::optional<LiveRange>> ranges_;
};

// A constant, or an entry parameter that no result is aliased with: nothing may be written over it.
bool isReadOnly(const Module& module, const HloValue& value);

}  // namespace hilo
