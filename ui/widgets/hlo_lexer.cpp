#include "ui/widgets/hlo_lexer.h"

#include <algorithm>
#include <array>

namespace hilo {
namespace {

constexpr std::array<std::string_view, 4> kTailKeys = {"backend_config", "frontend_attributes", "metadata",
                                                       "original_value"};
constexpr std::array<std::string_view, 6> kKeywords = {"ENTRY", "HloModule", "ROOT", "false", "true", "inf"};

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isNamePart(char c) { return isLetter(c) || isDigit(c) || c == '.' || c == '-'; }

template <size_t N>
bool contains(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// bf16, f8e4m3fn, s32, pred, token and the like.
bool isElementType(std::string_view word) {
  if (word == "pred" || word == "token" || word == "opaque" || word == "tuple") return true;
  if (word.starts_with("bf") || word.starts_with('f') || word.starts_with('s') || word.starts_with('u') ||
      word.starts_with('c')) {
    const size_t digit = word.starts_with("bf") ? 2 : 1;
    if (word.size() <= digit || !isDigit(word[digit])) return false;
    return std::all_of(word.begin(), word.end(), [](char c) { return isDigit(c) || (c >= 'a' && c <= 'z'); });
  }
  return false;
}

// Past the closing quote of the string that starts at `at`, or the end.
size_t endOfString(std::string_view line, size_t at) {
  for (++at; at < line.size(); ++at) {
    if (line[at] == '\\') {
      ++at;
    } else if (line[at] == '"') {
      return at + 1;
    }
  }
  return line.size();
}

// Past the brace that closes the one at `at`, strings skipped; the end if none does.
size_t endOfBraces(std::string_view line, size_t at) {
  size_t depth = 0;
  while (at < line.size()) {
    if (line[at] == '"') {
      at = endOfString(line, at);
      continue;
    }
    if (line[at] == '{') ++depth;
    if (line[at] == '}' && --depth == 0) return at + 1;
    ++at;
  }
  return line.size();
}

// The value after `key=`, when it is braced or quoted; else empty.
size_t endOfTail(std::string_view line, size_t at) {
  if (at >= line.size()) return at;
  if (line[at] == '{') return endOfBraces(line, at);
  if (line[at] == '"') return endOfString(line, at);
  return at;
}

class Lexer {
 public:
  Lexer(std::string_view line, std::vector<TextSpan>& spans) : line_(line), spans_(spans) {}

  void run() {
    while (at_ < line_.size()) {
      const char c = line_[at_];
      if (c == '"') {
        take(endOfString(line_, at_), ColourRole::kSyntaxString);
      } else if (line_.substr(at_).starts_with("//")) {
        take(line_.size(), ColourRole::kSyntaxComment);
      } else if (line_.substr(at_).starts_with("/*")) {
        const size_t close = line_.find("*/", at_ + 2);
        take(close == std::string_view::npos ? line_.size() : close + 2, ColourRole::kSyntaxComment);
      } else if (c == '%' || isLetter(c)) {
        word();
      } else if (isDigit(c) || (c == '-' && isDigit(peek(1)))) {
        number();
      } else {
        ++at_;
      }
    }
  }

 private:
  char peek(size_t ahead) const { return at_ + ahead < line_.size() ? line_[at_ + ahead] : '\0'; }

  void take(size_t end, ColourRole role) {
    spans_.push_back({static_cast<uint32_t>(at_), static_cast<uint32_t>(end - at_), role});
    at_ = end;
  }

  void number() {
    size_t end = at_ + 1;
    while (end < line_.size() &&
           (isDigit(line_[end]) || line_[end] == '.' || line_[end] == 'e' || line_[end] == 'x' ||
            ((line_[end] == '-' || line_[end] == '+') && line_[end - 1] == 'e'))) {
      ++end;
    }
    take(end, ColourRole::kSyntaxNumber);
  }

  void word() {
    size_t end = at_ + 1;
    while (end < line_.size() && isNamePart(line_[end])) ++end;
    // "->" belongs to no name.
    while (end > at_ + 1 && line_[end - 1] == '-') --end;
    const std::string_view word = line_.substr(at_, end - at_);
    const char after = end < line_.size() ? line_[end] : '\0';
    if (word[0] == '%') return take(end, ColourRole::kSyntaxName);
    if (after == '[' && isElementType(word)) return shape(end);
    if (after == '(') return take(end, ColourRole::kSyntaxOpcode);
    if (after == '=') {
      take(end, ColourRole::kSyntaxAttribute);
      if (!contains(kTailKeys, word)) return;
      ++at_;
      if (const size_t tail = endOfTail(line_, at_); tail > at_) take(tail, ColourRole::kSyntaxDimmed);
      return;
    }
    take(end, contains(kKeywords, word) ? ColourRole::kSyntaxKeyword : ColourRole::kSyntaxName);
  }

  void shape(size_t bracket) {
    size_t end = line_.find(']', bracket);
    end = end == std::string_view::npos ? line_.size() : end + 1;
    if (end < line_.size() && line_[end] == '{') end = endOfBraces(line_, end);
    take(end, ColourRole::kSyntaxShape);
  }

  std::string_view line_;
  std::vector<TextSpan>& spans_;
  size_t at_ = 0;
};

}  // namespace

void lexHloLine(std::string_view line, std::vector<TextSpan>& spans) { Lexer(line, spans).run(); }

std::vector<TextSpan> findTails(std::string_view line) {
  std::vector<TextSpan> tails;
  for (size_t at = 0; at < line.size();) {
    if (line[at] == '"') {
      at = endOfString(line, at);
      continue;
    }
    const bool wordStart = isLetter(line[at]) && (at == 0 || !isNamePart(line[at - 1]));
    if (!wordStart) {
      ++at;
      continue;
    }
    size_t end = at;
    while (end < line.size() && isNamePart(line[end])) ++end;
    const bool key = end < line.size() && line[end] == '=' && contains(kTailKeys, line.substr(at, end - at));
    at = end;
    if (!key) continue;
    const size_t close = endOfTail(line, end + 1);
    if (close > end + 1) {
      tails.push_back({static_cast<uint32_t>(end + 1), static_cast<uint32_t>(close - end - 1),
                       ColourRole::kSyntaxDimmed});
    }
    at = std::max(close, end + 1);
  }
  return tails;
}

}  // namespace hilo
