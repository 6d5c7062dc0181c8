#include "core/runtime/executor/stream_run.h"

#include <fmt/format.h>

#include "core/runtime/program/allocation_name.h"
#include "core/runtime/thunk/device/grid_kernel.h"
#include "core/runtime/thunk/device/host_step.h"

namespace hilo {

StreamRun::StreamRun(const DeviceExecutor::State& executor, Communicator& communicator, int64_t device,
                     const ExecuteOptions& options, GpuCliques* cliques)
    : executor_(executor),
      program_(*executor.program),
      options_(options),
      link_{.communicator = communicator,
            .device = device,
            .host = HostFeed(infeedOf(options.infeeds, device)),
            .started = {}},
      cliques_(cliques),
      calledKernels_(*executor.program, *executor.device, executor.kernels),
      ids_{static_cast<uint32_t>(device / communicator.grid().partitions),
           static_cast<uint32_t>(device % communicator.grid().partitions)},
      memory_(executor, ids_) {
  link_.started.resize(program_.collectives.size());
}

// Of a device that is broken nothing can be given back, and nobody could do anything about it.
StreamRun::~StreamRun() {
  if (streams_.empty()) return;
  for (const auto& stream : streams_) (void)stream->synchronize();
  memory_.giveBack(*streams_[0]);
  (void)streams_[0]->synchronize();
  for (GraphPool::Lent& graph : graphs_) executor_.graphs.giveBack(std::move(graph));
}

Status StreamRun::run(const DeviceMemory& memory, int64_t limitBytes) {
  Status done = runAll(memory, limitBytes);
  // What a thunk of the host met on the device comes before what came of it.
  Status called = calledKernels_.takeFailure();
  return called ? done : called;
}

Status StreamRun::runAll(const DeviceMemory& memory, int64_t limitBytes) {
  TRY_STATUS(makeStreams());
  TRY_STATUS(memory_.fill(*streams_[0], memory, limitBytes));
  TRY_STATUS(startGpuCalls());
  TRY_STATUS(runSequence(0, 0));
  TRY_STATUS(memory_.takeResults(*streams_[0], memory));
  return tellTimes();
}

Status StreamRun::makeStreams() {
  uint32_t most = 1;
  for (const StreamPlan& plan : plans()) most = std::max(most, plan.streams);
  for (uint32_t s = 0; s < most; ++s) {
    TRY(auto stream, executor_.device->makeStream());
    streams_.push_back(std::move(stream));
  }
  if (options_.trace == nullptr) return {};
  TRY(times_, RunTimes::begin(*executor_.device, *streams_[0], *options_.trace));
  return {};
}

Result<Event*> StreamRun::newEvent() {
  TRY(auto event, executor_.device->makeEvent());
  events_.push_back(std::move(event));
  return events_.back().get();
}

Status StreamRun::fork(uint32_t first, uint32_t streams) {
  if (streams == 1) return {};
  TRY(Event* const begun, newEvent());
  TRY_STATUS(streamOf(first).record(*begun));
  for (uint32_t s = 1; s < streams; ++s) TRY_STATUS(streamOf(first + s).waitFor(*begun));
  return {};
}

Status StreamRun::join(uint32_t first, uint32_t streams) {
  for (uint32_t s = 1; s < streams; ++s) {
    TRY(Event* const ended, newEvent());
    TRY_STATUS(streamOf(first + s).record(*ended));
    TRY_STATUS(streamOf(first).waitFor(*ended));
  }
  return {};
}

// Thunk by thunk but for the runs that are graphs.
Status StreamRun::runWithGraphs(uint32_t sequence, uint32_t stream) {
  RunWatch::Frame watched(options_.watch, link_.device);
  const ThunkSequence& thunks = program_.sequences[sequence];
  const std::vector<GraphRange>& graphs = executor_.graphPlans[sequence].graphs;
  auto next = graphs.begin();
  for (uint32_t t = 0; t < thunks.size();) {
    if (options_.cancel.cancelled()) return fail("cancelled", "the run was cancelled");
    watched.enter(thunks[t]);
    if (next != graphs.end() && next->begin == t) {
      TRY_STATUS(runGraph(sequence, *next, stream));
      t = (next++)->end;
      continue;
    }
    TRY_STATUS(runStep(sequence, {.thunk = t}, stream));
    ++t;
  }
  return {};
}

// One that another run made is told the addresses of this one.
Status StreamRun::runGraph(uint32_t sequence, GraphRange range, uint32_t stream) {
  auto lent = std::ranges::find_if(graphs_, [&](const GraphPool::Lent& graph) {
    return graph.sequence == sequence && graph.range == range;
  });
  if (lent == graphs_.end()) {
    const WorkGraphSource source{.program = program_,
                                 .kernels = executor_.kernels,
                                 .bases = memory_.bases(),
                                 .noteOf = [this](const Thunk& thunk) { return noteOf(thunk); }};
    TRY(const WorkGraph work, makeWorkGraph(source, sequence, range));
    TRY(auto graph, executor_.graphs.take(*executor_.device, sequence, range, work, memory_.bases()));
    graphs_.push_back(std::move(graph));
    lent = std::prev(graphs_.end());
  }
  Status done = lent->graph->launch(streamOf(stream));
  if (!done && done.error().place.instruction.empty())
    done.error().place.instruction = program_.sequences[sequence][range.begin].name;
  return done;
}

Status StreamRun::runSequence(uint32_t sequence, uint32_t first) {
  if (hasGraphs()) return runWithGraphs(sequence, first);
  const StreamPlan& plan = plans()[sequence];
  RunWatch::Frame watched(options_.watch, link_.device);
  const size_t outer = events_.size();
  TRY_STATUS(fork(first, plan.streams));
  std::vector<Event*> reached(plan.steps.size());
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    if (options_.cancel.cancelled()) return fail("cancelled", "the run was cancelled");
    const StreamStep& step = plan.steps[i];
    const uint32_t stream = first + step.stream;
    watched.enter(program_.sequences[sequence][step.thunk]);
    for (const uint32_t earlier : step.waits) TRY_STATUS(streamOf(stream).waitFor(*reached[earlier]));
    TRY_STATUS(runStep(sequence, step, stream));
    if (!step.isWaitedFor) continue;
    TRY(reached[i], newEvent());
    TRY_STATUS(streamOf(stream).record(*reached[i]));
  }
  TRY_STATUS(join(first, plan.streams));
  // A loop runs its sequences many times. The driver keeps what it needs of an event that is waited for.
  events_.resize(outer);
  return {};
}

