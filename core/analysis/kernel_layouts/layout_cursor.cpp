#include "core/analysis/kernel_layouts/layout_cursor.h"

#include <fmt/format.h>

#include <charconv>

namespace hilo {
namespace {

bool isWordCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace

void LayoutCursor::skipSpace() {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
}

bool LayoutCursor::take(std::string_view characters) {
  skipSpace();
  if (!text_.substr(at_).starts_with(characters)) return false;
  at_ += characters.size();
  return true;
}

bool LayoutCursor::takeWord(std::string_view word) {
  const size_t before = at_;
  if (take(word) && (at_ == text_.size() || !isWordCharacter(text_[at_]))) return true;
  at_ = before;
  return false;
}

bool LayoutCursor::takeName(std::string_view name) {
  const size_t before = at_;
  if (takeWord(name) && take("=")) return true;
  at_ = before;
  return false;
}

bool LayoutCursor::isAtEnd() {
  skipSpace();
  return at_ == text_.size();
}

Status LayoutCursor::expect(std::string_view characters) {
  if (!take(characters)) return unexpected(fmt::format("'{}'", characters));
  return {};
}

Status LayoutCursor::name(std::string_view name) {
  if (!takeName(name)) return unexpected(fmt::format("'{} ='", name));
  return {};
}

Result<int64_t> LayoutCursor::integer() {
  skipSpace();
  const std::string_view rest = text_.substr(at_, 19);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (error != std::errc() || (end < text_.data() + text_.size() && *end >= '0' && *end <= '9'))
    return unexpected("a whole number of at most 18 digits");
  at_ += static_cast<size_t>(end - rest.data());
  const size_t before = at_;
  if (!take(":") || !(takeWord("i64") || takeWord("i32"))) at_ = before;
  return value;
}

Result<std::string_view> LayoutCursor::open() {
  if (take("<")) return ">";
  if (take("(")) return ")";
  return unexpected("'<' or '('");
}

Status LayoutCursor::list(const std::function<Status()>& item) {
  const bool isSquare = take("[");
  if (!isSquare && !take("(")) return unexpected("'[' or '('");
  const std::string_view close = isSquare ? "]" : ")";
  while (!take(close)) {
    TRY_STATUS(item());
    if (!take(",")) return expect(close);
  }
  return {};
}

std::unexpected<Diagnostic> LayoutCursor::unexpected(std::string_view expected) const {
  const std::string_view found = text_.substr(at_, 20);
  return fail("kernel-layout-text",
              fmt::format("expected {} at column {}, found {}", expected, at_ + 1,
                          found.empty() ? "the end" : fmt::format("'{}'", found)),
              {"", 1, static_cast<uint32_t>(at_ + 1), "", ""});
}

}  // namespace hilo
