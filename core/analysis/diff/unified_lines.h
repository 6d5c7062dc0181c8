// A diff of two texts as one column: what went, then what came, between what is the same.
#pragma once

#include <string>

#include "core/analysis/diff/line_diff.h"

namespace hilo {

struct UnifiedLine {
  DiffKind kind = DiffKind::Same;
  uint32_t line = 0;     // of its side, from 0; of an unchanged line the right one's
  bool inRight = false;  // an unchanged line stands for both, and is the right one
  uint32_t row = 0;      // of the rows it was made from
};

// Every line of both sides once, unchanged ones once for both. In each run of changes the lines of the left
// come before those of the right.
std::vector<UnifiedLine> unifiedLines(const std::vector<DiffRow>& rows);

// As `diff -u` writes it: hunks with `context` unchanged lines around each run of changes. Names stand behind
// "---" and "+++". Empty when nothing differs.
std::string unifiedText(const std::vector<DiffRow>& rows, const std::vector<std::string_view>& left,
                        const std::vector<std::string_view>& right, size_t context, std::string_view leftName,
                        std::string_view rightName);

}  // namespace hilo