Status StreamRun::runStep(uint32_t sequence, const StreamStep& step, uint32_t stream) {
  const Thunk& thunk = program_.sequences[sequence][step.thunk];
  note(thunk, stream);
  const ThunkEvent event{.device = static_cast<uint32_t>(link_.device),
                         .thread = stream % static_cast<uint32_t>(streams_.size()),
                         .sequence = sequence,
                         .thunk = step.thunk};
  const auto work = [&] { return runThunk(thunk, stream); };
  Status done =
      times_ == nullptr ? work() : times_->timed(streamOf(stream), event, isOfDeviceAlone(thunk), work);
  if (!done && done.error().place.instruction.empty()) done.error().place.instruction = thunk.name;
  return done;
}

bool StreamRun::isOfDeviceAlone(const Thunk& thunk) const {
  switch (thunk.kind()) {
    case ThunkKind::Kernel:
    case ThunkKind::Copy:
      return true;
    case ThunkKind::Library:
      return executor_.libraries.has_value();
    default:
      return gpuCallOf(executor_.customCalls, thunk) != nullptr;
  }
}

Status StreamRun::runThunk(const Thunk& thunk, uint32_t stream) {
  if (const auto* kernel = std::get_if<KernelThunk>(&thunk.body)) return runKernel(*kernel, stream);
  if (const auto* copy = std::get_if<CopyThunk>(&thunk.body))
    return streamOf(stream).copy(at(copy->destination), at(copy->source), copy->source.sizeBytes);
  if (thunk.kind() == ThunkKind::While) return runLoop(thunk, stream);
  if (const auto* choice = std::get_if<ConditionalThunk>(&thunk.body)) return runChoice(*choice, stream);
  if (const auto* asked = std::get_if<LibraryThunk>(&thunk.body); asked != nullptr && executor_.libraries)
    return runLibrary(*asked, stream);
  if (FfiCall* const call = gpuCallOf(executor_.customCalls, thunk))
    return runOnGpu(*call, std::get<CustomCallThunk>(thunk.body), stream);
  if (const auto* collective = std::get_if<CollectiveThunk>(&thunk.body);
      collective != nullptr && cliques_ != nullptr &&
      Nccl::whyNot(program_.collectives[collective->collective]).empty())
    return runCollective(*collective, thunk.name, stream);
  TRY_STATUS(runOnHost(thunk, stream));
  return noteAddresses(thunk, stream);
}

