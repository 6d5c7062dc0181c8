// Takes a line of a report apart from the left.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace hilo {

class LineScanner {
 public:
  explicit LineScanner(std::string_view text) : rest_(text) {}

  std::string_view rest() const { return rest_; }
  bool atEnd() const { return rest_.empty(); }

  bool eat(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  void skipSpaces() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size())); }

  std::optional<int64_t> number() {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc()) return std::nullopt;
    rest_.remove_prefix(end - rest_.data());
    return value;
  }

  // Everything before `end`, which is taken too; nullopt (and nothing taken) when `end` does not come.
  std::optional<std::string_view> until(std::string_view end) {
    const size_t at = rest_.find(end);
    if (at == std::string_view::npos) return std::nullopt;
    const std::string_view taken = rest_.substr(0, at);
    rest_.remove_prefix(at + end.size());
    return taken;
  }

 private:
  std::string_view rest_;
};

// The next line of `text` without its end, which is taken off.
inline std::string_view takeLine(std::string_view& text) {
  const size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace hilo
