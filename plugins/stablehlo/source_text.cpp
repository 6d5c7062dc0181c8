#include "plugins/stablehlo/source_text.h"

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

}  // namespace

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