// Of an all-gather of addresses, whose rows are the arrays there: kernels that read the result read them too.
Status StreamRun::noteAddresses(const Thunk& thunk, uint32_t stream) {
  const auto* gather = std::get_if<CollectiveThunk>(&thunk.body);
  if (gather == nullptr || !executor_.device->takesNotes()) return {};
  const Collective& of = program_.collectives[gather->collective];
  if (of.kind != CollectiveKind::AllGather || of.rowBytes == 0) return {};
  const WriteSlice& result = gather->results[0];
  std::vector<DeviceAddress> addresses(static_cast<size_t>(result.sizeBytes) / sizeof(DeviceAddress));
  TRY_STATUS(readNow(result, std::as_writable_bytes(std::span(addresses)), stream));
  std::vector<WorkNote::Use>& read = readElsewhere_[at(result)];
  read.clear();
  for (size_t i = 0; i < addresses.size(); ++i)
    read.push_back({addresses[i], of.rowBytes, fmt::format("what rank {} shared", i), false});
  return {};
}

// What is started gives its operands' memory away before the results have theirs.
Status StreamRun::keepOperands(const CollectiveThunk& thunk, uint32_t stream) {
  std::vector<KeptOperand>& kept = kept_[thunk.collective];
  for (const ReadSlice& slice : thunk.operands) {
    TRY(const DeviceAddress copy, streamOf(stream).allocate(std::max<int64_t>(1, slice.sizeBytes)));
    kept.push_back({copy, slice.sizeBytes});
    if (slice.sizeBytes > 0) TRY_STATUS(streamOf(stream).copy(copy, at(slice), slice.sizeBytes));
  }
  return {};
}

Status StreamRun::runCollective(const CollectiveThunk& thunk, const std::string& name, uint32_t stream) {
  if (thunk.phase == CollectivePhase::Start) return keepOperands(thunk, stream);
  const std::vector<KeptOperand> kept = std::exchange(kept_[thunk.collective], {});
  CollectiveArrays arrays;
  for (const KeptOperand& operand : kept) {
    arrays.at.operands.push_back(operand.at);
    arrays.operandBytes.push_back(operand.bytes);
  }
  for (const ReadSlice& slice : thunk.operands) {
    arrays.at.operands.push_back(at(slice));
    arrays.operandBytes.push_back(slice.sizeBytes);
  }
  for (const WriteSlice& slice : thunk.results) {
    arrays.at.results.push_back(at(slice));
    arrays.resultBytes.push_back(slice.sizeBytes);
  }
  TRY_STATUS(
      runOnClique(*cliques_, program_.collectives[thunk.collective], name, arrays, link_, streamOf(stream)));
  for (const KeptOperand& operand : kept) TRY_STATUS(streamOf(stream).free(operand.at));
  return {};
}

Status StreamRun::runLibrary(const LibraryThunk& thunk, uint32_t stream) {
  LibraryArrays arrays;
  for (const ReadSlice& slice : thunk.operands) arrays.operands.push_back(at(slice));
  for (const WriteSlice& slice : thunk.results) arrays.results.push_back(at(slice));
  return executor_.libraries->run(thunk.call, arrays, streamOf(stream));
}

// Memory that a handler asks for is that of the stream.
FfiMemory StreamRun::memoryOf(Stream& stream) {
  return {.allocate = [&stream](size_t size, size_t) -> Result<void*> {
            TRY(const DeviceAddress address, stream.allocate(static_cast<int64_t>(size)));
            return reinterpret_cast<void*>(static_cast<uint64_t>(address));
          },
          .free =
              [&stream](void* address) {
                return stream.free(static_cast<DeviceAddress>(reinterpret_cast<uintptr_t>(address)));
              }};
}

// The handler gives work to the stream itself. `memory` outlives what is returned.
FfiStart StreamRun::startOf(const CustomCallThunk& thunk, Stream& stream, const FfiMemory& memory) const {
  std::vector<void*> buffers;
  const auto add = [&](const BufferSlice& slice) {
    buffers.push_back(reinterpret_cast<void*>(static_cast<uint64_t>(at(slice))));
  };
  for (const ReadSlice& slice : thunk.operands) add(slice);
  for (const WriteSlice& slice : thunk.results) add(slice);
  return {std::move(buffers),
          {.runId = static_cast<int64_t>(reinterpret_cast<intptr_t>(&link_.communicator)),
           .device = link_.device,
           .stream = stream.native(),
           .memory = &memory,
           .cancel = options_.cancel}};
}

