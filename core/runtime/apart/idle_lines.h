// Lines that nobody uses at the moment, kept for the next who wants one like it: starting a process, or a
// login over ssh, takes longer than most modules take to compile.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/runtime/apart/line_process.h"

namespace hilo {

// Any thread. A line that was closed meanwhile is thrown away; null where there is none.
std::unique_ptr<LineProcess> takeIdleLine(const std::vector<std::string>& command);
// At most a few are kept, the newest.
void keepIdleLine(std::vector<std::string> command, std::unique_ptr<LineProcess> process);

}  // namespace hilo
