#include "ui/widgets/text_additions.h"

#include <algorithm>

namespace hilo {

void TextAdditions::setMarks(std::vector<LineMark> marks) {
  marks_ = std::move(marks);
  std::ranges::sort(marks_, {}, &LineMark::line);
  Q_EMIT changed();
}

void TextAdditions::setDecorator(std::function<LineDecoration(uint32_t line)> decorator) {
  decorator_ = std::move(decorator);
  Q_EMIT changed();
}

void TextAdditions::setGhosts(std::function<QString(uint32_t line)> ghosts) {
  ghosts_ = std::move(ghosts);
  Q_EMIT changed();
}

void TextAdditions::setHighlightedWord(const QString& word) {
  highlighted_ = word;
  Q_EMIT changed();
}

const LineMark* TextAdditions::markAt(uint32_t line) const {
  const auto at = std::ranges::lower_bound(marks_, line, {}, &LineMark::line);
  return at != marks_.end() && at->line == line ? &*at : nullptr;
}

}  // namespace hilo
