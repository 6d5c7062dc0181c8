// Looks at MLIR text before the parser does.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <optional>
#include <string>
#include <vector>

namespace hilo::stablehlo {

struct TextPiece {
  llvm::StringRef text;
  uint32_t firstLine = 1;
};
// The modules of a file cut at "// -----" lines, those with nothing but blanks and comments left out.
std::vector<TextPiece> splitPieces(llvm::StringRef text);

// Hexadecimal constants of i1 have a byte an element where newer versions of MLIR wrote them, and a bit an
// element for the parser at hand. The text with the former made the latter, every other character where it
// was; nothing when there are none.
std::optional<std::string> packBooleans(llvm::StringRef text);

struct TextPlace {
  uint32_t line = 0, column = 0;
};
// Where brackets nest deeper than `limit`: MLIR's parser recurses, and its stack is bounded.
std::optional<TextPlace> tooDeep(llvm::StringRef text, int limit);

}  // namespace hilo::stablehlo
