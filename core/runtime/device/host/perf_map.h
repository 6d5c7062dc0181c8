// Tells profilers what code that was put into memory is called. Where the environment has HILO_PERF_MAP,
// other than empty or 0, each piece of code is a line of /tmp/perf-PID.map, where perf looks for the names of
// code that is in no file (linux/tools/perf/Documentation/jit-interface.txt). Off otherwise.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace hilo {

// Of this process.
std::string perfMapPath();

// Any thread. Kind "not-writable": a map that cannot be written, on which nothing but a
// profile's names hangs.
Status tellProfilers(std::span<const std::byte> code, std::string_view name);

}  // namespace hilo
