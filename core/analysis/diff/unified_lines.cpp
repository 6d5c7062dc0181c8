#include "core/analysis/diff/unified_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace hilo {
namespace {

struct Hunk {
  size_t first, last;  // lines first .. last - 1
};

// Runs of changes with their context; those that would touch are one.
std::vector<Hunk> hunksOf(const std::vector<UnifiedLine>& lines, size_t context) {
  std::vector<Hunk> hunks;
  for (size_t n = 0; n < lines.size(); ++n) {
    if (lines[n].kind == DiffKind::Same) continue;
    const size_t first = n - std::min(n, context), last = std::min(lines.size(), n + context + 1);
    if (!hunks.empty() && first <= hunks.back().last) {
      hunks.back().last = last;
    } else {
      hunks.push_back({first, last});
    }
  }
  return hunks;
}

// "12,5": the first line, from 1, and how many.
std::string rangeText(uint32_t before, size_t count) {
  return count == 1 ? fmt::format("{}", before + 1)
                    : fmt::format("{},{}", before + (count > 0 ? 1 : 0), count);
}

}  // namespace

std::vector<UnifiedLine> unifiedLines(const std::vector<DiffRow>& rows) {
  std::vector<UnifiedLine> lines, came;
  const auto flush = [&] {
    lines.insert(lines.end(), came.begin(), came.end());
    came.clear();
  };
  for (uint32_t n = 0; n < rows.size(); ++n) {
    const DiffRow& row = rows[n];
    if (row.kind == DiffKind::Same) {
      flush();
      lines.push_back({DiffKind::Same, row.right, true, n});
      continue;
    }
    if (row.left != DiffRow::kNoLine) lines.push_back({row.kind, row.left, false, n});
    if (row.right != DiffRow::kNoLine) came.push_back({row.kind, row.right, true, n});
  }
  flush();
  return lines;
}

std::string unifiedText(const std::vector<DiffRow>& rows, const std::vector<std::string_view>& left,
                        const std::vector<std::string_view>& right, size_t context, std::string_view leftName,
                        std::string_view rightName) {
  const std::vector<UnifiedLine> lines = unifiedLines(rows);
  std::string text;
  uint32_t leftLine = 0, rightLine = 0;  // those before the next line
  size_t at = 0;
  const auto pass = [&](const UnifiedLine& line) {
    leftLine += !line.inRight || line.kind == DiffKind::Same ? 1 : 0;
    rightLine += line.inRight ? 1 : 0;
  };
  for (const Hunk& hunk : hunksOf(lines, context)) {
    if (text.empty()) text = fmt::format("--- {}\n+++ {}\n", leftName, rightName);
    for (; at < hunk.first; ++at) pass(lines[at]);
    const uint32_t leftBefore = leftLine, rightBefore = rightLine;
    std::string body;
    for (; at < hunk.last; ++at) {
      const UnifiedLine& line = lines[at];
      const char mark = line.kind == DiffKind::Same ? ' ' : line.inRight ? '+' : '-';
      fmt::format_to(std::back_inserter(body), "{}{}\n", mark, (line.inRight ? right : left)[line.line]);
      pass(line);
    }
    fmt::format_to(std::back_inserter(text), "@@ -{} +{} @@\n{}",
                   rangeText(leftBefore, leftLine - leftBefore),
                   rangeText(rightBefore, rightLine - rightBefore), body);
  }
  return text;
}

}  // namespace hilo
