// The code of a hand-written kernel, and what it gives when run.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/analysis/kernel_layouts/inference/kernel_layouts.h"

namespace hilo::cli {

struct KernelCodeOptions {
  bool llvm = false, run = false, checks = false;
  std::string ptx;  // for this GPU; "": none
  uint64_t seed = 0;

  bool wantsAny() const { return llvm || run || !ptx.empty(); }
};

// Prints what is asked for, or puts it into `json` where there is one. The layouts are found. False where
// there is no code, the run failed, or something was found.
bool showKernelCode(const inference::KernelDescription& kernel, const inference::KernelLayouts& layouts,
                    const KernelCodeOptions& options, const std::string& path, nlohmann::json* json);

}  // namespace hilo::cli
