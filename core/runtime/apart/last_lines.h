// What a program said before it ended.
#pragma once

#include <string>
#include <vector>

namespace hilo {

// The last lines, a few of them, of what was written to a file.
std::vector<std::string> lastLinesOf(int fd);

}  // namespace hilo
