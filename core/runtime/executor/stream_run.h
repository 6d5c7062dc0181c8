// One device of one run of a program on the streams of a device.
#pragma once

#include <map>
#include <mutex>
#include <vector>

#include "core/runtime/executor/device_executor.h"
#include "core/runtime/executor/gpu_cliques.h"
#include "core/runtime/executor/graph_pool.h"
#include "core/runtime/executor/hosted_programs.h"
#include "core/runtime/executor/run_times.h"
#include "core/runtime/executor/stream_memory.h"
#include "core/runtime/libraries/gpu_libraries.h"
#include "core/runtime/thunk/device/called_kernels.h"
#include "core/runtime/thunk/device_link.h"
#include "core/runtime/thunk/host/thunk.h"

namespace hilo {

// What all runs of a program share.
struct DeviceExecutor::State {
  ~State();
  std::shared_ptr<const Program> program;
  std::unique_ptr<Device> device;  // outlives all below
  std::vector<std::unique_ptr<DeviceCode>> code;
  std::vector<std::unique_ptr<DeviceKernel>> kernels;
  CustomCalls customCalls;
  HostedPrograms hosted;
  std::optional<GpuLibraries> libraries;        // of a device that has any
  std::vector<StreamPlan> plans, plansInOrder;  // by sequence
  std::vector<GraphPlan> graphPlans;            // by sequence; none: nothing is a graph
  mutable GraphPool graphs;
  std::vector<Shape> parameterLeaves, resultLeaves;
  std::unique_ptr<Stream> stream;        // of the constants
  std::vector<DeviceAddress> constants;  // by allocation
  std::once_flag constantsCopied;
  Status constantsStatus;
};

class StreamRun {
 public:
  // `cliques`: null where the host does what devices do together.
  StreamRun(const DeviceExecutor::State& executor, Communicator& communicator, int64_t device,
            const ExecuteOptions& options, GpuCliques* cliques = nullptr);
  ~StreamRun();
  StreamRun(const StreamRun&) = delete;
  StreamRun& operator=(const StreamRun&) = delete;

  // Makes streams and memory, copies the arguments in, runs, and copies the results out.
  Status run(const DeviceMemory& memory, int64_t limitBytes);
  std::vector<Literal> takeOutfeed() { return link_.host.takeOutfeed(); }
  // What is to be known of the run though nothing failed.
  std::optional<Diagnostic> takeNote() { return times_ == nullptr ? std::nullopt : times_->takeNote(); }

 private:
  // What a collective that was started has of its operands.
  struct KeptOperand {
    DeviceAddress at{};
    int64_t bytes = 0;
  };

  Status runAll(const DeviceMemory& memory, int64_t limitBytes);
  Status makeStreams();
  // What custom calls of the GPU do before anything is executed.
  Status startGpuCalls();
  // On the streams from `first` on, around: what is given to `first` before and after is before and after it.
  Status runSequence(uint32_t sequence, uint32_t first);
  // What is traced is given thunk by thunk, so that each has its time.
  bool hasGraphs() const { return !executor_.graphPlans.empty() && options_.trace == nullptr; }
  const std::vector<StreamPlan>& plans() const {
    return options_.sequential || hasGraphs() ? executor_.plansInOrder : executor_.plans;
  }
  Status fork(uint32_t first, uint32_t streams);
  Status join(uint32_t first, uint32_t streams);
  Status runWithGraphs(uint32_t sequence, uint32_t stream);
  Status runGraph(uint32_t sequence, GraphRange range, uint32_t stream);
  Status runStep(uint32_t sequence, const StreamStep& step, uint32_t stream);
  Status runThunk(const Thunk& thunk, uint32_t stream);
  // Whether the host does nothing of it but give it to a stream.
  bool isOfDeviceAlone(const Thunk& thunk) const;
  Status runKernel(const KernelThunk& thunk, uint32_t stream);
  Status runLoop(const Thunk& loop, uint32_t stream);
  Status runChoice(const ConditionalThunk& thunk, uint32_t stream);
  Status runOnHost(const Thunk& thunk, uint32_t stream);
  // Among the GPUs. One that is started keeps its operands until its other half is run.
  Status runCollective(const CollectiveThunk& thunk, const std::string& name, uint32_t stream);
  Status keepOperands(const CollectiveThunk& thunk, uint32_t stream);
  Status runLibrary(const LibraryThunk& thunk, uint32_t stream);
  static FfiMemory memoryOf(Stream& stream);
  FfiStart startOf(const CustomCallThunk& thunk, Stream& stream, const FfiMemory& memory) const;
  Status runOnGpu(FfiCall& call, const CustomCallThunk& thunk, uint32_t stream);
  Status noteAddresses(const Thunk& thunk, uint32_t stream);
  Status readNow(const BufferSlice& slice, std::span<std::byte> to, uint32_t stream);
  Status tellTimes();
  Result<Event*> newEvent();
  WorkNote noteOf(const Thunk& thunk) const;
  void note(const Thunk& thunk, uint32_t stream);
  DeviceAddress at(const BufferSlice& slice) const { return memory_.at(slice); }
  Stream& streamOf(uint32_t number) { return *streams_[number % streams_.size()]; }

  const DeviceExecutor::State& executor_;
  const Program& program_;
  const ExecuteOptions& options_;
  DeviceLink link_;
  GpuCliques* const cliques_;
  CalledKernels calledKernels_;
  std::map<uint32_t, std::vector<KeptOperand>> kept_;                  // by collective that was started
  std::map<DeviceAddress, std::vector<WorkNote::Use>> readElsewhere_;  // by where their addresses lie
  uint32_t ids_[2];
  StreamMemory memory_;
  std::vector<std::unique_ptr<Stream>> streams_;
  std::vector<std::unique_ptr<Event>> events_;
  std::vector<GraphPool::Lent> graphs_;  // until the run ends
  std::unique_ptr<RunTimes> times_;      // null: the run is not traced
};

}  // namespace hilo
