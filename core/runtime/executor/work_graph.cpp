#include "core/runtime/executor/work_graph.h"

#include <cstring>

#include "core/runtime/executor/execution_graph.h"
#include "core/runtime/thunk/device/grid_kernel.h"

namespace hilo {
namespace {

class WorkGraphMaker {
 public:
  WorkGraphMaker(const WorkGraphSource& source, WorkGraph& made) : source_(source), made_(made) {}

  Status addSequence(uint32_t sequence, GraphRange range) {
    const ExecutionGraph order = makeExecutionGraph(source_.program, sequence);
    const ThunkSequence& thunks = source_.program.sequences[sequence];
    // By thunk: what must be done before it, and the node that ends it.
    std::vector<std::vector<uint32_t>> after(thunks.size());
    for (uint32_t t = range.begin; t < range.end; ++t) {
      after_ = after[t].empty() ? before_ : after[t];
      const auto first = static_cast<uint32_t>(made_.size());
      TRY_STATUS(add(thunks[t]));
      if (made_.size() == first) {
        // Nothing to do: what waits for it waits for what is before it.
        for (const uint32_t next : order.nodes[t].successors)
          after[next].insert(after[next].end(), after_.begin(), after_.end());
        continue;
      }
      ends_.push_back(static_cast<uint32_t>(made_.size() - 1));
      for (const uint32_t next : order.nodes[t].successors) after[next].push_back(ends_.back());
    }
    return {};
  }
  // What is added from now on comes after all that was.
  void fence() { before_ = std::exchange(ends_, {}); }

 private:
  WorkNode& node(WorkNode::Kind kind, const Thunk& thunk) {
    WorkNode& made = made_.emplace_back();
    made.kind = kind;
    made.after = after_;
    made.note.name = thunk.name;
    if (source_.noteOf) made.note = source_.noteOf(thunk);
    return made;
  }
  DeviceAddress at(const BufferSlice& slice) const {
    return source_.bases[slice.allocation] + slice.offsetBytes;
  }

  Status add(const Thunk& thunk) {
    if (const auto* kernel = std::get_if<KernelThunk>(&thunk.body)) return addKernel(*kernel, thunk);
    if (const auto* loop = std::get_if<WhileThunk>(&thunk.body)) return addLoop(*loop, thunk);
    if (const auto* choice = std::get_if<ConditionalThunk>(&thunk.body)) return addChoice(*choice, thunk);
    const auto& copy = std::get<CopyThunk>(thunk.body);
    if (copy.source.sizeBytes == 0) return {};
    WorkNode& made = node(WorkNode::Kind::Copy, thunk);
    made.to = at(copy.destination);
    made.from = at(copy.source);
    made.bytes = copy.source.sizeBytes;
    return {};
  }

  Status addKernel(const KernelThunk& thunk, const Thunk& whole) {
    if (thunk.iterations == 0) return {};
    const GridLaunch& launch = source_.program.kernels[thunk.kernel].launch;
    TRY(const LaunchShape shape, launchShape(launch, thunk.iterations));
    std::vector<DeviceAddress> buffers;
    for (const ReadSlice& slice : thunk.arguments) buffers.push_back(at(slice));
    for (const WriteSlice& slice : thunk.results) buffers.push_back(at(slice));
    WorkNode& made = node(WorkNode::Kind::Kernel, whole);
    made.kernel = source_.kernels[thunk.kernel].get();
    made.shape = shape;
    const GridArguments arguments(launch, buffers, thunk.iterations);
    for (const void* argument : arguments.pointers()) {
      const auto* bytes = static_cast<const std::byte*>(argument);
      made.arguments.emplace_back(bytes, bytes + sizeof(uint64_t));
    }
    return {};
  }

  // The condition, then the loop over body and condition.
  Status addLoop(const WhileThunk& thunk, const Thunk& whole) {
    const auto all = [&](uint32_t sequence) {
      return GraphRange{0, static_cast<uint32_t>(source_.program.sequences[sequence].size())};
    };
    WorkGraph condition;
    WorkGraphMaker before(source_, condition);
    TRY_STATUS(before.addSequence(thunk.condition, all(thunk.condition)));
    const auto offset = static_cast<uint32_t>(made_.size());
    std::vector<uint32_t> ends = after_;
    for (WorkNode& inner : condition) {
      for (uint32_t& earlier : inner.after) earlier += offset;
      inner.after.insert(inner.after.end(), after_.begin(), after_.end());
      ends.push_back(static_cast<uint32_t>(made_.size()));
      made_.push_back(std::move(inner));
    }
    WorkGraph body;
    WorkGraphMaker inside(source_, body);
    TRY_STATUS(inside.addSequence(thunk.body, all(thunk.body)));
    inside.fence();
    TRY_STATUS(inside.addSequence(thunk.condition, all(thunk.condition)));
    WorkNode& made = node(WorkNode::Kind::Loop, whole);
    made.after = std::move(ends);
    made.selector = at(thunk.test);
    made.bodies.push_back(std::move(body));
    return {};
  }

  Status addChoice(const ConditionalThunk& thunk, const Thunk& whole) {
    std::vector<WorkGraph> bodies;
    for (const uint32_t branch : thunk.branches) {
      TRY(bodies.emplace_back(),
          makeWorkGraph(source_, branch,
                        {0, static_cast<uint32_t>(source_.program.sequences[branch].size())}));
    }
    WorkNode& made = node(WorkNode::Kind::Choice, whole);
    made.selector = at(thunk.selector);
    made.byPred = thunk.byPred;
    made.bodies = std::move(bodies);
    return {};
  }

  const WorkGraphSource& source_;
  WorkGraph& made_;
  std::vector<uint32_t> before_, ends_, after_;
};

}  // namespace

Result<WorkGraph> makeWorkGraph(const WorkGraphSource& source, uint32_t sequence, GraphRange range) {
  WorkGraph made;
  WorkGraphMaker maker(source, made);
  TRY_STATUS(maker.addSequence(sequence, range));
  return made;
}

}  // namespace hilo
