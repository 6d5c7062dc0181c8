// Runs programs of grids on a device: their kernels and copies on its streams, ordered by events; what the
// device has no code for (sorts, custom calls, collectives, hosted programs, the conditions of loops) by the
// host, beside what the streams are at. Constants are copied once, arguments and results with each run;
// memory is the device's own, in the order of the streams.
#pragma once

#include "core/runtime/device/device.h"
#include "core/runtime/executor/executor.h"
#include "core/runtime/executor/stream_plan.h"
#include "core/runtime/libraries/files/loaded_library.h"

namespace hilo {

class GpuCliques;

struct DeviceExecutorOptions {
  uint32_t streams = 4;
  // One a sequence, in the place of makeStreamPlan's.
  std::vector<StreamPlan> plans = {};
  // Thunks in a row from which on they are one graph (graph_plan.h); 0: none are. With graphs everything is
  // given to one stream in the order listed: what may overlap does so within a graph.
  uint32_t graphThunks = 0;
};

// Devices of a run share those there are, one after the other. Where each has one of its own, and NCCL is
// there, that does their collectives; else the host does.
class DeviceExecutor : public ProgramRunner {
 public:
  // Error kinds: "malformed-program", "unknown-custom-call", and those of Device::load and of what it loads,
  // with the kernel as the place's instruction.
  static Result<std::unique_ptr<DeviceExecutor>> make(std::shared_ptr<const Program> program,
                                                      std::unique_ptr<Device> device,
                                                      const FindCustomCall& findCustomCall,
                                                      DeviceExecutorOptions options = {});
  // On several devices of one kind, at least one. `search`: where NCCL is looked for.
  static Result<std::unique_ptr<DeviceExecutor>> make(std::shared_ptr<const Program> program,
                                                      std::vector<std::unique_ptr<Device>> devices,
                                                      const FindCustomCall& findCustomCall,
                                                      const LibrarySearch& search,
                                                      DeviceExecutorOptions options = {});
  ~DeviceExecutor() override;

  const Program& program() const override;
  Status checkConstants() const override;
  // Error kinds besides: the device's, with the thunk as the place's instruction. A device is good for
  // nothing after most of them.
  Result<std::vector<std::vector<Literal>>> runOnMemory(DeviceGrid grid,
                                                        std::span<const DeviceMemory> devices,
                                                        const ExecuteOptions& options = {}) const override;

  struct State;

 protected:
  bool writesAllResults() const override { return false; }

 private:
  DeviceExecutor(std::vector<std::unique_ptr<State>> states, std::unique_ptr<GpuCliques> cliques);
  std::vector<std::unique_ptr<State>> states_;  // of each device
  std::unique_ptr<GpuCliques> cliques_;         // null: there is one device, or no NCCL
};

}  // namespace hilo
