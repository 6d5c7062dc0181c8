// Protobuf text format as a tree of names and values, for messages Hilo has no schema of (debug options,
// target descriptions, autotuner results), and the tokeniser under it. Follows the text format's grammar;
// nothing is resolved: a number stays the characters it was written with.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace hilo {

struct TextNode {
  std::string name;   // empty for the root; "[pkg.name]" for an extension or Any
  std::string value;  // of a scalar: unquoted and unescaped when it was a string
  bool isMessage = false;
  bool isString = false;
  std::vector<TextNode> children;
  uint32_t line = 0;

  // The first child of that name, or nullptr.
  const TextNode* child(std::string_view childName) const;
  // The first child's value, or `fallback`.
  std::string_view text(std::string_view childName, std::string_view fallback = {}) const;
  // 0 when missing or not a whole number in range.
  int64_t integer(std::string_view childName) const;
};

// Errors: "text-proto-syntax" with line and column, "text-proto-too-deep", "text-proto-too-large".
Result<TextNode> parseTextTree(std::string_view text, std::string file = {});

// One "name: value" or "name {" a line, two spaces a level: the layout protobuf itself prints.
std::string toString(const TextNode& root);

struct TextToken {
  // Symbol is one of : { } < > [ ] , ; - / . and stands in text[0]. Bad is anything the format does not have.
  enum class Kind : uint8_t { End, Identifier, Number, String, Symbol, Bad };
  Kind kind = Kind::End;
  std::string_view text;  // of a string: with its quotes
  uint32_t line = 1;
  uint32_t column = 1;

  bool is(char symbol) const { return kind == Kind::Symbol && text[0] == symbol; }
};

class TextLexer {
 public:
  explicit TextLexer(std::string_view text) : text_(text) {}
  TextToken next();
  size_t position() const { return at_; }

 private:
  void skipBlanks();
  TextToken token(TextToken::Kind kind, size_t end);
  TextToken string();

  std::string_view text_;
  size_t at_ = 0;
  size_t lineStart_ = 0;
  uint32_t line_ = 1;
};

// The characters a quoted token stands for; what is not a known escape stays as written.
std::string unquoteTextString(std::string_view quoted);

}  // namespace hilo
