#include "core/runtime/executor/executor.h"

#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <new>

#include "core/runtime/device/host/kernel_symbols.h"
#include "core/runtime/device/host/object_code.h"
#include "core/runtime/executor/execution_graph.h"
#include "core/runtime/executor/literal_buffers.h"
#include "core/runtime/thunk/thunk.h"

namespace hilo {
namespace {

constexpr std::align_val_t kAlignment{64};
// A sequence cheaper than this is run by one thread: waking another costs as much.
constexpr int64_t kWorthSharingNs = 50'000;

struct AlignedDelete {
  void operator()(std::byte* bytes) const { ::operator delete(bytes, kAlignment); }
};
using AlignedBytes = std::unique_ptr<std::byte, AlignedDelete>;

AlignedBytes allocateAligned(int64_t bytes) {
  return AlignedBytes(static_cast<std::byte*>(
      ::operator new(static_cast<size_t>(std::max<int64_t>(bytes, 1)), kAlignment, std::nothrow)));
}

struct PreparedSequence {
  ExecutionGraph graph;
  bool parallel = false;
};

}  // namespace

struct Executor::State {
  std::shared_ptr<const Program> program;
  std::vector<ObjectCode> objects;
  std::vector<KernelFunction> kernels;
  std::vector<PreparedSequence> sequences;
  std::vector<Shape> parameterLeaves;
};

namespace {

// One run of a program.
class Run {
 public:
  Run(const Program& program, const std::vector<PreparedSequence>& sequences,
      std::span<const KernelFunction> kernels, const ExecuteOptions& options)
      : program_(program),
        sequences_(sequences),
        options_(options),
        begin_(std::chrono::steady_clock::now()),
        bases_(program.allocations.size()),
        context_{.bases = bases_,
                 .kernels = kernels,
                 .threads = hostThreads(),
                 .cancel = options.cancel,
                 .runSequence = [this](uint32_t sequence) { return runSequence(sequence); }} {}

  // Gives every allocation its room. `leaves` are the arguments' arrays in order.
  Status prepare(std::span<const Literal* const> leaves, std::span<const Shape> shapes);
  Status runSequence(uint32_t sequence);
  Result<Literal> takeResult(Shape shape, size_t& leaf) const;

 private:
  Status runThunk(uint32_t sequence, uint32_t thunk);
  Status runInOrder(uint32_t sequence);
  Status runGraph(uint32_t sequence);
  int64_t nowNs() const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin_)
        .count();
  }

  const Program& program_;
  const std::vector<PreparedSequence>& sequences_;
  const ExecuteOptions& options_;
  std::chrono::steady_clock::time_point begin_;
  std::vector<std::byte*> bases_;
  std::vector<AlignedBytes> owned_;
  std::mutex timingsMutex_;
  ThunkContext context_;
};

Status Run::prepare(std::span<const Literal* const> leaves, std::span<const Shape> shapes) {
  int64_t total = 0;
  for (size_t i = 0; i < program_.allocations.size(); ++i) {
    const Allocation& allocation = program_.allocations[i];
    if (allocation.kind == AllocationKind::Constant) {
      // Kernels only read it.
      bases_[i] = const_cast<std::byte*>(program_.constants[allocation.number].data());
      continue;
    }
    const bool isParameter = allocation.kind == AllocationKind::Parameter;
    if (isParameter && isRowMajor(shapes[allocation.number])) {
      bases_[i] = const_cast<std::byte*>(leaves[allocation.number]->bytes().data());
      continue;
    }
    if (allocation.sizeBytes > options_.limitBytes - total) {
      return fail("out-of-memory",
                  fmt::format("the program needs more than {} bytes at once", options_.limitBytes));
    }
    total += allocation.sizeBytes;
    owned_.push_back(allocateAligned(allocation.sizeBytes));
    if (owned_.back() == nullptr)
      return fail("out-of-memory", fmt::format("no room for {} bytes of buffers", allocation.sizeBytes));
    bases_[i] = owned_.back().get();
    if (isParameter) copyToBuffer(bases_[i], *leaves[allocation.number], shapes[allocation.number]);
  }
  return {};
}

