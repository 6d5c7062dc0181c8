#include "plugins/stablehlo/source_text.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringMap.h>

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

int openRegions(llvm::StringRef text) {
  int open = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '"') {
      at = endOfString(text, at);
    } else if (text.substr(at).starts_with("//")) {
      at = std::min(text.find('\n', at), text.size());
    } else if (text[at] == '{') {
      ++open;
    } else if (text[at] == '}' && --open < 0) {
      return 0;
    }
  }
  return open;
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

namespace {

// Far more than any program has, far fewer than end the parser's stack.
constexpr int kMaxNesting = 1000;
constexpr int kMaxOperators = 2000;
constexpr int64_t kMaxParts = 1'000'000;

// What aliases stand for, as they are defined one after the other.
class Aliases {
 public:
  // `name = ` begins here.
  void begin(llvm::StringRef name, bool isLocation) {
    name_ = name;
    isLocation_ = isLocation;
    now_ = {};
  }
  // Another alias is named in the definition.
  void use(llvm::StringRef name) {
    const auto found = known_.find(name);
    if (name_.empty() || found == known_.end()) return;
    now_.depth = std::max(now_.depth, found->second.depth + 1);
    now_.parts = std::min(now_.parts + found->second.parts, kMaxParts + 1);
  }
  // The definition ends. Why it is one too many; "" when it is not.
  std::string end() {
    if (name_.empty()) return "";
    known_[name_] = now_;
    name_ = {};
    // Locations share their parts, and nobody spells them out or goes to their depth.
    if (isLocation_) return "";
    if (now_.depth > kMaxNesting)
      return "aliases name one another more than " + std::to_string(kMaxNesting) + " deep";
    if (now_.parts <= kMaxParts) return "";
    return "an alias spells out to more than " + std::to_string(kMaxParts) + " parts";
  }

 private:
  struct Alias {
    int depth = 0;
    int64_t parts = 1;
  };
  llvm::StringMap<Alias> known_;
  llvm::StringRef name_;  // "" outside a definition
  bool isLocation_ = false;
  Alias now_;
};

// `#name` or `!name` at `at`, its mark counted in.
llvm::StringRef aliasAt(llvm::StringRef text, size_t at) {
  size_t end = at + 1;
  while (end < text.size() && (llvm::isAlnum(text[end]) || llvm::StringRef("_$.").contains(text[end]))) ++end;
  return text.slice(at, end);
}

class HazardScan {
 public:
  explicit HazardScan(llvm::StringRef text) : text_(text) {}

  std::optional<TextHazard> find() {
    for (; at_ < text_.size(); ++at_) {
      if (const std::string problem = step(); !problem.empty())
        return TextHazard{line_, static_cast<uint32_t>(at_ - lineBegin_ + 1), problem};
    }
    return {};
  }

 private:
  // One character, or a string or comment as a whole. What is wrong; "" when nothing is.
  std::string step() {
    const char c = text_[at_];
    switch (c) {
      case '\n':
        return newLine();
      case '"':
        at_ = endOfString(text_, at_);
        if (at_ < text_.size() && text_[at_] == '\n') --at_;
        return "";
      case '/':
        if (text_.substr(at_).starts_with("//")) at_ = std::min(text_.find('\n', at_), text_.size()) - 1;
        return "";
      case '(':
      case '[':
      case '{':
      case '<':
        operators_ = 0;
        if (++depth_ <= kMaxNesting) return "";
        return "brackets nest more than " + std::to_string(kMaxNesting) + " deep";
      case '>':
        if (at_ > 0 && text_[at_ - 1] == '-') return "";
        [[fallthrough]];
      case ')':
      case ']':
      case '}':
        operators_ = 0;
        depth_ = std::max(depth_ - 1, 0);
        return "";
      case ',':
        operators_ = 0;
        return "";
      case '+':
      case '-':
      case '*':
        if (++operators_ <= kMaxOperators) return "";
        return "more than " + std::to_string(kMaxOperators) + " operators in a row";
      case '#':
      case '!':
        return alias();
      default:
        return "";
    }
  }

  std::string newLine() {
    ++line_;
    lineBegin_ = at_ + 1;
    return depth_ == 0 ? aliases_.end() : "";
  }

  std::string alias() {
    const llvm::StringRef name = aliasAt(text_, at_), after = text_.substr(at_ + name.size()).ltrim(' ');
    const bool defines =
        depth_ == 0 && at_ == lineBegin_ && after.starts_with("=") && !after.starts_with("==");
    if (defines) {
      aliases_.begin(name, after.drop_front().ltrim(' ').starts_with("loc("));
    } else {
      aliases_.use(name);
    }
    at_ += name.size() - 1;
    return "";
  }

  llvm::StringRef text_;
  size_t at_ = 0, lineBegin_ = 0;
  uint32_t line_ = 1;
  int depth_ = 0, operators_ = 0;
  Aliases aliases_;
};

}  // namespace

std::optional<TextHazard> hazardIn(llvm::StringRef text) { return HazardScan(text).find(); }

}  // namespace hilo::stablehlo
