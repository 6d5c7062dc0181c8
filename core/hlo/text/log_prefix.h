// Text cut out of a log, every line of which starts with what the logger puts there:
//   I0000 00:00:1700000000.123456   12345 hlo_pass_pipeline.cc:12] HloModule ...
//   2024-01-01 00:00:00.000000: I xla/service/dump.cc:12] HloModule ...
#pragma once

#include <string>
#include <string_view>

namespace hilo {

// Whether the first line that is not empty has a log prefix.
bool hasLogPrefixes(std::string_view text);
// The text with spaces for them. Lines that have none are kept as they are; lines and columns stay the same.
std::string withoutLogPrefixes(std::string_view text);

}  // namespace hilo