Status Run::runThunk(uint32_t sequence, uint32_t thunk) {
  if (options_.timings == nullptr) return execute(program_.sequences[sequence][thunk], context_);
  const int64_t start = nowNs();
  const Status done = execute(program_.sequences[sequence][thunk], context_);
  const int64_t duration = nowNs() - start;
  const std::lock_guard lock(timingsMutex_);
  options_.timings->push_back({sequence, thunk, start, duration});
  return done;
}

Status Run::runSequence(uint32_t sequence) {
  return sequences_[sequence].parallel && !options_.sequential ? runGraph(sequence) : runInOrder(sequence);
}

Status Run::runInOrder(uint32_t sequence) {
  const auto count = static_cast<uint32_t>(program_.sequences[sequence].size());
  for (uint32_t i = 0; i < count; ++i) {
    if (i % 64 == 0 && options_.cancel.cancelled()) return fail("cancelled", "the run was cancelled");
    TRY_STATUS(runThunk(sequence, i));
  }
  return {};
}

// A graph being run: whoever helps takes a thunk that is ready, runs it, and makes ready what waited for it.
// The caller works too and leaves when all is done, so helpers are never needed.
struct GraphRun {
  explicit GraphRun(const ExecutionGraph& graph) : waiting(graph.nodes.size()), left(graph.nodes.size()) {
    for (uint32_t i = 0; i < graph.nodes.size(); ++i) {
      waiting[i] = graph.nodes[i].predecessors;
      if (waiting[i] == 0) ready.push_back(i);
    }
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<uint32_t> waiting;  // predecessors not yet done
  std::deque<uint32_t> ready;
  size_t left;
  size_t running = 0;
  Status status;

  // Until nothing is ready (a helper) or nothing is left (the caller).
  template <typename F>
  void work(const ExecutionGraph& graph, ThreadPool& threads, bool isCaller, F&& runOne,
            const std::function<void()>& help) {
    std::unique_lock lock(mutex);
    while (true) {
      if (isCaller)
        changed.wait(lock, [&] { return !ready.empty() || left == 0 || (!status && running == 0); });
      if (ready.empty() || !status) {
        // After a failure nothing more starts; the caller waits for what runs.
        if (isCaller && !status && running > 0) {
          changed.wait(lock, [&] { return running == 0; });
        }
        return;
      }
      const uint32_t thunk = ready.front();
      ready.pop_front();
      ++running;
      const bool more = !ready.empty();
      lock.unlock();
      if (more) threads.offer(help, 1);
      Status done = runOne(thunk);
      lock.lock();
      --running;
      --left;
      if (!done && status) status = std::move(done);
      for (const uint32_t next : graph.nodes[thunk].successors) {
        if (--waiting[next] == 0) ready.push_back(next);
      }
      changed.notify_all();
    }
  }
};

Status Run::runGraph(uint32_t sequence) {
  const ExecutionGraph& graph = sequences_[sequence].graph;
  auto run = std::make_shared<GraphRun>(graph);
  const auto runOne = [this, sequence](uint32_t thunk) -> Status {
    if (options_.cancel.cancelled()) return fail("cancelled", "the run was cancelled");
    return runThunk(sequence, thunk);
  };
  // A helper that comes when all is done finds nothing ready, and touches nothing but `run`.
  auto help = std::make_shared<std::function<void()>>();
  std::weak_ptr<std::function<void()>> again = help;
  ThreadPool& threads = context_.threads;
  *help = [run, runOne, &graph, &threads, again] {
    const auto self = again.lock();
    if (self != nullptr) run->work(graph, threads, false, runOne, *self);
  };
  run->work(graph, threads, true, runOne, *help);
  return run->status;
}

Result<Literal> Run::takeResult(Shape shape, size_t& leaf) const {
  if (shape.isTuple()) {
    std::vector<Literal> elements;
    for (const Shape element : shape.tupleShapes()) {
      TRY(Literal literal, takeResult(element, leaf));
      elements.push_back(std::move(literal));
    }
    Literal tuple = Literal::tuple(std::move(elements));
    return tuple;
  }
  TRY(Literal literal, Literal::tryMake(shape));
  if (!shape.isArray()) return literal;
  copyFromBuffer(literal, context_.at(program_.resultSlices[leaf]), shape);
  std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
  for (const ResultSize& size : program_.resultSizes) {
    if (size.leaf != leaf) continue;
    int32_t real = 0;
    std::memcpy(&real, context_.at(size.size), sizeof(real));
    sizes[size.dimension] = real;
  }
  if (!std::ranges::equal(sizes, shape.dimensions())) literal.setDynamicSizes(std::move(sizes));
  ++leaf;
  return literal;
}

Status collectLeaves(const Literal& literal, Shape shape, size_t parameter,
                     std::vector<const Literal*>& leaves) {
  if (literal.shape().withoutLayout() != shape.withoutLayout()) {
    return fail("wrong-argument", fmt::format("parameter {} is {}, and the argument {}", parameter,
                                              toString(shape), toString(literal.shape())));
  }
  if (literal.isElided())
    return fail("elided-constant", fmt::format("the values of argument {} are missing", parameter));
  if (literal.isTuple()) {
    for (size_t i = 0; i < literal.elements().size(); ++i)
      TRY_STATUS(collectLeaves(literal.elements()[i], shape.tupleShapes()[i], parameter, leaves));
  } else if (shape.isArray()) {
    leaves.push_back(&literal);
  }
  return {};
}

int64_t costOf(const Program& program, uint32_t sequence) {
  int64_t total = 0;
  for (const Thunk& thunk : program.sequences[sequence]) {
    total += thunk.costNs;
    for (const uint32_t nested : nestedSequences(thunk)) total += costOf(program, nested);
  }
  return total;
}

}  // namespace

