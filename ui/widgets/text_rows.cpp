#include "ui/widgets/text_rows.h"

#include <algorithm>
#include <array>

namespace hilo {

namespace {

constexpr std::array<std::string_view, 4> kTableHeads = {"FileNames", "FunctionNames", "FileLocations",
                                                         "StackFrames"};

}  // namespace

bool isTableHead(std::string_view line) {
  return std::find(kTableHeads.begin(), kTableHeads.end(), line) != kTableHeads.end();
}

std::vector<FoldRegion> findFoldRegions(const TextLines& lines) {
  std::vector<FoldRegion> regions;
  std::vector<uint32_t> open;
  for (uint32_t i = 0; i < lines.count(); ++i) {
    std::string_view line = lines.line(i);
    const size_t first = line.find_first_not_of(' ');
    if (first == std::string_view::npos) continue;
    if (isTableHead(line)) {
      uint32_t last = i;
      while (last + 1 < lines.count() && !lines.line(last + 1).empty()) ++last;
      if (last > i) regions.push_back({i, last});
      i = last;
      continue;
    }
    if (line[first] == '}' && !open.empty()) {
      if (i > open.back() + 1) regions.push_back({open.back(), i});
      open.pop_back();
    }
    if (line[line.find_last_not_of(' ')] == '{') open.push_back(i);
  }
  std::sort(regions.begin(), regions.end(),
            [](const FoldRegion& a, const FoldRegion& b) { return a.first < b.first; });
  return regions;
}

TextRows::TextRows(uint32_t lineCount, std::vector<FoldRegion> regions)
    : lineCount_(lineCount), regions_(std::move(regions)), folded_(regions_.size(), 0) {}

TextRows::TextRows(std::vector<TextRow> rows) : explicit_(std::move(rows)), isExplicit_(true) {}

uint32_t TextRows::count() const {
  if (isExplicit_) return static_cast<uint32_t>(explicit_.size());
  if (hidden_.empty()) return lineCount_;
  const Hidden& last = hidden_.back();
  return lineCount_ - last.before - (last.last - last.first + 1);
}

TextRow TextRows::row(uint32_t index) const {
  if (isExplicit_) return explicit_[index];
  // The last hidden range that starts at or before the row's line.
  const auto after = std::partition_point(hidden_.begin(), hidden_.end(), [index](const Hidden& range) {
    return range.first - range.before <= index;
  });
  uint32_t line = index;
  if (after != hidden_.begin()) {
    const Hidden& range = *(after - 1);
    line += range.before + (range.last - range.first + 1);
  }
  return {TextRow::Kind::kLine, line};
}

uint32_t TextRows::rowOfLine(uint32_t line) const {
  if (isExplicit_) {
    // Lines stand in order; fillers and gaps between them carry none.
    uint32_t best = 0;
    for (uint32_t i = 0; i < explicit_.size(); ++i) {
      if (explicit_[i].kind != TextRow::Kind::kLine) continue;
      if (explicit_[i].line > line) break;
      if (explicit_[i].column == 0) best = i;
    }
    return best;
  }
  const auto after = std::partition_point(hidden_.begin(), hidden_.end(),
                                          [line](const Hidden& range) { return range.first <= line; });
  if (after == hidden_.begin()) return line;
  const Hidden& range = *(after - 1);
  if (line <= range.last) return range.first - 1 - range.before;
  return line - range.before - (range.last - range.first + 1);
}

const FoldRegion* TextRows::regionAt(uint32_t line) const {
  const auto at = std::partition_point(regions_.begin(), regions_.end(),
                                       [line](const FoldRegion& region) { return region.first < line; });
  return at != regions_.end() && at->first == line ? &*at : nullptr;
}

bool TextRows::isFolded(uint32_t line) const {
  const FoldRegion* region = regionAt(line);
  return region != nullptr && folded_[static_cast<size_t>(region - regions_.data())];
}

void TextRows::setFolded(uint32_t line, bool folded) {
  const FoldRegion* region = regionAt(line);
  if (region == nullptr) return;
  folded_[static_cast<size_t>(region - regions_.data())] = folded;
  rebuild();
}

void TextRows::setFoldedWhere(const std::function<bool(const FoldRegion&)>& which) {
  for (size_t i = 0; i < regions_.size(); ++i) folded_[i] |= static_cast<uint8_t>(which(regions_[i]));
  rebuild();
}

void TextRows::setAllFolded(bool folded) {
  std::fill(folded_.begin(), folded_.end(), folded);
  rebuild();
}

bool TextRows::reveal(uint32_t line) {
  bool changed = false;
  for (size_t i = 0; i < regions_.size() && regions_[i].first < line; ++i) {
    if (!folded_[i] || regions_[i].last < line) continue;
    folded_[i] = 0;
    changed = true;
  }
  if (changed) rebuild();
  return changed;
}

void TextRows::rebuild() {
  hidden_.clear();
  uint32_t before = 0;
  for (size_t i = 0; i < regions_.size(); ++i) {
    if (!folded_[i]) continue;
    if (!hidden_.empty() && regions_[i].last <= hidden_.back().last) continue;
    hidden_.push_back({regions_[i].first + 1, regions_[i].last, before});
    before += regions_[i].last - regions_[i].first;
  }
}

}  // namespace hilo
