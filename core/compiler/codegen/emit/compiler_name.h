// Which compiler makes machine code in this build.
#pragma once

#include <string_view>

namespace hilo {

// "LLVM 22.1.8"; of a build without one (codegen/absent) "no LLVM".
std::string_view compilerName();

}  // namespace hilo
