#include "core/compiler/schedule/decision_log.h"

#include <algorithm>

namespace hilo {
namespace {

struct ReasonText {
  std::string_view name, meaning;
};
constexpr ReasonText kReasons[] = {
#define REASON(id, name, function, meaning) {name, meaning},
#include "core/compiler/schedule/scheduling_reasons.def"
    {"kOriginalSequenceOrder", "the group keeps the order before"},
    {"kAnnotatedAsyncDone", "one is a done of the group"},
    {"kAnnotatedNotAsyncStart", "one is a start of the group"},
    {"kAnnotatedNoReason", "nothing tells them apart: the one found last"},
};

}  // namespace

std::string_view reasonName(SchedulingReason reason) { return kReasons[static_cast<size_t>(reason)].name; }
std::string_view reasonMeaning(SchedulingReason reason) {
  return kReasons[static_cast<size_t>(reason)].meaning;
}

std::span<const SchedulingDecision> DecisionLog::decisionsOf(size_t step) const {
  const size_t first = steps[step].firstDecision;
  const size_t end = step + 1 < steps.size() ? steps[step + 1].firstDecision : decisions.size();
  return std::span(decisions).subspan(first, end - first);
}

std::span<const SkippedNode> DecisionLog::skippedOf(size_t step) const {
  const size_t first = steps[step].firstSkipped;
  const size_t end = step + 1 < steps.size() ? steps[step + 1].firstSkipped : skipped.size();
  return std::span(skipped).subspan(first, end - first);
}

std::vector<InstructionId> replay(const DecisionLog& log) {
  std::vector<InstructionId> order;
  for (size_t step = 0; step < log.steps.size(); ++step) {
    const auto decisions = log.decisionsOf(step);
    order.push_back(decisions.empty() ? log.steps[step].scheduled : decisions.back().winner);
  }
  if (!log.topDown) std::ranges::reverse(order);
  return order;
}

}  // namespace hilo
