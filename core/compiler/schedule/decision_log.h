// Why the latency-hiding scheduler took what when. Replaying it gives the order again.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/compiler/schedule/async_tracker.h"

namespace hilo {

enum class SchedulingReason : uint8_t {
#define REASON(id, name, function, meaning) id,
#include "core/compiler/schedule/scheduling_reasons.def"
  // Among the ready nodes of one scheduling group.
  GroupOriginalOrder,
  GroupAsyncDone,
  GroupNotAsyncStart,
  GroupNoReason,
};
inline constexpr size_t kOrderedReasonCount = 0
#define REASON(...) +1
#include "core/compiler/schedule/scheduling_reasons.def"
    ;
std::string_view reasonName(SchedulingReason reason);     // XLA's: "kScheduleDone"
std::string_view reasonMeaning(SchedulingReason reason);  // a sentence

// One comparison of two ready nodes.
struct SchedulingDecision {
  InstructionId winner, loser;
  SchedulingReason reason;
};

// Why a ready node was not looked at. One that exceeds a limit is named in the step that found so, and is
// left aside until the resource it lacks is freed.
enum class SkipReason : uint8_t { ExceedsOverlapLimit, GroupNotReady };
struct SkippedNode {
  InstructionId instruction;
  SkipReason reason;
};

// How a step's node was found.
enum class DecisionKind : uint8_t { Nop, Only, Compared, Group };

// Taking one node. Its decisions are those from firstDecision up to the next step's.
struct SchedulingStep {
  InstructionId scheduled;
  DecisionKind kind = DecisionKind::Only;
  uint32_t firstDecision = 0;
  uint32_t firstSkipped = 0;
  double readyTime = 0;     // when it could start, counted from the end of the program
  int64_t memoryBytes = 0;  // live afterwards
  ResourceCounts inFlight;  // before it
};

struct DecisionLog {
  ComputationId computation;
  std::vector<SchedulingStep> steps;  // in the order taken: from the root up, unless topDown
  std::vector<SchedulingDecision> decisions;
  std::vector<SkippedNode> skipped;
  bool topDown = false;
  // Not empty: of comparisons and skips, only those that concern these are kept. Replay needs all.
  absl::flat_hash_set<InstructionId> watched;
  bool wants(InstructionId id) const { return watched.empty() || watched.contains(id); }

  std::span<const SchedulingDecision> decisionsOf(size_t step) const;
  std::span<const SkippedNode> skippedOf(size_t step) const;
};

// The order that the comparisons alone give, in program order.
std::vector<InstructionId> replay(const DecisionLog& log);

}  // namespace hilo
