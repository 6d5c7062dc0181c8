// Runs programs of grids on a device: their kernels and copies on its streams, ordered by events; what the
// device has no code for (sorts, custom calls, collectives, hosted programs, the conditions of loops) by the
// host, beside what the streams are at. Constants are copied once, arguments and results with each run;
// memory is the device's own, in the order of the streams.
#pragma once

#include "core/runtime/device/device.h"
#include "core/runtime/executor/executor.h"
#include "core/runtime/executor/stream_plan.h"

namespace hilo {

struct DeviceExecutorOptions {
  uint32_t streams = 4;
  // One a sequence, in the place of makeStreamPlan's.
  std::vector<StreamPlan> plans = {};
  // Thunks in a row from which on they are one graph (graph_plan.h); 0: none are. With graphs everything is
  // given to one stream in the order listed: what may overlap does so within a graph.
  uint32_t graphThunks = 0;
};

// Several virtual devices of a run share the one there is.
class DeviceExecutor : public ProgramRunner {
 public:
  // Error kinds: "malformed-program", "unknown-custom-call", and those of Device::load and of what it loads,
  // with the kernel as the place's instruction.
  static Result<std::unique_ptr<DeviceExecutor>> make(std::shared_ptr<const Program> program,
                                                      std::unique_ptr<Device> device,
                                                      const FindCustomCall& findCustomCall,
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
  explicit DeviceExecutor(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace hilo
