// HLO text as people paste it: from a log, between the ``` of an issue, in a string of a C++ or Python test.
//
// What is no HLO becomes spaces, so that every line and column stays what it is in the file.
#pragma once

#include <string>
#include <string_view>

namespace hilo {

// Whether HLO stands in something else, as far as the beginning and the end of the text show it.
bool isWrapped(std::string_view text);
// The HLO alone. Where there are several pieces, a line between two of them becomes "// -----", at which
// splitModules() cuts. Unwrapping twice changes nothing.
std::string unwrapped(std::string_view text);

}  // namespace hilo
