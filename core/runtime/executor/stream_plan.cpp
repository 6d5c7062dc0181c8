#include "core/runtime/executor/stream_plan.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace hilo {
namespace {

class StreamPlanner {
 public:
  StreamPlanner(const ThunkSequence& thunks, const ExecutionGraph& graph, uint32_t mostStreams)
      : thunks_(thunks), graph_(graph), mostStreams_(mostStreams), predecessors_(thunks.size()) {
    for (uint32_t thunk = 0; thunk < thunks.size(); ++thunk) {
      for (const uint32_t next : graph.nodes[thunk].successors) predecessors_[next].push_back(thunk);
    }
  }

  StreamPlan plan() {
    for (const uint32_t thunk : order()) place(thunk);
    plan_.streams = std::max<uint32_t>(1, static_cast<uint32_t>(streams_.size()));
    return std::move(plan_);
  }

 private:
  // Up to which step of each stream everything is done when something begins: places in the plan, plus 1.
  using Clock = std::vector<uint32_t>;
  struct PlannedStream {
    uint32_t last = 0;  // step
    Clock clock;
  };

  // Of what is ready the first that a stream does; where there is none, the first the host does.
  std::vector<uint32_t> order() const {
    std::vector<uint32_t> left(thunks_.size()), order;
    std::set<uint32_t> ready, readyOnHost;
    const auto add = [&](uint32_t thunk) {
      (isHostStep(thunks_[thunk]) ? readyOnHost : ready).insert(thunk);
    };
    for (uint32_t thunk = 0; thunk < thunks_.size(); ++thunk) {
      left[thunk] = graph_.nodes[thunk].predecessors;
      if (left[thunk] == 0) add(thunk);
    }
    while (!ready.empty() || !readyOnHost.empty()) {
      auto& from = ready.empty() ? readyOnHost : ready;
      const uint32_t thunk = *from.begin();
      from.erase(from.begin());
      order.push_back(thunk);
      for (const uint32_t next : graph_.nodes[thunk].successors) {
        if (--left[next] == 0) add(next);
      }
    }
    return order;
  }

  // Behind the latest it waits for, where nothing else came between; else a new stream, or the one that has
  // had nothing for the longest.
  uint32_t streamFor(uint32_t thunk) {
    std::optional<uint32_t> best;
    for (uint32_t s = 0; s < streams_.size(); ++s) {
      const uint32_t last = plan_.steps[streams_[s].last].thunk;
      const bool isPredecessor = std::ranges::find(predecessors_[thunk], last) != predecessors_[thunk].end();
      if (isPredecessor && (!best || streams_[s].last > streams_[*best].last)) best = s;
    }
    if (best) return *best;
    if (streams_.size() < mostStreams_) {
      streams_.emplace_back();
      return static_cast<uint32_t>(streams_.size() - 1);
    }
    const auto oldest = std::ranges::min_element(streams_, {}, &PlannedStream::last);
    return static_cast<uint32_t>(oldest - streams_.begin());
  }

  void place(uint32_t thunk) {
    const auto number = static_cast<uint32_t>(plan_.steps.size());
    StreamStep step{.thunk = thunk, .stream = streamFor(thunk)};
    PlannedStream& stream = streams_[step.stream];
    std::vector<uint32_t> before;
    for (const uint32_t predecessor : predecessors_[thunk]) before.push_back(stepOf_.at(predecessor));
    // The latest first: it may imply the others.
    std::ranges::sort(before, std::greater());
    stream.clock.resize(mostStreams_);
    for (const uint32_t earlier : before) {
      StreamStep& awaited = plan_.steps[earlier];
      if (awaited.stream == step.stream || stream.clock[awaited.stream] > earlier) continue;
      step.waits.push_back(earlier);
      awaited.isWaitedFor = true;
      for (uint32_t s = 0; s < mostStreams_; ++s)
        stream.clock[s] = std::max(stream.clock[s], clockAfter_[earlier][s]);
    }
    stream.clock[step.stream] = number + 1;
    stream.last = number;
    stepOf_[thunk] = number;
    clockAfter_.push_back(stream.clock);
    plan_.steps.push_back(std::move(step));
  }

  const ThunkSequence& thunks_;
  const ExecutionGraph& graph_;
  const uint32_t mostStreams_;
  std::vector<std::vector<uint32_t>> predecessors_;
  std::vector<PlannedStream> streams_;
  std::vector<Clock> clockAfter_;  // by step
  std::map<uint32_t, uint32_t> stepOf_;
  StreamPlan plan_;
};

}  // namespace

bool isHostStep(const Thunk& thunk) { return onStream(thunk.kind()) != OnStream::Given; }

StreamPlan planInOrder(const ThunkSequence& thunks) {
  StreamPlan plan;
  for (uint32_t thunk = 0; thunk < thunks.size(); ++thunk) plan.steps.push_back({.thunk = thunk});
  return plan;
}

StreamPlan makeStreamPlan(const Program& program, uint32_t sequence, uint32_t mostStreams) {
  const ExecutionGraph graph = makeExecutionGraph(program, sequence);
  return StreamPlanner(program.sequences[sequence], graph, mostStreams).plan();
}

}  // namespace hilo
