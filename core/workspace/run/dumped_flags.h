// Fast math as XLA was told to compile a module, from what lies beside the module in its dump: the debug
// options, or the module's config, which holds them. Other options are not looked at.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace hilo {

// The flag of an engine that stands for those the module's dump asks for. It never gets to the engine:
// whoever runs a module puts these in its place.
inline constexpr std::string_view kAsDumped = "as-dumped";

// Engine flags for options in text, a line each ("xla_cpu_enable_fast_math: true"). What the text
// leaves out takes no liberty, whatever XLA's default.
std::vector<std::string> fastMathFlagsIn(std::string_view debugOptions);

struct DumpedFlags {
  std::vector<std::string> flags;
  std::string fileName;  // that says so
};

// `path` is that of the file the module was read from, a file of a dump. Kinds "no-debug-options", and those
// of reading them.
Result<DumpedFlags> dumpedFlags(const std::string& path);

// The debug options themselves, as text. Kinds as dumpedFlags().
Result<std::string> dumpedOptions(const std::string& path);

}  // namespace hilo
