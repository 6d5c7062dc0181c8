// Kernels read by a plug-in, with everything that was said copied out.
#pragma once

#include <string>
#include <string_view>

#include "core/base/cancel.h"
#include "core/base/result.h"
#include "plugins/sdk/format_plugin.h"

namespace hilo {

struct PluginKernel {
  std::string format;       // "Mosaic GPU bytecode, version 6"
  std::string text;         // as a person reads it
  std::string description;  // JSON (plugins/sdk/kernel_dialect.h); from a plug-in: not to be trusted
  Diagnostics problems;     // of a kernel that was read; their places are lines of `text`
};

// The first dialect of any loaded plug-in that knows the bytes; null when none does.
const HiloKernelDialect* kernelDialectOf(std::string_view bytes);

// Errors: the plug-in's own, their place in `path`; the first speaks, the others are its notes.
// "plugin-broke-contract" when it failed without saying why; "cancelled".
Result<PluginKernel> readKernelWith(const HiloKernelDialect& dialect, std::string_view bytes,
                                    const std::string& path, const CancelToken& cancel = {});

}  // namespace hilo
