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

// How many regions the text leaves open at its end: a function that was copied without its last line leaves
// one. Brackets in strings and comments do not count. 0 where one is closed that was not opened.
int openRegions(llvm::StringRef text);

// What MLIR's parser, which recurses, and whoever looks into what it gives would not survive.
struct TextHazard {
  uint32_t line = 0, column = 0;
  std::string message;
};
// The first place where brackets nest too deep, an expression has too many operators in a row, or aliases
// (`#a = [#b, #b]`) stand for one another too deep or spell out to too much.
std::optional<TextHazard> hazardIn(llvm::StringRef text);

}  // namespace hilo::stablehlo
