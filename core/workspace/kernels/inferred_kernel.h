// A kernel with the layouts of its arrays (core/analysis/kernel_layouts/inference), wherever it comes from:
// text, or a payload that a plug-in has read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/kernel_layouts/inference/kernel_layouts.h"
#include "core/base/cancel.h"
#include "core/base/result.h"
#include "core/workspace/kernels/found_kernels.h"
#include "core/workspace/kernels/studied_kernel.h"

namespace hilo {

struct InferredKernel {
  inference::KernelDescription kernel;
  inference::KernelLayouts layouts;  // not found: why, in whyNoLayouts
  // Of a payload; lines of the layouts are lines of its text.
  std::optional<StudiedKernel> studied;
};

// Kinds: "kernel-text", "kernel-inference".
Result<InferredKernel> inferText(std::string_view text, const inference::SearchLimits& limits = {});
// Kinds besides: those of studyKernel; "no-kernel-text" of a kernel that layout inference cannot be asked
// about, "kernel-invalid" of one whose MLIR is not valid.
Result<InferredKernel> inferPayload(std::string_view bytes, const std::string& path,
                                    const inference::SearchLimits& limits = {});
// Of a custom call; kinds besides: those of kernelPayload.
Result<InferredKernel> inferCall(const Instruction& instruction, const inference::SearchLimits& limits = {});

}  // namespace hilo
