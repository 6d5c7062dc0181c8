#include "core/runtime/executor/graph_plan.h"

#include <fmt/format.h>

#include <algorithm>

namespace hilo {
namespace {

std::string whyNotCalled(const CustomCallThunk& call, const CustomCalls* calls) {
  if (calls == nullptr) return "a custom call, which the host runs";
  const BoundCall& bound = calls->at(&call);
  const auto* handler = std::get_if<std::shared_ptr<FfiCall>>(&bound);
  if (handler == nullptr) return "a plug-in does it on the host";
  if (!(*handler)->canBeCaptured())
    return "its handler does not say that it may be captured (COMMAND_BUFFER_COMPATIBLE)";
  return (*handler)->isForGpu() ? "its handler may be captured, which is not done yet"
                                : "its handler may be captured, but runs on the host here";
}

// Sequences that a thunk runs have higher numbers than its own: each is looked at once, from the last on.
class GraphPlanner {
 public:
  GraphPlanner(const Program& program, const GraphRules& rules)
      : program_(program), rules_(rules), sequences_(program.sequences.size()) {}

  std::vector<GraphPlan> plan() {
    std::vector<GraphPlan> plans(sequences_.size());
    for (size_t s = sequences_.size(); s-- > 0;) {
      const ThunkSequence& thunks = program_.sequences[s];
      std::vector<uint32_t> counts;
      for (const Thunk& thunk : thunks) {
        plans[s].why.push_back(whyNot(thunk));
        counts.push_back(countOf(thunk));
        note(sequences_[s], thunk, plans[s].why.back(), counts.back());
      }
      takeRuns(plans[s], counts);
    }
    return plans;
  }

 private:
  struct Sequence {
    uint32_t thunks = 0;  // with all that they run; no more than kMostGraphThunks + 1
    std::string why;      // "sort.3: the host does it"; "" where all can be in a graph
  };

  static uint32_t sum(uint32_t a, uint32_t b) { return std::min(a + b, kMostGraphThunks + 1); }

  static void note(Sequence& sequence, const Thunk& thunk, const std::string& why, uint32_t count) {
    sequence.thunks = sum(sequence.thunks, count);
    if (sequence.why.empty() && !why.empty()) sequence.why = fmt::format("{}: {}", thunk.name, why);
  }

  uint32_t countOf(const Thunk& thunk) const {
    uint32_t count = 1;
    for (const uint32_t nested : nestedSequences(thunk)) count = sum(count, sequences_[nested].thunks);
    return count;
  }

  std::string whyNotNested(const Thunk& thunk) const {
    if (!rules_.whyNoLoops.empty()) return rules_.whyNoLoops;
    for (const uint32_t nested : nestedSequences(thunk)) {
      if (!sequences_[nested].why.empty()) return "it runs " + sequences_[nested].why;
    }
    if (countOf(thunk) > kMostGraphThunks)
      return fmt::format("it runs more than {} thunks", kMostGraphThunks);
    return "";
  }

  std::string whyNot(const Thunk& thunk) const {
    switch (onStream(thunk.kind())) {
      case OnStream::Given:
        return "";
      case OnStream::Nested:
        return whyNotNested(thunk);
      case OnStream::Called:
        return whyNotCalled(std::get<CustomCallThunk>(thunk.body), rules_.customCalls);
      case OnStream::Meeting:
        return "it meets other devices through the host";
      case OnStream::Fed:
        return "the host feeds it";
      case OnStream::Host:
        return "the host does it";
      case OnStream::Library:
        return "what a library gives a stream is not recorded";
    }
    return "";
  }

  void takeRuns(GraphPlan& plan, const std::vector<uint32_t>& counts) const {
    const auto all = static_cast<uint32_t>(counts.size());
    for (uint32_t begin = 0; begin < all;) {
      uint32_t end = begin, size = 0;
      for (; end < all && plan.why[end].empty(); ++end) size = sum(size, counts[end]);
      if (size > 0 && size >= rules_.leastThunks) {
        plan.graphs.push_back({begin, end});
      } else {
        for (uint32_t t = begin; t < end; ++t)
          plan.why[t] = fmt::format("a run of {}, and a graph begins at {}", size, rules_.leastThunks);
      }
      begin = std::max(end, begin + 1);
    }
  }

  const Program& program_;
  const GraphRules& rules_;
  std::vector<Sequence> sequences_;
};

}  // namespace

std::vector<GraphPlan> planGraphs(const Program& program, const GraphRules& rules) {
  return GraphPlanner(program, rules).plan();
}

}  // namespace hilo
