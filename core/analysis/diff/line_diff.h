// An aligned diff of two texts, line by line, for side-by-side views.
//
// Short texts get the fewest differences there can be (Myers' algorithm, linear space). In long ones the
// lines that occur once on both sides anchor the match, and what lies between anchors is matched in turn, its
// effort bounded: a stretch too different to match cheaply is shown as replaced. 20,000 lines a side take
// well under 0.3 s whatever they hold.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace hilo {

// Moved: a line of one side whose partner stands elsewhere on the other.
enum class DiffKind : uint8_t { Same, Changed, Added, Removed, Moved };

// One row of a side-by-side view. Lines count from 0; kNoLine where a side has none.
struct DiffRow {
  static constexpr uint32_t kNoLine = 0xffffffff;
  DiffKind kind = DiffKind::Same;
  uint32_t left = kNoLine;
  uint32_t right = kNoLine;
  friend bool operator==(const DiffRow&, const DiffRow&) = default;
};

struct LineDiff {
  std::vector<DiffRow> rows;  // every line of each side once, in order
  size_t added = 0;
  size_t removed = 0;
  size_t changed = 0;
  size_t moved = 0;  // lines of the right side; diffLines() finds none
};

std::vector<std::string_view> splitLines(std::string_view text);
LineDiff diffLines(const std::vector<std::string_view>& left, const std::vector<std::string_view>& right);

}  // namespace hilo
