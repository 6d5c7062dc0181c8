// Telling HLO from other text by one line of it.
#pragma once

#include <string_view>

namespace hilo {

// Whether a line is an instruction, as far as its beginning says: "ROOT %add.1 = f32[2,3]{1,0} add(". Blanks
// before it are allowed.
bool isInstructionLine(std::string_view line);

}  // namespace hilo