Executor::Executor(std::unique_ptr<State> state) : state_(std::move(state)) {}
Executor::~Executor() = default;
const Program& Executor::program() const { return *state_->program; }

Result<std::unique_ptr<Executor>> Executor::make(std::shared_ptr<const Program> program) {
  TRY_STATUS(checkProgram(*program));
  TRY_STATUS(checkMachine(program->target));
  auto state = std::make_unique<State>();
  state->program = program;
  for (const KernelObject& object : program->objects) {
    TRY(ObjectCode code, ObjectCode::load(object.code, kernelSymbol));
    state->objects.push_back(std::move(code));
  }
  for (const Kernel& kernel : program->kernels) {
    void* address = state->objects[kernel.object].symbol(kernel.symbol);
    if (address == nullptr)
      return fail("malformed-program",
                  fmt::format("the object of {} has no symbol {}", kernel.name, kernel.symbol));
    state->kernels.push_back(reinterpret_cast<KernelFunction>(address));
  }
  for (uint32_t s = 0; s < program->sequences.size(); ++s) {
    PreparedSequence prepared;
    if (costOf(*program, s) >= kWorthSharingNs && hostThreads().threads() > 1) {
      prepared.graph = makeExecutionGraph(*program, s);
      prepared.parallel = prepared.graph.width > 1;
    }
    state->sequences.push_back(std::move(prepared));
  }
  for (const Shape parameter : program->parameters) {
    const auto leaves = arrayLeaves(parameter);
    state->parameterLeaves.insert(state->parameterLeaves.end(), leaves.begin(), leaves.end());
  }
  return std::unique_ptr<Executor>(new Executor(std::move(state)));
}

Result<Literal> Executor::run(std::span<const Literal> arguments, const ExecuteOptions& options) const {
  const Program& program = *state_->program;
  if (arguments.size() != program.parameters.size()) {
    return fail("wrong-argument", fmt::format("the program takes {} arguments, and {} are given",
                                              program.parameters.size(), arguments.size()));
  }
  std::vector<const Literal*> leaves;
  for (size_t i = 0; i < arguments.size(); ++i)
    TRY_STATUS(collectLeaves(arguments[i], program.parameters[i], i, leaves));
  Run run(program, state_->sequences, state_->kernels, options);
  TRY_STATUS(run.prepare(leaves, state_->parameterLeaves));
  TRY_STATUS(run.runSequence(0));
  size_t leaf = 0;
  return run.takeResult(program.result, leaf);
}

}  // namespace hilo
