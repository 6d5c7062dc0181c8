#include "core/runtime/ptx/ptx_cursor.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>

namespace hilo {
namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isNameChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || isDigit(c) || c == '_' || c == '$' || c == '%';
}

}  // namespace

size_t PtxCursor::here() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v') {
      ++at_;
    } else if (c == '/' && text_.substr(at_, 2) == "//") {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (c == '/' && text_.substr(at_, 2) == "/*") {
      const size_t end = text_.find("*/", at_ + 2);
      at_ = end == std::string_view::npos ? text_.size() : end + 2;
    } else {
      break;
    }
  }
  return at_;
}

bool PtxCursor::take(std::string_view mark) {
  if (!text_.substr(here()).starts_with(mark)) return false;
  at_ += mark.size();
  return true;
}

Status PtxCursor::expect(std::string_view mark) {
  if (take(mark)) return {};
  return unexpected(fmt::format("'{}'", mark));
}

std::string_view PtxCursor::name() {
  const size_t from = here();
  if (at_ < text_.size() && isDigit(text_[at_])) return {};
  while (at_ < text_.size() && isNameChar(text_[at_])) ++at_;
  return text_.substr(from, at_ - from);
}

std::string_view PtxCursor::dotted() {
  const size_t from = here();
  if (at_ < text_.size() && isDigit(text_[at_])) return {};
  while (at_ < text_.size()) {
    const std::string_view rest = text_.substr(at_);
    const size_t joint = rest.starts_with("::") ? 2 : rest.starts_with(".") ? 1 : 0;
    if (joint > 0 && (joint >= rest.size() || !isNameChar(rest[joint]))) break;
    if (joint == 0 && !isNameChar(rest[0])) break;
    at_ += std::max<size_t>(joint, 1);
  }
  return text_.substr(from, at_ - from);
}

std::string_view PtxCursor::directive() {
  if (peek() != '.') return {};
  const size_t dot = at_++;
  const size_t from = at_;
  while (at_ < text_.size() && (isNameChar(text_[at_]) || text_.substr(at_, 2) == "::"))
    at_ += text_[at_] == ':' ? 2 : 1;
  if (at_ == from) {
    at_ = dot;
    return {};
  }
  return text_.substr(from, at_ - from);
}

Result<std::string> PtxCursor::quoted() {
  TRY_STATUS(expect("\""));
  const size_t end = text_.find_first_of("\"\n", at_);
  if (end == std::string_view::npos || text_[end] != '"') return unexpected("the end of a string");
  std::string text(text_.substr(at_, end - at_));
  at_ = end + 1;
  return text;
}

Result<std::optional<PtxNumber>> PtxCursor::number() {
  const size_t from = here();
  size_t at = from;
  const bool negative = at < text_.size() && text_[at] == '-';
  if (at < text_.size() && (text_[at] == '-' || text_[at] == '+')) ++at;
  while (at < text_.size() && text_[at] == ' ') ++at;
  if (at >= text_.size() || !isDigit(text_[at])) return std::nullopt;
  const std::string_view rest = text_.substr(at);
  const char second = rest.size() > 1 ? rest[1] : '\0';
  PtxNumber number;
  size_t used = 0;
  const auto read = [&](size_t skip, int base, size_t digits) {
    const std::string_view body = rest.substr(skip, digits);
    const auto result = std::from_chars(body.data(), body.data() + body.size(), number.bits, base);
    used = skip + static_cast<size_t>(result.ptr - body.data());
    return result.ec == std::errc() && result.ptr != body.data();
  };
  bool ok = true;
  if (rest[0] == '0' && (second == 'f' || second == 'F')) {
    ok = read(2, 16, 8) && used == 10;
    number.kind = PtxNumber::Kind::Float32;
    if (negative) number.bits ^= uint64_t{1} << 31;
  } else if (rest[0] == '0' && (second == 'd' || second == 'D')) {
    ok = read(2, 16, 16) && used == 18;
    number.kind = PtxNumber::Kind::Float64;
    if (negative) number.bits ^= uint64_t{1} << 63;
  } else if (rest[0] == '0' && (second == 'x' || second == 'X')) {
    ok = read(2, 16, std::string_view::npos);
  } else if (rest[0] == '0' && (second == 'b' || second == 'B')) {
    ok = read(2, 2, std::string_view::npos);
  } else {
    const size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    if (digits < rest.size() && (rest[digits] == '.' || rest[digits] == 'e')) {
      double value = 0;
      const auto result = std::from_chars(rest.data(), rest.data() + rest.size(), value);
      ok = result.ec == std::errc();
      used = static_cast<size_t>(result.ptr - rest.data());
      number = {PtxNumber::Kind::Float64, std::bit_cast<uint64_t>(negative ? -value : value)};
    } else {
      ok = read(0, rest[0] == '0' && digits > 1 ? 8 : 10, std::string_view::npos);
    }
  }
  if (!ok) return unexpected("a number");
  at_ = at + used;
  if (number.kind == PtxNumber::Kind::Integer) {
    if (at_ < text_.size() && text_[at_] == 'U') ++at_;
    if (negative) number.bits = 0 - number.bits;
  }
  return number;
}

Result<uint64_t> PtxCursor::integer() {
  TRY(const auto read, number());
  if (!read || read->kind != PtxNumber::Kind::Integer) return unexpected("an integer");
  return read->bits;
}

Result<int> PtxCursor::digits() {
  const size_t from = here();
  int value = 0;
  const auto read = std::from_chars(text_.data() + from, text_.data() + text_.size(), value);
  if (read.ec != std::errc()) return unexpected("digits");
  at_ = static_cast<size_t>(read.ptr - text_.data());
  return value;
}

std::string_view PtxCursor::until(std::string_view marks) {
  const size_t from = at_;
  at_ = std::min(text_.find_first_of(marks, at_), text_.size());
  return text_.substr(from, at_ - from);
}

void PtxCursor::countLines(size_t to) {
  for (; counted_ < to; ++counted_) {
    if (text_[counted_] != '\n') continue;
    ++line_;
    lineStart_ = counted_ + 1;
  }
}

uint32_t PtxCursor::line() {
  countLines(here());
  return line_;
}

uint32_t PtxCursor::column() {
  countLines(here());
  return static_cast<uint32_t>(at_ - lineStart_ + 1);
}

Place PtxCursor::place() { return {.file = file_, .line = line(), .column = column()}; }

std::unexpected<Diagnostic> PtxCursor::unexpected(std::string_view wanted) {
  const size_t from = here();
  std::string_view found = text_.substr(from, 20);
  found = found.substr(0, found.find_first_of(" \t\n\r"));
  std::string shown;
  for (const char c : found) shown += c >= ' ' && c <= '~' ? c : '?';
  return wrong("unexpected-token",
               fmt::format("{} is wanted here, not {}", wanted,
                           shown.empty() ? "the end of the text" : fmt::format("'{}'", shown)));
}

std::unexpected<Diagnostic> PtxCursor::wrong(std::string kind, std::string message,
                                             std::vector<std::string> notes) {
  return fail(std::move(kind), std::move(message), place(), std::move(notes));
}

}  // namespace hilo
