#include "ui/widgets/code_lexer.h"

#include <algorithm>
#include <array>
#include <span>

namespace hilo {
namespace {

// What is special about a language, as far as one line shows it.
struct Language {
  std::string_view comment;    // from here to the end of the line
  std::string_view sigils;     // characters that start a name: "%@" for LLVM IR
  bool dotDirectives = false;  // ".reg" is a keyword
  bool keys = false;           // a word or string before ':' or '{' is a key
  std::span<const std::string_view> keywords;
  std::span<const std::string_view> types;
};

constexpr std::array<std::string_view, 22> kLlvmKeywords = {
    "define", "declare", "ret",      "br",     "label", "switch",  "unreachable", "attributes",
    "target", "source",  "constant", "global", "true",  "false",   "null",        "undef",
    "poison", "to",      "align",    "nsw",    "nuw",   "inbounds"};
constexpr std::array<std::string_view, 12> kLlvmTypes = {"void", "ptr", "half", "bfloat", "float", "double",
                                                         "i1",   "i8",  "i16",  "i32",    "i64",   "i128"};
constexpr std::array<std::string_view, 4> kJsonKeywords = {"true", "false", "null", "nan"};
constexpr std::array<std::string_view, 8> kMlirKeywords = {"module", "func", "return", "private",
                                                           "public", "true", "false",  "attributes"};
constexpr std::array<std::string_view, 12> kMlirTypes = {"tensor", "memref", "vector", "index", "f16", "bf16",
                                                         "f32",    "f64",    "i1",     "i8",    "i32", "i64"};

constexpr std::array<std::string_view, 26> kPythonKeywords = {
    "def",   "class", "return", "if",    "elif",   "else", "for",   "while", "in",
    "not",   "and",   "or",     "is",    "import", "from", "as",    "with",  "lambda",
    "yield", "try",   "except", "raise", "None",   "True", "False", "pass"};

constexpr Language kLlvm = {";", "%@!#", false, false, kLlvmKeywords, kLlvmTypes};
constexpr Language kPtx = {"//", "%$", true, false, {}, {}};
constexpr Language kMlir = {"//", "%@#^!", false, false, kMlirKeywords, kMlirTypes};
constexpr Language kPython = {"#", "@", false, false, kPythonKeywords, {}};
constexpr Language kJson = {"", "", false, true, kJsonKeywords, {}};
constexpr Language kTextProto = {"#", "", false, true, kJsonKeywords, {}};

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isWordPart(char c) { return isLetter(c) || isDigit(c); }
bool isNamePart(char c) { return isWordPart(c) || c == '.' || c == '-' || c == '$'; }

class Lexer {
 public:
  Lexer(const Language& language, std::string_view line, std::vector<TextSpan>& spans)
      : language_(language), line_(line), spans_(spans) {}

  void run() {
    while (at_ < line_.size()) {
      const char c = line_[at_];
      if (!language_.comment.empty() && line_.substr(at_).starts_with(language_.comment)) {
        take(line_.size(), ColourRole::kSyntaxComment);
      } else if (c == '"') {
        const size_t end = endOfString();
        take(end, isKey(end) ? ColourRole::kSyntaxAttribute : ColourRole::kSyntaxString);
      } else if (language_.sigils.find(c) != std::string_view::npos) {
        take(endOf(isNamePart), ColourRole::kSyntaxName);
      } else if (language_.dotDirectives && c == '.' && isLetter(peek())) {
        take(endOf(isWordPart), ColourRole::kSyntaxShape);
      } else if (isLetter(c)) {
        word();
      } else if (isDigit(c) || (c == '-' && isDigit(peek()))) {
        take(endOf([](char d) { return isWordPart(d) || d == '.' || d == '+'; }), ColourRole::kSyntaxNumber);
      } else {
        ++at_;
      }
    }
  }

 private:
  char peek() const { return at_ + 1 < line_.size() ? line_[at_ + 1] : '\0'; }

  template <typename Part>
  size_t endOf(Part part) const {
    size_t end = at_ + 1;
    while (end < line_.size() && part(line_[end])) ++end;
    return end;
  }
  size_t endOfString() const {
    size_t end = at_ + 1;
    while (end < line_.size() && line_[end] != '"') end += line_[end] == '\\' ? 2 : 1;
    return std::min(end + 1, line_.size());
  }
  bool isKey(size_t end) const {
    if (!language_.keys) return false;
    const size_t next = line_.find_first_not_of(' ', end);
    return next != std::string_view::npos && (line_[next] == ':' || line_[next] == '{');
  }

  void word() {
    const size_t end = endOf(isWordPart);
    const std::string_view word = line_.substr(at_, end - at_);
    const auto among = [&](std::span<const std::string_view> words) {
      return std::ranges::find(words, word) != words.end();
    };
    // The first word of a line of code is what it does, as is the one after '='.
    const size_t before = line_.substr(0, at_).find_last_not_of(" \t");
    const bool leads = before == std::string_view::npos || line_[before] == '=';
    if (isKey(end)) return take(end, ColourRole::kSyntaxAttribute);
    if (among(language_.keywords)) return take(end, ColourRole::kSyntaxKeyword);
    if (among(language_.types)) return take(end, ColourRole::kSyntaxShape);
    if (leads && !language_.keys) return take(end, ColourRole::kSyntaxOpcode);
    at_ = end;
  }

  void take(size_t end, ColourRole role) {
    spans_.push_back({static_cast<uint32_t>(at_), static_cast<uint32_t>(end - at_), role});
    at_ = end;
  }

  const Language& language_;
  std::string_view line_;
  std::vector<TextSpan>& spans_;
  size_t at_ = 0;
};

LineLexer lexerOf(const Language& language) {
  return [&language](std::string_view line, std::vector<TextSpan>& spans) {
    Lexer(language, line, spans).run();
  };
}

}  // namespace

LineLexer lexerForFile(std::string_view fileName) {
  if (fileName.ends_with(".gz")) fileName.remove_suffix(3);
  const std::pair<std::string_view, const Language*> endings[] = {
      {".ll", &kLlvm},   {".ptx", &kPtx},         {".mlir", &kMlir},           {".py", &kPython},
      {".json", &kJson}, {".pbtxt", &kTextProto}, {".textproto", &kTextProto}, {".prototxt", &kTextProto}};
  for (const auto& [ending, language] : endings) {
    if (fileName.ends_with(ending)) return lexerOf(*language);
  }
  // XLA writes these without an ending of their own.
  if (fileName.ends_with("debug_options") || fileName.ends_with("config.txt")) return lexerOf(kTextProto);
  return lexHloLine;
}

}  // namespace hilo
