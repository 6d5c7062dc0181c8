// The lexer of HLO text: a cursor that skips white space and comments and reads one piece at a time, either
// as a Token (syntax colouring, opaque values, the bare-tokeniser benchmark) or by the piece the grammar
// expects next (the parser). It allocates nothing: every piece is a view into the text.
//
// The text must be followed by a NUL byte in memory (std::string's data() is); a NUL inside it ends a piece
// and is reported as a bad character. Lines and columns are computed from pointers only when asked.
//
// Comments are /* ... */, // to the end of the line and, as lit tests have them, a line that starts with '#'.
// Grammar matched: XLA's hlo/parser/hlo_lexer.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/hlo/text/char_class.h"

namespace hilo {

enum class TokenKind : uint8_t {
  End,
  Name,         // %foo.1, percent included
  Word,         // a name without percent, a keyword, an opcode, an attribute's name
  Number,       // starts with a digit or '-' and a digit; 1x2, 0_1x2_3 and 1e-5 are one token
  String,       // quotes included, not unescaped
  Punctuation,  // one of = , : * # + ~ ? [ ] { } ( )
  Arrow,        // ->
  LessEqual,    // <=
  Dots,         // ...
  Bad,          // a byte that starts nothing, or a string or comment that does not end
};

struct Token {
  TokenKind kind = TokenKind::End;
  std::string_view text;
};

// 1-based; columns count bytes.
struct LineColumn {
  uint32_t line = 1;
  uint32_t column = 1;
};

class Lexer {
 public:
  explicit Lexer(std::string_view text)
      : begin_(text.data()), end_(text.data() + text.size()), at_(text.data()) {}

  // Skips trivia, then reads one token. After the end it keeps answering End.
  Token next();

  // Where the next piece starts (trivia skipped), to come back to with moveTo or to point at in a message.
  const char* here() {
    skipTrivia();
    return at_;
  }
  const char* position() const { return at_; }
  void moveTo(const char* position) { at_ = position; }
  const char* begin() const { return begin_; }
  const char* end() const { return end_; }
  bool atEnd() { return here() == end_; }

  // The next byte that is not trivia; NUL at the end.
  char peek() {
    skipTrivia();
    return *at_;
  }
  // The byte after the next one, with nothing skipped between.
  char peekSecond() {
    skipTrivia();
    return *at_ == '\0' ? '\0' : at_[1];
  }
  bool eat(char c) {
    if (peek() != c || at_ == end_) return false;
    ++at_;
    return true;
  }
  bool eatArrow() { return eatPair('-', '>'); }
  bool eatLessEqual() { return eatPair('<', '='); }
  bool eatDots();
  // Eats the word when it comes next and is whole.
  bool eatWord(std::string_view word);

  // A run of [a-zA-Z0-9_.-]; empty when something else comes next. A '-' that starts an arrow is left.
  std::string_view word() {
    skipTrivia();
    const char* start = at_;
    at_ = nameEnd(at_, end_);
    if (*at_ == '>' && at_ != start && at_[-1] == '-') --at_;
    return {start, static_cast<size_t>(at_ - start)};
  }
  // word() with an optional '%' before it, which is not part of what is returned.
  std::string_view name() {
    skipTrivia();
    if (*at_ == '%') {
      ++at_;
      const char* start = at_;
      at_ = nameEnd(at_, end_);
      return {start, static_cast<size_t>(at_ - start)};
    }
    return hasClass(*at_, kCharNameStart) ? word() : std::string_view();
  }

  // A decimal integer that fits int64 or, without sign, uint64 (kept by its bits, as XLA does).
  std::optional<int64_t> integer();

  // What lies between the quotes of a string ("..." or '...'), still escaped; nullopt when the next piece is
  // no string or does not end. `escaped` says whether a backslash is inside.
  std::optional<std::string_view> quoted(bool* escaped);

  // A balanced {...} with its braces, strings inside honoured: a JSON object, or a value to keep as it is.
  std::optional<std::string_view> braces();

  // The text of one attribute value of unknown form: to the ',' or the end of the line that ends it,
  // honouring strings and balanced (), [] and {}. Trailing space is left out. nullopt, and nothing read, when
  // a string or a bracket does not end.
  std::optional<std::string_view> opaqueValue();

  // Skips what is not grammar.
  void skipTrivia() {
    if (*at_ == ' ') ++at_;
    if (hasClass(*at_, kCharTrivia)) skipTriviaSlow();
  }
  // A comment that does not end stops the lexer at its start; this says so.
  bool atOpenComment() const { return at_[0] == '/' && at_[1] == '*'; }

 private:
  bool eatPair(char first, char second) {
    if (peek() != first || at_[1] != second) return false;
    at_ += 2;
    return true;
  }
  void skipTriviaSlow();
  void readNumber();
  // The byte after the closing quote of the string that starts at `start`, or nullptr.
  const char* stringEnd(const char* start, bool* escaped) const;

  const char* begin_;
  const char* end_;
  const char* at_;
};

// Line and column of a position in `text`. Costs a pass over the text before it; LineIndex answers many.
LineColumn lineColumnOf(std::string_view text, const char* position);

}  // namespace hilo
