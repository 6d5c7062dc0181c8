// A dump that XLA wrote to standard output (--xla_dump_to=-): each file between a line "*** Begin NAME ***"
// and a line
// "*** End NAME ***", other output before, between and after.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hilo {

struct FramedFile {
  std::string name;
  std::string_view text;
  uint32_t firstLine = 1;  // of `text` within the whole
};

// A frame that is never closed reaches to the next one or to the end. At most `limit` frames; what follows
// them is left out.
std::vector<FramedFile> splitFramedDump(std::string_view text, size_t limit = SIZE_MAX);

}  // namespace hilo
