#include "core/hlo/text/reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/base/bounded_text.h"
#include "core/hlo/text/escape.h"

namespace hilo {
namespace {

// What stands at the lexer, for "found ..." in a message: short, printable.
std::string describeNext(Lexer lexer) {
  if (lexer.atEnd()) return "the end of the text";
  if (lexer.atOpenComment()) return "a comment that does not end";
  const Token token = lexer.next();
  if (token.kind == TokenKind::Bad && !token.text.empty() &&
      (token.text[0] == '"' || token.text[0] == '\'')) {
    return "a string that does not end";
  }
  std::string shown;
  appendEscaped(shown, token.text.substr(0, 40));
  if (token.text.size() > 40) shown += "...";
  return fmt::format("'{}'", shown);
}

}  // namespace

bool Reader::error(std::string kind, std::string message, std::vector<std::string> notes) {
  return errorAt(lexer.here(), std::move(kind), std::move(message), std::move(notes));
}

bool Reader::errorAt(const char* at, std::string kind, std::string message, std::vector<std::string> notes) {
  if (errorCount_++ < kMaxDiagnostics) {
    report(Severity::kError, at, std::move(kind), std::move(message), std::move(notes));
  }
  return false;
}

void Reader::warnAt(const char* at, std::string kind, std::string message, std::vector<std::string> notes) {
  if (warningCount_++ < kMaxDiagnostics) {
    report(Severity::kWarning, at, std::move(kind), std::move(message), std::move(notes));
  }
}

void Reader::report(Severity severity, const char* at, std::string kind, std::string message,
                    std::vector<std::string> notes) {
  problems_.push_back(
      {at, {severity, std::move(kind), boundedText(std::move(message)), {}, std::move(notes)}});
}

bool Reader::expected(std::string_view what) {
  return error("unexpected-token", fmt::format("expected {}, found {}", what, describeNext(lexer)));
}

bool Reader::expectedByte(char c) { return expected(fmt::format("'{}'", c)); }

bool Reader::tooDeep() {
  return error("nesting-too-deep", fmt::format("nested more than {} levels deep", kMaxDepth));
}

bool Reader::tooManyItems() {
  return error("list-too-long", fmt::format("a list of more than {} items", kMaxListItems));
}

Diagnostics Reader::takeDiagnostics(const std::string& file, uint32_t firstLine) {
  // Lines are counted once over the text: positions are visited in text order, the order met is restored.
  std::vector<size_t> order(problems_.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, {}, [&](size_t i) { return problems_[i].at; });
  const char* lineStart = text_.data();
  uint32_t line = firstLine;
  for (size_t i : order) {
    const char* at = problems_[i].at;
    while (const void* found = std::memchr(lineStart, '\n', at - lineStart)) {
      lineStart = static_cast<const char*>(found) + 1;
      ++line;
    }
    problems_[i].diagnostic.place = {file, line, static_cast<uint32_t>(at - lineStart) + 1, "", ""};
  }
  Diagnostics result;
  for (Problem& problem : problems_) result.push_back(std::move(problem.diagnostic));
  if (errorCount_ > kMaxDiagnostics) {
    result.push_back({Severity::kNote,
                      "more-errors",
                      fmt::format("{} further errors are not shown", errorCount_ - kMaxDiagnostics),
                      {file},
                      {}});
  }
  problems_.clear();
  return result;
}

bool Reader::readInt(int64_t& value) {
  const auto read = lexer.integer();
  if (!read) {
    const char c = lexer.peek();
    if (hasClass(c, kCharDigit) || (c == '-' && hasClass(lexer.peekSecond(), kCharDigit))) {
      return error("number-out-of-range", "this integer does not fit 64 bits");
    }
    return expected("an integer");
  }
  value = *read;
  return true;
}

bool Reader::readInt32(int32_t& value) {
  const char* at = lexer.here();
  int64_t wide = 0;
  if (!readInt(wide)) return false;
  if (wide < std::numeric_limits<int32_t>::min() || wide > std::numeric_limits<int32_t>::max()) {
    return errorAt(at, "number-out-of-range", fmt::format("{} does not fit 32 bits", wide));
  }
  value = static_cast<int32_t>(wide);
  return true;
}

bool Reader::readBool(bool& value) {
  if (lexer.eatWord("true")) {
    value = true;
    return true;
  }
  if (lexer.eatWord("false")) {
    value = false;
    return true;
  }
  return expected("true or false");
}

bool Reader::readDouble(double& value) {
  const char* start = lexer.here();
  const Token token = lexer.next();
  std::string_view digits = token.text;
  if (token.kind == TokenKind::Number || token.kind == TokenKind::Word) {
    const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (status == std::errc() && end == digits.data() + digits.size()) return true;
    if (status == std::errc::result_out_of_range) {
      return errorAt(start, "number-out-of-range", fmt::format("{} does not fit a double", digits));
    }
  }
  lexer.moveTo(start);
  return expected("a number");
}

bool Reader::readString(std::string_view& value) {
  bool escaped = false;
  const char* at = lexer.here();
  const auto raw = lexer.quoted(&escaped);
  if (!raw) {
    if (*at == '"' || *at == '\'') return error("unterminated-string", "this string does not end");
    return expected("a quoted string");
  }
  value = *raw;
  if (escaped) {
    const auto plain = unescape(*raw);
    if (!plain) return errorAt(at, "bad-escape", "this string holds a backslash sequence that means nothing");
    value = arena.copy(std::string_view(*plain));
  }
  return true;
}

bool Reader::readName(std::string_view& name) {
  name = lexer.name();
  return !name.empty() || expected("a name");
}

bool Reader::readKey(std::string_view& key) {
  const char* at = lexer.here();
  key = lexer.word();
  if (!key.empty() && hasClass(key[0], kCharNameStart) && lexer.eat('=')) return true;
  lexer.moveTo(at);
  return expected("an attribute of the form name=value");
}

bool Reader::readInts(char open, char close, std::span<const int64_t>& values) {
  if (!expect(open)) return false;
  absl::InlinedVector<int64_t, 32> list;
  if (!lexer.eat(close)) {
    do {
      int64_t value = 0;
      if (!roomForItem(list.size()) || !readInt(value)) return false;
      list.push_back(value);
    } while (lexer.eat(','));
    if (!expect(close)) return false;
  }
  values = arena.copy(std::span<const int64_t>(list.data(), list.size()));
  return true;
}

bool Reader::readIntLists(std::span<const std::span<const int64_t>>& lists) {
  std::vector<std::span<const int64_t>> items;
  if (!readList('{', '}', [&] { return readInts('{', '}', items.emplace_back()); })) return false;
  lists = arena.copy(items);
  return true;
}

}  // namespace hilo
