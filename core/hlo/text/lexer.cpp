#include "core/hlo/text/lexer.h"

#include <cstring>

namespace hilo {
namespace {

// What a token can be by its first byte.
enum class FirstByte : uint8_t { Other, Letter, Digit, Percent, Minus, Punctuation, Quote, Less, Dot, Slash };

constexpr std::array<FirstByte, 256> kFirstByte = [] {
  std::array<FirstByte, 256> table{};
  for (int c = 0; c < 256; ++c) {
    if (kCharClass[c] & kCharNameStart) table[c] = FirstByte::Letter;
    if (kCharClass[c] & kCharDigit) table[c] = FirstByte::Digit;
  }
  for (unsigned char c : std::string_view("=,:*#+~?[]{}()")) table[c] = FirstByte::Punctuation;
  table['%'] = FirstByte::Percent;
  table['-'] = FirstByte::Minus;
  table['"'] = table['\''] = FirstByte::Quote;
  table['<'] = FirstByte::Less;
  table['.'] = FirstByte::Dot;
  table['/'] = FirstByte::Slash;
  return table;
}();

}  // namespace

const char* Lexer::stringEnd(const char* start, bool* escaped) const {
  const char quote = *start;
  const char* p = start + 1;
  while (true) {
    p = findAny(p, end_, quote, '\\', quote);
    if (p == end_) return nullptr;
    if (*p == quote) return p + 1;
    *escaped = true;
    if (p + 1 == end_) return nullptr;
    p += 2;
  }
}

void Lexer::skipTriviaSlow() {
  while (true) {
    const char c = *at_;
    if (hasClass(c, kCharSpace)) {
      do ++at_;
      while (hasClass(*at_, kCharSpace));
      continue;
    }
    const char* lineEnd = nullptr;
    if (c == '/' && at_[1] == '/') {
      lineEnd = static_cast<const char*>(std::memchr(at_, '\n', end_ - at_));
    } else if (c == '/' && at_[1] == '*') {
      const std::string_view rest(at_ + 2, end_ - at_ - 2);
      const size_t close = rest.find("*/");
      if (close == std::string_view::npos) return;  // atOpenComment
      at_ += close + 4;
      continue;
    } else if (c == '#' && (at_ == begin_ || at_[-1] == '\n')) {
      lineEnd = static_cast<const char*>(std::memchr(at_, '\n', end_ - at_));
    } else {
      return;
    }
    at_ = lineEnd == nullptr ? end_ : lineEnd;
  }
}

Token Lexer::next() {
  skipTrivia();
  const char* start = at_;
  const auto token = [&](TokenKind kind) { return Token{kind, {start, static_cast<size_t>(at_ - start)}}; };
  switch (kFirstByte[static_cast<unsigned char>(*start)]) {
    case FirstByte::Letter:
      word();
      return token(TokenKind::Word);
    case FirstByte::Percent:
      name();
      return token(TokenKind::Name);
    case FirstByte::Minus:
      if (start[1] == '>') {
        at_ += 2;
        return token(TokenKind::Arrow);
      }
      [[fallthrough]];
    case FirstByte::Digit:
      readNumber();
      return token(TokenKind::Number);
    case FirstByte::Punctuation:
      ++at_;
      return token(TokenKind::Punctuation);
    case FirstByte::Quote: {
      bool escaped = false;
      const char* close = stringEnd(start, &escaped);
      at_ = close == nullptr ? end_ : close;
      return token(close == nullptr ? TokenKind::Bad : TokenKind::String);
    }
    case FirstByte::Less:
      at_ += start[1] == '=' ? 2 : 1;
      return token(at_ - start == 2 ? TokenKind::LessEqual : TokenKind::Bad);
    case FirstByte::Dot:
      if (eatDots()) return token(TokenKind::Dots);
      break;
    case FirstByte::Slash:
      if (!atOpenComment()) break;
      at_ = end_;
      return token(TokenKind::Bad);
    case FirstByte::Other:
      if (at_ == end_) return token(TokenKind::End);
      break;
  }
  ++at_;
  return token(TokenKind::Bad);
}

// Digits and what else a number or a pattern such as 0_1x2 holds. A plus is no name character, but belongs to
// the number in "1e+5".
void Lexer::readNumber() {
  ++at_;
  word();
  if (*at_ == '+' && (at_[-1] == 'e' || at_[-1] == 'E') && hasClass(at_[1], kCharDigit)) {
    ++at_;
    word();
  }
}

bool Lexer::eatDots() {
  if (peek() != '.' || at_[1] != '.' || at_[2] != '.') return false;
  at_ += 3;
  return true;
}

bool Lexer::eatWord(std::string_view expected) {
  skipTrivia();
  const size_t left = static_cast<size_t>(end_ - at_);
  if (left < expected.size() || std::memcmp(at_, expected.data(), expected.size()) != 0) return false;
  const char* after = at_ + expected.size();
  const bool arrow = *after == '-' && after[1] == '>';
  if (hasClass(*after, kCharName) && !arrow) return false;
  at_ = after;
  return true;
}

std::optional<int64_t> Lexer::integer() {
  skipTrivia();
  const char* p = at_;
  const bool negative = *p == '-';
  if (negative) ++p;
  if (!hasClass(*p, kCharDigit)) return std::nullopt;
  uint64_t value = 0;
  bool overflow = false;
  for (; hasClass(*p, kCharDigit); ++p) {
    overflow |= __builtin_mul_overflow(value, 10u, &value);
    overflow |= __builtin_add_overflow(value, static_cast<uint64_t>(*p - '0'), &value);
  }
  if (negative && value > (uint64_t{1} << 63)) overflow = true;
  if (overflow) return std::nullopt;
  at_ = p;
  return static_cast<int64_t>(negative ? 0 - value : value);
}

std::optional<std::string_view> Lexer::quoted(bool* escaped) {
  skipTrivia();
  if (*at_ != '"' && *at_ != '\'') return std::nullopt;
  const char* start = at_ + 1;
  const char* close = stringEnd(at_, escaped);
  if (close == nullptr) return std::nullopt;
  at_ = close;
  return std::string_view(start, static_cast<size_t>(close - 1 - start));
}

std::optional<std::string_view> Lexer::braces() {
  skipTrivia();
  if (*at_ != '{') return std::nullopt;
  const char* start = at_;
  size_t depth = 0;
  for (const char* p = at_; (p = findAny(p, end_, '"', '{', '}')) < end_;) {
    if (*p == '"') {
      bool escaped = false;
      p = stringEnd(p, &escaped);
      if (p == nullptr) return std::nullopt;
      continue;
    }
    if (*p == '{') ++depth;
    if (*p == '}' && --depth == 0) {
      at_ = p + 1;
      return std::string_view(start, static_cast<size_t>(at_ - start));
    }
    ++p;
  }
  return std::nullopt;
}

std::optional<std::string_view> Lexer::opaqueValue() {
  skipTrivia();
  const char* start = at_;
  const char* p = at_;
  const char* last = at_;  // after the last byte that is not space
  std::string closers;     // of the brackets that are open, innermost last
  while (p < end_) {
    const char c = *p;
    if (c == '"') {
      bool escaped = false;
      p = stringEnd(p, &escaped);
      if (p == nullptr) return std::nullopt;
      last = p;
      continue;
    }
    if (c == '(') closers.push_back(')');
    if (c == '[' || c == '{') closers.push_back(static_cast<char>(c + 2));  // as ASCII has them
    if (c == ')' || c == ']' || c == '}') {
      if (closers.empty()) break;
      if (closers.back() != c) return std::nullopt;
      closers.pop_back();
    }
    if (closers.empty() && (c == ',' || c == '\n')) break;
    ++p;
    if (!hasClass(c, kCharSpace)) last = p;
  }
  if (!closers.empty()) return std::nullopt;
  at_ = last;
  return std::string_view(start, static_cast<size_t>(last - start));
}

LineColumn lineColumnOf(std::string_view text, const char* position) {
  LineColumn result;
  const char* lineStart = text.data();
  while (const void* found = std::memchr(lineStart, '\n', position - lineStart)) {
    lineStart = static_cast<const char*>(found) + 1;
    ++result.line;
  }
  result.column = static_cast<uint32_t>(position - lineStart) + 1;
  return result;
}

}  // namespace hilo
