// Fast math as XLA was told to compile a module, from what lies beside the module in its dump: the debug
// options, or the module's config, which holds them. Other options are not looked at.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace hilo {

// Flags of the cpu engine for options in text, a line each ("xla_cpu_enable_fast_math: true"). What the text
// leaves out takes no liberty, whatever XLA's default.
std::vector<std::string> fastMathFlagsIn(std::string_view debugOptions);

struct DumpedFlags {
  std::vector<std::string> flags;
  std::string fileName;  // that says so
};

// `path` is that of the file the module was read from, a file of a dump. Kinds "no-debug-options", and those
// of reading them.
Result<DumpedFlags> dumpedFlags(const std::string& path);

}  // namespace hilo