Status StreamRun::startGpuCalls() {
  Stream& stream = streamOf(0);
  const FfiMemory memory = memoryOf(stream);
  return startFfiCalls(program_, executor_.customCalls, link_.ffi,
                       [&](FfiCall& call, const CustomCallThunk& thunk) -> std::optional<FfiStart> {
                         if (!call.isForGpu()) return std::nullopt;
                         return startOf(thunk, stream, memory);
                       });
}

Status StreamRun::runOnGpu(FfiCall& call, const CustomCallThunk& thunk, uint32_t stream) {
  const FfiMemory memory = memoryOf(streamOf(stream));
  const FfiStart start = startOf(thunk, streamOf(stream), memory);
  return call.execute(link_.ffi, start.buffers, start.place);
}

Status StreamRun::runKernel(const KernelThunk& thunk, uint32_t stream) {
  if (thunk.iterations == 0) return {};
  std::vector<DeviceAddress> buffers;
  for (const ReadSlice& slice : thunk.arguments) buffers.push_back(at(slice));
  for (const WriteSlice& slice : thunk.results) buffers.push_back(at(slice));
  return launchGrid(streamOf(stream), *executor_.kernels[thunk.kernel], program_.kernels[thunk.kernel].launch,
                    buffers, thunk.iterations);
}

Status StreamRun::readNow(const BufferSlice& slice, std::span<std::byte> to, uint32_t stream) {
  TRY_STATUS(streamOf(stream).copyOut(to, at(slice)));
  return streamOf(stream).synchronize();
}

Status StreamRun::runLoop(const Thunk& loop, uint32_t stream) {
  const auto& thunk = std::get<WhileThunk>(loop.body);
  while (true) {
    TRY_STATUS(runSequence(thunk.condition, stream));
    note(loop, stream);
    std::byte test{};
    TRY_STATUS(readNow(thunk.test, {&test, 1}, stream));
    if (test == std::byte{0}) return {};
    TRY_STATUS(runSequence(thunk.body, stream));
  }
}

Status StreamRun::runChoice(const ConditionalThunk& thunk, uint32_t stream) {
  std::byte bytes[sizeof(int32_t)] = {};
  TRY_STATUS(readNow(thunk.selector, {bytes, thunk.byPred ? 1 : sizeof(bytes)}, stream));
  return runSequence(thunk.branches[branchChosen(thunk, bytes)], stream);
}

Status StreamRun::runOnHost(const Thunk& thunk, uint32_t stream) {
  const ThunkContext context{.program = program_,
                             .link = link_,
                             .customCalls = executor_.customCalls,
                             .bases = {},
                             .kernels = calledKernels_.calls(),
                             .threads = hostThreads(),
                             .cancel = options_.cancel,
                             .runSequence = nullptr,
                             .runHosted = [this](uint32_t program, std::vector<const std::byte*> operands,
                                                 std::vector<std::byte*> results) {
                               return executor_.hosted.run(program, std::move(operands), std::move(results),
                                                           options_);
                             }};
  return runHostStep(thunk, context, streamOf(stream), memory_.bases());
}

void StreamRun::note(const Thunk& thunk, uint32_t stream) {
  if (executor_.device->takesNotes()) streamOf(stream).note(noteOf(thunk));
}

WorkNote StreamRun::noteOf(const Thunk& thunk) const {
  WorkNote note{.name = thunk.name, .uses = {}};
  size_t operand = 0, result = 0;
  for (const BufferUse& use : bufferUses(thunk)) {
    const Allocation& allocation = program_.allocations[use.slice.allocation];
    const std::string place =
        fmt::format("bytes {} to {} of allocation {} ({})", use.slice.offsetBytes, use.slice.endBytes(),
                    use.slice.allocation, allocationName(allocation));
    const std::string name = use.writes ? fmt::format("result {} of {}", result++, thunk.name)
                                        : fmt::format("argument {} of {}", operand++, thunk.name);
    note.uses.push_back({at(use.slice), use.slice.sizeBytes, fmt::format("{}, {}", name, place), use.writes});
    const auto read = readElsewhere_.find(at(use.slice));
    if (read != readElsewhere_.end() && !use.writes)
      note.uses.insert(note.uses.end(), read->second.begin(), read->second.end());
  }
  return note;
}

// Lanes are streams, of each device its own.
Status StreamRun::tellTimes() {
  if (times_ == nullptr) return {};
  for (const auto& stream : streams_) TRY_STATUS(stream->synchronize());
  return times_->tell();
}

}  // namespace hilo
