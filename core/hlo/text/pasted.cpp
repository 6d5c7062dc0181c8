#include "core/hlo/text/pasted.h"

#include <algorithm>
#include <array>
#include <vector>

#include "core/hlo/ir/instruction_line.h"
#include "core/hlo/text/char_class.h"
#include "core/hlo/text/log_prefix.h"

namespace hilo {
namespace {

// Wrapping shows itself in the first and the last bytes of a text.
constexpr size_t kHead = 64 * 1024, kTail = 4096;
constexpr std::string_view kFence = "```";
constexpr std::string_view kCut = "// -----";

// Pieces of a text, as offsets: what stands between two of them is no HLO.
struct Piece {
  size_t begin = 0, end = 0;
};

std::string_view lineAt(std::string_view text, size_t at) {
  return text.substr(at, std::min(text.find('\n', at), text.size()) - at);
}

// Calls `visit(begin, line)` on each line until it returns false.
template <typename F>
void forEachLine(std::string_view text, F&& visit) {
  for (size_t at = 0; at < text.size();) {
    const std::string_view line = lineAt(text, at);
    if (!visit(at, line)) return;
    at += line.size() + 1;
  }
}

std::string_view withoutIndent(std::string_view line) {
  const size_t first = line.find_first_not_of(" \t");
  return first == line.npos ? std::string_view() : line.substr(first);
}

bool isFence(std::string_view line) { return withoutIndent(line).starts_with(kFence); }

bool hasHlo(std::string_view text) {
  bool found = false;
  forEachLine(text, [&](size_t, std::string_view line) {
    const std::string_view start = withoutIndent(line);
    found = start.starts_with("HloModule ") || start.starts_with("HloModule,") ||
            start.starts_with("ENTRY ") || isInstructionLine(line);
    return !found;
  });
  return found;
}

std::vector<Piece> betweenFences(std::string_view text) {
  std::vector<Piece> pieces(1);
  forEachLine(text, [&](size_t at, std::string_view line) {
    if (!isFence(line)) return true;
    pieces.back().end = at;
    pieces.push_back({std::min(at + line.size() + 1, text.size())});
    return true;
  });
  pieces.back().end = text.size();
  return pieces;
}

// How a string of several lines starts and what it ends with; empty where none starts at `at`.
struct Quotes {
  size_t length = 0;
  std::string close;
};
Quotes quotesAt(std::string_view text, size_t at) {
  constexpr size_t kLongestDelimiter = 16;  // C++'s limit
  const std::string_view here = text.substr(at, kLongestDelimiter + 3);
  for (const std::string_view triple : {"\"\"\"", "'''"}) {
    if (here.starts_with(triple)) return {triple.size(), std::string(triple)};
  }
  if (!here.starts_with("R\"")) return {};
  const size_t open = here.find('(');
  if (open == here.npos) return {};
  return {open + 1, ")" + std::string(here.substr(2, open - 2)) + "\""};
}

std::vector<Piece> inStrings(std::string_view text) {
  std::vector<Piece> pieces;
  for (size_t at = text.find_first_of("R\"'"); at != text.npos; at = text.find_first_of("R\"'", at)) {
    const Quotes quotes = quotesAt(text, at);
    if (quotes.length == 0) {
      ++at;
      continue;
    }
    const size_t begin = at + quotes.length;
    const size_t close = std::min(text.find(quotes.close, begin), text.size());
    pieces.push_back({begin, close});
    at = std::min(close + quotes.close.size(), text.size());
  }
  return pieces;
}

// Whether a string that holds HLO opens before any HLO does.
bool startsInString(std::string_view text) {
  bool found = false;
  forEachLine(text.substr(0, kHead), [&](size_t at, std::string_view line) {
    if (const std::string_view start = withoutIndent(line);
        start.starts_with("HloModule") || start.starts_with("ENTRY ") || isInstructionLine(line))
      return false;
    for (size_t i = 0; i < line.size() && !found; ++i) {
      const Quotes quotes = quotesAt(text, at + i);
      if (quotes.length == 0) continue;
      const size_t begin = at + i + quotes.length;
      found = hasHlo(text.substr(begin, std::min(text.find(quotes.close, begin), text.size()) - begin));
    }
    return !found;
  });
  return found;
}

bool hasFence(std::string_view text) {
  bool found = false;
  const auto look = [&](size_t, std::string_view line) {
    found |= isFence(line);
    return !found;
  };
  forEachLine(text.substr(0, kHead), look);
  if (text.size() > kTail) forEachLine(text.substr(text.size() - kTail), look);
  return found;
}

// A line between two pieces on which there is nothing of either becomes a cut.
void cutBetween(std::string& text, size_t begin, size_t end) {
  for (size_t at = text.rfind('\n', begin) + 1; at < end; at = lineAt(text, at).size() + at + 1) {
    const size_t length = lineAt(text, at).size();
    if (text.find_first_not_of(" \t\r", at) < at + length) continue;
    text.replace(at, length, kCut);
    return;
  }
}

// `pieces` that hold HLO, with spaces for everything else.
std::string only(std::string_view text, std::vector<Piece> pieces) {
  std::erase_if(
      pieces, [&](const Piece& piece) { return !hasHlo(text.substr(piece.begin, piece.end - piece.begin)); });
  if (pieces.empty()) return std::string(text);
  std::string result(text);
  size_t from = 0;
  const auto blank = [&](size_t to) {
    std::replace_if(
        result.begin() + static_cast<ptrdiff_t>(from), result.begin() + static_cast<ptrdiff_t>(to),
        [](char c) { return c != '\n' && c != '\r'; }, ' ');
  };
  for (const Piece& piece : pieces) {
    blank(piece.begin);
    from = piece.end;
  }
  blank(text.size());
  // From the end, as a cut may be longer than the line it takes.
  for (size_t i = pieces.size() - 1; i > 0; --i) cutBetween(result, pieces[i - 1].end, pieces[i].begin);
  return result;
}

}  // namespace

bool isWrapped(std::string_view text) {
  return hasLogPrefixes(text) || hasFence(text) || startsInString(text);
}

std::string unwrapped(std::string_view text) {
  std::string result = hasLogPrefixes(text) ? withoutLogPrefixes(text) : std::string(text);
  if (hasFence(result)) result = only(result, betweenFences(result));
  if (startsInString(result)) result = only(result, inStrings(result));
  return result;
}

}  // namespace hilo
