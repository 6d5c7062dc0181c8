#include "ui/widgets/text_lines.h"

#include <algorithm>
#include <cstring>

namespace hilo {

TextLines::TextLines(std::shared_ptr<const std::string> text) : text_(std::move(text)) {
  if (text_ == nullptr) text_ = std::make_shared<const std::string>();
  const char* begin = text_->data();
  const char* end = begin + text_->size();
  starts_.reserve(text_->size() / 64 + 2);
  starts_.push_back(0);
  for (const char* at = begin; at < end;) {
    const auto* next = static_cast<const char*>(std::memchr(at, '\n', static_cast<size_t>(end - at)));
    if (next == nullptr) break;
    at = next + 1;
    // A line end at the very end of the text does not start another line.
    if (at < end) starts_.push_back(static_cast<size_t>(at - begin));
  }
  starts_.push_back(text_->size());
}

std::string_view TextLines::line(uint32_t index) const {
  std::string_view line(text_->data() + starts_[index], starts_[index + 1] - starts_[index]);
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

QString TextLines::lineText(uint32_t index) const {
  const std::string_view bytes = line(index);
  return QString::fromUtf8(bytes.data(), static_cast<qsizetype>(bytes.size()));
}

uint32_t TextLines::lineOfOffset(size_t offset) const {
  const auto after = std::upper_bound(starts_.begin(), starts_.end() - 1, offset);
  return static_cast<uint32_t>(after - starts_.begin() - 1);
}

}  // namespace hilo
