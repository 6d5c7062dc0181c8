// One device of one run of a program.
#pragma once

#include <span>
#include <vector>

#include "core/runtime/device/host/host_code.h"
#include "core/runtime/device/host/kernel_function.h"
#include "core/runtime/executor/execution_graph.h"
#include "core/runtime/executor/executor.h"
#include "core/runtime/executor/hosted_programs.h"
#include "core/runtime/executor/spare_memory.h"
#include "core/runtime/thunk/custom_calls.h"
#include "core/runtime/thunk/device_link.h"
#include "core/runtime/thunk/host/thunk.h"

namespace hilo {

struct PreparedSequence {
  ExecutionGraph graph;  // only when parallel
  bool parallel = false;
};

// What all runs of a program share.
struct Executor::State {
  std::shared_ptr<const Program> program;
  std::vector<HostCode> objects;
  std::vector<KernelCall> kernels;
  HostedPrograms hosted;
  CustomCalls customCalls;
  std::vector<PreparedSequence> sequences;
  std::vector<Shape> parameterLeaves, resultLeaves;
  mutable SpareMemory spareTemporaries{int64_t{4} << 30};
  mutable std::once_flag constantsLookedAt;
  mutable Status constants;
};

class DeviceRun {
 public:
  DeviceRun(const Executor::State& executor, Communicator& communicator, int64_t device,
            const ExecuteOptions& options);
  ~DeviceRun();
  DeviceRun(const DeviceRun&) = delete;
  DeviceRun& operator=(const DeviceRun&) = delete;

  // Gives every allocation its room, runs, and takes the results out.
  Status run(const DeviceMemory& memory, int64_t limitBytes);
  std::vector<Literal> takeOutfeed() { return link_.host.takeOutfeed(); }

 private:
  // A thread at work on a sequence.
  struct Frame;

  std::byte* resultIn(uint32_t allocation, const DeviceMemory& memory) const;
  Status prepare(const DeviceMemory& memory, int64_t limitBytes);
  Status runSequence(uint32_t sequence);
  Status runInOrder(uint32_t sequence);
  Status runGraph(uint32_t sequence);

  const Executor::State& executor_;
  const ExecuteOptions& options_;
  DeviceLink link_;
  uint32_t ids_[2];
  std::vector<std::byte*> bases_;
  std::vector<SpareMemory::Block> owned_;
  ThunkContext context_;
};

}  // namespace hilo
