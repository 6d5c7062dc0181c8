#include "core/runtime/executor/device_run.h"

#include <fmt/format.h>

#include <cstring>

#include "core/runtime/executor/graph_run.h"

namespace hilo {

struct DeviceRun::Frame {
  Frame(DeviceRun& run, uint32_t sequenceNumber)
      : thunks(run.executor_.program->sequences[sequenceNumber]),
        sequence(sequenceNumber),
        context(run.context_),
        watched(run.options_.watch, run.link_.device),
        trace(run.options_.trace),
        lane(trace == nullptr ? nullptr : &trace->lane()) {}

  Status execute(uint32_t number) {
    const Thunk& thunk = thunks[number];
    context.thunk = &thunk;
    watched.enter(thunk);
    if (trace == nullptr) return hilo::execute(thunk, context);
    const int64_t start = trace->nowNs();
    Status done = hilo::execute(thunk, context);
    lane->add({.device = static_cast<uint32_t>(context.link.device),
               .sequence = sequence,
               .thunk = number,
               .startNs = start,
               .durationNs = trace->nowNs() - start});
    return done;
  }

  const ThunkSequence& thunks;
  uint32_t sequence;
  ThunkContext context;
  RunWatch::Frame watched;
  ThunkTrace* trace;
  ThunkTrace::Lane* lane;
};

DeviceRun::DeviceRun(const Executor::State& executor, Communicator& communicator, int64_t device,
                     const ExecuteOptions& options)
    : executor_(executor),
      options_(options),
      link_{.communicator = communicator,
            .device = device,
            .host = HostFeed(infeedOf(options.infeeds, device)),
            .started = {}},
      ids_{static_cast<uint32_t>(device / communicator.grid().partitions),
           static_cast<uint32_t>(device % communicator.grid().partitions)},
      bases_(executor.program->allocations.size()),
      context_{.program = *executor.program,
               .link = link_,
               .customCalls = executor.customCalls,
               .bases = bases_,
               .kernels = executor.kernels,
               .threads = hostThreads(),
               .cancel = options.cancel,
               .runSequence = [this](uint32_t sequence) { return runSequence(sequence); },
               .runHosted =
                   [this](uint32_t program, std::vector<const std::byte*> operands,
                          std::vector<std::byte*> results) {
                     return executor_.hosted.run(program, std::move(operands), std::move(results), options_);
                   }} {
  link_.started.resize(executor.program->collectives.size());
}

DeviceRun::~DeviceRun() {
  for (SpareMemory::Block& block : owned_) {
    if (block.bytes != nullptr) executor_.spareTemporaries.give(std::move(block));
  }
}

// The caller's memory for a result that is all there is in the allocation: written there, it need not be
// copied. Null where it lies elsewhere or otherwise.
std::byte* DeviceRun::resultIn(uint32_t allocation, const DeviceMemory& memory) const {
  const Program& program = *executor_.program;
  for (size_t i = 0; i < program.resultSlices.size(); ++i) {
    const BufferSlice& slice = program.resultSlices[i];
    if (slice.allocation != allocation || slice.offsetBytes != 0 ||
        slice.sizeBytes != program.allocations[allocation].sizeBytes)
      continue;
    const bool isAligned =
        reinterpret_cast<uintptr_t>(memory.results[i]) % static_cast<size_t>(SpareMemory::kAlignment) == 0;
    if (isAligned && isRowMajor(executor_.resultLeaves[i])) return memory.results[i];
  }
  return nullptr;
}

namespace {

// Kernels read whole elements where they lie; of complex ones each half.
Status checkAlignment(const std::byte* argument, uint32_t leaf, Shape shape) {
  const auto bytes = elementStorageBytes(shape.elementType());
  const size_t needed = isComplex(shape.elementType()) ? bytes / 2 : bytes;
  if (reinterpret_cast<uintptr_t>(argument) % needed == 0) return {};
  return fail(
      "misaligned-argument",
      fmt::format("array {} of the arguments, {}, begins at an address that is no multiple of {} bytes", leaf,
                  toString(shape), needed));
}

}  // namespace

Status DeviceRun::prepare(const DeviceMemory& memory, int64_t limitBytes) {
  const Program& program = *executor_.program;
  int64_t total = 0;
  for (size_t i = 0; i < program.allocations.size(); ++i) {
    const Allocation& allocation = program.allocations[i];
    if (allocation.kind == AllocationKind::Constant) {
      // Kernels only read it.
      bases_[i] = const_cast<std::byte*>(program.constants[allocation.number].data());
      continue;
    }
    if (allocation.kind == AllocationKind::DeviceIds) {
      bases_[i] = reinterpret_cast<std::byte*>(ids_);
      continue;
    }
    if (allocation.kind == AllocationKind::ArgumentSizes) {
      bases_[i] = reinterpret_cast<std::byte*>(const_cast<int32_t*>(memory.argumentSizes));
      continue;
    }
    const bool isParameter = allocation.kind == AllocationKind::Parameter;
    if (isParameter && isRowMajor(executor_.parameterLeaves[allocation.number])) {
      TRY_STATUS(checkAlignment(memory.arguments[allocation.number], allocation.number,
                                executor_.parameterLeaves[allocation.number]));
      bases_[i] = const_cast<std::byte*>(memory.arguments[allocation.number]);
      continue;
    }
    if (std::byte* result = isParameter ? nullptr : resultIn(static_cast<uint32_t>(i), memory)) {
      bases_[i] = result;
      continue;
    }
    if (allocation.sizeBytes > limitBytes - total)
      return fail("out-of-memory", fmt::format("the program needs more than {} bytes at once", limitBytes));
    total += allocation.sizeBytes;
    owned_.push_back(executor_.spareTemporaries.take(allocation.sizeBytes));
    if (owned_.back().bytes == nullptr)
      return fail("out-of-memory", fmt::format("no room for {} bytes of buffers", allocation.sizeBytes));
    bases_[i] = owned_.back().bytes.get();
    if (isParameter) {
      copyToBuffer(bases_[i], memory.arguments[allocation.number],
                   executor_.parameterLeaves[allocation.number]);
    }
  }
  return {};
}

Status DeviceRun::run(const DeviceMemory& memory, int64_t limitBytes) {
  TRY_STATUS(prepare(memory, limitBytes));
  TRY_STATUS(startCustomCalls(context_));
  TRY_STATUS(runSequence(0));
  for (size_t i = 0; i < executor_.resultLeaves.size(); ++i) {
    const std::byte* made = context_.at(executor_.program->resultSlices[i]);
    if (made != memory.results[i]) copyFromBuffer(memory.results[i], made, executor_.resultLeaves[i]);
  }
  const auto& sizes = executor_.program->resultSizes;
  for (size_t i = 0; i < sizes.size(); ++i)
    std::memcpy(memory.resultSizes[i], context_.at(sizes[i].size), sizeof(int32_t));
  return {};
}

Status DeviceRun::runSequence(uint32_t sequence) {
  return executor_.sequences[sequence].parallel && !options_.sequential ? runGraph(sequence)
                                                                        : runInOrder(sequence);
}

Status DeviceRun::runInOrder(uint32_t sequence) {
  Frame frame(*this, sequence);
  const auto count = static_cast<uint32_t>(frame.thunks.size());
  for (uint32_t i = 0; i < count; ++i) {
    if (i % 64 == 0 && options_.cancel.cancelled()) return fail("cancelled", "the run was cancelled");
    TRY_STATUS(frame.execute(i));
  }
  return {};
}

Status DeviceRun::runGraph(uint32_t sequence) {
  ThreadPool& threads = context_.threads;
  auto run =
      std::make_shared<GraphRun>(executor_.sequences[sequence].graph, executor_.program->sequences[sequence]);
  // A thread's frame is made at the first thunk it takes: a helper that comes when all is done finds nothing
  // ready, and touches nothing but `run`.
  const auto work = [this, run, &threads, sequence](bool isCaller, const std::function<void()>& help) {
    std::optional<Frame> frame;
    run->work(
        threads, isCaller,
        [&](uint32_t thunk) -> Status {
          // First, so that a thread that took a thunk leaves the run, whatever becomes of it.
          if (!frame) frame.emplace(*this, sequence);
          if (options_.cancel.cancelled()) return fail("cancelled", "the run was cancelled");
          return frame->execute(thunk);
        },
        help);
    if (isCaller || !frame) return;
    frame.reset();
    run->leave();
  };
  auto help = std::make_shared<std::function<void()>>();
  std::weak_ptr<std::function<void()>> again = help;
  *help = [work, again] {
    const auto self = again.lock();
    if (self != nullptr) work(false, *self);
  };
  work(true, *help);
  return run->finish();
}

}  // namespace hilo
