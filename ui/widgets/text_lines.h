// A text of any size as lines: one shared immutable string and where each line starts. Nothing is copied.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <QString>

namespace hilo {

class TextLines {
 public:
  TextLines() : TextLines(std::make_shared<const std::string>()) {}
  // UTF-8; bytes that are not are shown as replacement characters. Null means empty.
  explicit TextLines(std::shared_ptr<const std::string> text);

  // At least 1: the empty text has one empty line.
  uint32_t count() const { return static_cast<uint32_t>(starts_.size() - 1); }
  // Without its line end.
  std::string_view line(uint32_t index) const;
  // The same for drawing; columns everywhere in the text widgets are indices into it.
  QString lineText(uint32_t index) const;
  size_t offset(uint32_t index) const { return starts_[index]; }
  uint32_t lineOfOffset(size_t offset) const;
  const std::string& text() const { return *text_; }
  std::shared_ptr<const std::string> shared() const { return text_; }

 private:
  std::shared_ptr<const std::string> text_;
  std::vector<size_t> starts_;  // and the end of the text
};

struct TextPosition {
  uint32_t line = 0;
  uint32_t column = 0;
  friend auto operator<=>(const TextPosition&, const TextPosition&) = default;
};

}  // namespace hilo
