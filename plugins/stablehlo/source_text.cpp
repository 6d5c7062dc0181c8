#include "plugins/stablehlo/source_text.h"

#include <llvm/ADT/StringExtras.h>

namespace hilo::stablehlo {
namespace {

bool hasContent(llvm::StringRef text) {
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    line = line.ltrim();
    if (!line.empty() && !line.starts_with("//")) return true;
    text = rest;
  }
  return false;
}

// The end of the string literal that begins at `at`; the line's end where it is not closed.
size_t endOfString(llvm::StringRef text, size_t at) {
  for (++at; at < text.size() && text[at] != '"' && text[at] != '\n'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return at;
}

// The elements of "2x3xi1>", which `text` begins with; nothing when it is another type.
std::optional<size_t> booleanCount(llvm::StringRef text) {
  size_t count = 1;
  while (!text.consume_front("i1>")) {
    size_t size = 0;
    if (text.consumeInteger(10, size) || !text.consume_front("x") || size > (size_t{1} << 40) / count)
      return {};
    count *= size;
    if (count == 0) return {};
  }
  return count;
}

// `bytes`, two digits an element, as a bit an element, the first the least significant.
std::optional<std::string> packed(llvm::StringRef bytes) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string bits((bytes.size() / 2 + 7) / 8 * 2, '0');
  for (size_t n = 0; n < bytes.size() / 2; ++n) {
    if (bytes[2 * n] != '0' || (bytes[2 * n + 1] != '0' && bytes[2 * n + 1] != '1')) return {};
    if (bytes[2 * n + 1] == '0') continue;
    char& digit = bits[n / 8 * 2 + (n % 8 < 4 ? 1 : 0)];
    digit = kDigits[llvm::hexDigitValue(digit) | (1u << (n % 4))];
  }
  return bits;
}

}  // namespace

std::optional<std::string> packBooleans(llvm::StringRef text) {
  constexpr llvm::StringLiteral kBegin = "dense<\"0x", kBetween = "\"> : tensor<";
  std::optional<std::string> result;
  for (size_t at = 0; (at = text.find(kBegin, at)) != llvm::StringRef::npos;) {
    at += kBegin.size();
    const size_t end = text.find('"', at);
    if (end == llvm::StringRef::npos) break;
    const llvm::StringRef digits = text.slice(at, end), rest = text.substr(end);
    if (!rest.starts_with(kBetween)) continue;
    const auto count = booleanCount(rest.substr(kBetween.size()));
    if (!count || *count < 2 || digits.size() != 2 * *count) continue;
    const auto bits = packed(digits);
    if (!bits) continue;
    if (!result) result = text.str();
    // The quote and the bracket move to the front, blanks fill up to where they were.
    const std::string shorter = *bits + "\">";
    result->replace(at, digits.size() + 2, shorter + std::string(digits.size() + 2 - shorter.size(), ' '));
  }
  return result;
}

std::vector<TextPiece> splitPieces(llvm::StringRef text) {
  std::vector<TextPiece> pieces;
  uint32_t line = 1, firstLine = 1;
  size_t begin = 0;
  const auto end = [&](size_t at) {
    const llvm::StringRef piece = text.slice(begin, at);
    if (hasContent(piece)) pieces.push_back({piece, firstLine});
  };
  for (size_t at = 0; at < text.size(); ++line) {
    size_t next = text.find('\n', at);
    next = next == llvm::StringRef::npos ? text.size() : next + 1;
    if (text.slice(at, next).starts_with("// -----")) {
      end(at);
      begin = next;
      firstLine = line + 1;
    }
    at = next;
  }
  end(text.size());
  return pieces;
}

std::optional<TextPlace> tooDeep(llvm::StringRef text, int limit) {
  int depth = 0;
  uint32_t line = 1;
  size_t lineBegin = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\n') {
      ++line;
      lineBegin = at + 1;
    } else if (c == '"') {
      at = endOfString(text, at);
      if (at < text.size() && text[at] == '\n') --at;
    } else if (c == '/' && text.substr(at).starts_with("//")) {
      at = text.find('\n', at);
      if (at == llvm::StringRef::npos) break;
      --at;
    } else if (c == '(' || c == '[' || c == '{' || c == '<') {
      if (++depth > limit) return TextPlace{line, static_cast<uint32_t>(at - lineBegin + 1)};
    } else if ((c == ')' || c == ']' || c == '}' || (c == '>' && at > 0 && text[at - 1] != '-')) &&
               depth > 0) {
      --depth;
    }
  }
  return {};
}

}  // namespace hilo::stablehlo
