// A kernel read by a plug-in and looked at: its text, what it asks of the GPU, what is wrong with it.
#pragma once

#include <string>

#include "core/base/cancel.h"
#include "core/base/result.h"
#include "core/workspace/kernels/kernel_description.h"

namespace hilo {

struct StudiedKernel {
  std::string format;  // "Mosaic GPU bytecode, version 6"
  std::string text;
  KernelDescription description;
  Diagnostics problems;  // of its MLIR: not valid; places are lines of `text`
  Diagnostics findings;  // of what it does (core/analysis/kernel_checks/kernel_checks.h): lines of `text` too
};

// `path` is what messages call it. Kinds: "no-kernel-plugin", those of the plug-in (it is damaged, of a
// version that is not known...), "cancelled".
Result<StudiedKernel> studyKernel(std::string_view bytes, const std::string& path,
                                  const CancelToken& cancel = {});
// The text to read: the kernel, then what is wrong with it and what was not checked as comments, by line.
std::string annotatedText(const StudiedKernel& kernel);
// The bytes are such a kernel, not HLO or StableHLO that carries one.
bool isKernel(std::string_view bytes);

}  // namespace hilo
