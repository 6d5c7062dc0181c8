// Looks at MLIR text before the parser does.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <optional>
#include <vector>

namespace hilo::stablehlo {

struct TextPiece {
  llvm::StringRef text;
  uint32_t firstLine = 1;
};
// The modules of a file cut at "// -----" lines, those with nothing but blanks and comments left out.
std::vector<TextPiece> splitPieces(llvm::StringRef text);

struct TextPlace {
  uint32_t line = 0, column = 0;
};
// Where brackets nest deeper than `limit`: MLIR's parser recurses, and its stack is bounded.
std::optional<TextPlace> tooDeep(llvm::StringRef text, int limit);

}  // namespace hilo::stablehlo
