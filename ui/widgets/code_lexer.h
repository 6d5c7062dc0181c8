// Colours for the other texts of a dump, one line at a time, by a few facts about each language.
#pragma once

#include <string_view>

#include "ui/widgets/hlo_lexer.h"

namespace hilo {

// By the ending of the file's name: LLVM IR (.ll), PTX, MLIR, Python, JSON, text protos; what is none of them
// is coloured as HLO, which most reports of XLA are close to.
LineLexer lexerForFile(std::string_view fileName);

}  // namespace hilo
