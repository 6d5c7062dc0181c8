// Work of a device as a graph of the driver's.
#pragma once

#include "core/runtime/device/cuda/cuda_conditions.h"
#include "core/runtime/device/device_graph.h"

namespace hilo {

class CudaGraph final : public DeviceGraph {
 public:
  // Error kinds: "no-graphs", and the driver's.
  static Result<std::unique_ptr<DeviceGraph>> make(const CudaContext& context, CudaConditions& conditions,
                                                   const WorkGraph& work);
  ~CudaGraph() override;

  // By the driver, and made anew where it cannot.
  Status update(const WorkGraph& work) override;
  Status launch(Stream& stream) override;

 private:
  CudaGraph(const CudaContext& context, CudaConditions& conditions)
      : context_(context), conditions_(conditions) {}
  Status instantiate(DriverGraph graph);

  const CudaContext& context_;
  CudaConditions& conditions_;
  DriverGraphRun run_ = nullptr;
};

}  // namespace hilo
