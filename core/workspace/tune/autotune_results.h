// XLA's files of what its autotuner chose: --xla_gpu_dump_autotune_results_to writes them and
// --xla_gpu_load_autotune_results_from reads them, as text (.pbtxt, .textproto, .txtpb) or binary. Entries
// are found by XLA's own key of an instruction. Source: xla/autotune_results.proto,
// xla/service/gpu/autotuning/autotune_cache_key.cc.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <span>

#include "core/analysis/cost/device.h"
#include "core/analysis/gpu_kernel_choice.h"
#include "core/hlo/ir/module.h"

namespace hilo {

// Of a fusion the canonical text of its computation, of others their own, backend_config and all.
std::string xlaAutotuneKey(const Instruction& instruction);
// "CUDA: 9.0, Cores: 132, GPU clock: 1.83 GHz, Memory bandwidth: 3350 GB/s, L2 cache: 50 MB, DNN version:
// 0.0.0" of a described device; which cuDNN there is, it does not say.
std::string xlaDeviceKey(const DeviceDescription& device);

struct XlaChoice {
  std::string text;                       // "triton 64x128x32, 4 warps, 3 stages", "cublas algorithm 13"
  std::optional<GpuKernelChoice> kernel;  // the nearest of Hilo's, where there is one
  int64_t runNs = 0;                      // 0: not said
  int64_t scratchBytes = 0;
};

class AutotuneResults {
 public:
  AutotuneResults();
  AutotuneResults(AutotuneResults&&) noexcept;
  AutotuneResults& operator=(AutotuneResults&&) noexcept;
  ~AutotuneResults();

  // Error kinds: "read-failed", those of parseBinaryMessage and parseTextMessage; "wrong-version" for other
  // than version 3, which XLA of 2023 and later writes.
  static Result<AutotuneResults> read(const std::string& path);
  // In the place of a file of this name. Error kind "write-failed".
  Status write(const std::string& path) const;

  size_t size() const;
  // Of a GPU of the device's compute capability.
  std::optional<XlaChoice> find(const DeviceDescription& device, const Instruction& instruction) const;
  // In the place of what was chosen for the instruction on a device of this key.
  void set(const DeviceDescription& device, const Instruction& instruction, const GpuKernelChoice& choice,
           int64_t runNs, int64_t scratchBytes);
  // Entries of the other that are not here.
  void addFrom(const AutotuneResults& other);

 private:
  struct Message;
  std::unique_ptr<Message> message_;
};

}  // namespace hilo
