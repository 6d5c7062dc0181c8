// One line as drawn: its text with the folded tails left out, its colours, and the way from a drawn column to
// a column of the source and back.
#pragma once

#include "ui/widgets/hlo_lexer.h"
#include "ui/widgets/text_lines.h"

namespace hilo {

struct DisplayLine {
  struct Piece {
    uint32_t display = 0;
    uint32_t source = 0;
    uint32_t length = 0;        // as drawn
    uint32_t sourceLength = 0;  // more than `length` for a fold
    bool fold = false;
  };

  QString text;
  std::vector<Piece> pieces;
  std::vector<TextSpan> spans;  // by drawn column

  uint32_t toSource(uint32_t display) const;
  uint32_t toDisplay(uint32_t source) const;
  bool isFoldAt(uint32_t display) const;
};

// Lines past this many columns are cut, with an ellipsis: nobody reads a megabyte of constant on one line.
inline constexpr uint32_t kMaxDrawnColumns = 100'000;

DisplayLine makeDisplayLine(const QString& source, bool foldTails, const LineLexer& lexer);

}  // namespace hilo
