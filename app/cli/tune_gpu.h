// `hilo tune --target`: kernels for a GPU.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/hlo/ir/module.h"
#include "core/workspace/run/worker.h"

namespace hilo::cli {

struct GpuTuneOptions {
  std::string target;  // a device: "h100", or a file
  std::string engine = "cuda-sim";
  std::string importFrom, exportTo;  // files of XLA's autotune results
  std::string only, store, output;
  uint64_t seed = 0;
  int repeat = 20;
  size_t tilings = 8;
  bool noPasses = false, again = false, json = false;
  std::optional<WorkerOptions> worker = std::nullopt;
};

// The exit status.
int tuneGpu(const std::shared_ptr<const Module>& module, const GpuTuneOptions& options);

}  // namespace hilo::cli
