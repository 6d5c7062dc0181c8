// Which line stands on which row of a text view. Either all lines less folded regions, or rows given one by
// one (the two sides of a diff). Plain data, no drawing.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "ui/widgets/text_lines.h"

namespace hilo {

struct TextRow {
  enum class Kind : uint8_t { kLine, kFiller, kGap };
  Kind kind = Kind::kLine;
  uint32_t line = 0;    // of a gap: how many lines it stands for
  uint32_t column = 0;  // where the row starts in a line that is wrapped, as drawn
  friend bool operator==(const TextRow&, const TextRow&) = default;
};

// Lines first + 1 .. last can be hidden under line `first`.
struct FoldRegion {
  uint32_t first = 0;
  uint32_t last = 0;
  friend bool operator==(const FoldRegion&, const FoldRegion&) = default;
};

// The head of one of the tables an HLO text may start with: FileNames, FunctionNames,
// FileLocations, StackFrames.
bool isTableHead(std::string_view line);

// A line that ends with "{" opens a region, a line that starts with "}" closes the innermost; a table reaches
// from its head to the next empty line. By first line.
std::vector<FoldRegion> findFoldRegions(const TextLines& lines);

class TextRows {
 public:
  TextRows() = default;
  TextRows(uint32_t lineCount, std::vector<FoldRegion> regions);
  explicit TextRows(std::vector<TextRow> rows);

  uint32_t count() const;
  TextRow row(uint32_t index) const;
  // The row that shows the line; for a hidden line the row of the region that hides it.
  uint32_t rowOfLine(uint32_t line) const;

  const FoldRegion* regionAt(uint32_t line) const;  // that starts there, or null
  bool isFolded(uint32_t line) const;
  void setFolded(uint32_t line, bool folded);
  void setAllFolded(bool folded);
  // Folds the regions that `which` picks; the others stay as they are.
  void setFoldedWhere(const std::function<bool(const FoldRegion&)>& which);
  // Unfolds what hides the line. True if anything was hidden.
  bool reveal(uint32_t line);

 private:
  void rebuild();

  struct Hidden {
    uint32_t first;  // hidden lines first .. last
    uint32_t last;
    uint32_t before;  // lines hidden by earlier entries
  };

  uint32_t lineCount_ = 0;
  std::vector<FoldRegion> regions_;
  std::vector<uint8_t> folded_;  // per region
  std::vector<Hidden> hidden_;   // outermost folded regions, in order
  std::vector<TextRow> explicit_;
  bool isExplicit_ = false;
};

}  // namespace hilo
