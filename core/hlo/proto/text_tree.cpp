#include "core/hlo/proto/text_tree.h"

#include <charconv>

namespace hilo {
namespace {

constexpr int kMaxDepth = 100;
constexpr size_t kMaxNodes = 4'000'000;

bool isIdentifierStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isIdentifierPart(char c) { return isIdentifierStart(c) || isDigit(c); }

class TreeParser {
 public:
  TreeParser(std::string_view text, std::string file) : lexer_(text), file_(std::move(file)) { advance(); }

  Result<TextNode> parse() {
    TextNode root;
    root.isMessage = true;
    TRY_STATUS(fields(root, 0, '\0'));
    return root;
  }

 private:
  void advance() { token_ = lexer_.next(); }
  bool accept(char symbol) {
    if (!token_.is(symbol)) return false;
    advance();
    return true;
  }
  std::unexpected<Diagnostic> syntax(std::string_view expected) {
    const std::string found =
        token_.kind == TextToken::Kind::End ? "the end" : fmt::format("'{}'", token_.text.substr(0, 40));
    return fail("text-proto-syntax", fmt::format("expected {}, found {}", expected, found), place());
  }
  Place place() const { return {.file = file_, .line = token_.line, .column = token_.column}; }

  Status fields(TextNode& parent, int depth, char close) {
    if (depth > kMaxDepth) return fail("text-proto-too-deep", "messages nested too deeply", place());
    while (true) {
      if (close == '\0' && token_.kind == TextToken::Kind::End) return {};
      if (close != '\0' && accept(close)) return {};
      TRY_STATUS(field(parent, depth));
      if (!accept(',')) accept(';');
    }
  }

  Result<std::string> name() {
    if (token_.kind == TextToken::Kind::Identifier || token_.kind == TextToken::Kind::Number) {
      std::string text(token_.text);
      advance();
      return text;
    }
    if (!accept('[')) return syntax("a field name");
    // An extension or Any name: kept as the characters between the brackets.
    std::string text = "[";
    while (!token_.is(']')) {
      if (token_.kind == TextToken::Kind::End || text.size() > 1000) return syntax("']'");
      text += token_.text;
      advance();
    }
    advance();
    return text + "]";
  }

  Status field(TextNode& parent, int depth) {
    const uint32_t line = token_.line;
    TRY(std::string fieldName, name());
    const bool hasColon = accept(':');
    if (!hasColon && !token_.is('{') && !token_.is('<')) return syntax("':' or '{'");
    if (!accept('[')) return value(parent, fieldName, line, depth);
    while (!accept(']')) {
      TRY_STATUS(value(parent, fieldName, line, depth));
      if (!accept(',') && !token_.is(']')) return syntax("',' or ']'");
    }
    return {};
  }

  Status value(TextNode& parent, const std::string& fieldName, uint32_t line, int depth) {
    if (++nodes_ > kMaxNodes) return fail("text-proto-too-large", "more than four million fields", place());
    TextNode node;
    node.name = fieldName;
    node.line = line;
    if (token_.is('{') || token_.is('<')) {
      const char close = token_.is('{') ? '}' : '>';
      advance();
      node.isMessage = true;
      TRY_STATUS(fields(node, depth + 1, close));
    } else if (token_.kind == TextToken::Kind::String) {
      node.isString = true;
      for (; token_.kind == TextToken::Kind::String; advance()) node.value += unquoteTextString(token_.text);
    } else {
      if (accept('-')) node.value = "-";
      if (token_.kind != TextToken::Kind::Identifier && token_.kind != TextToken::Kind::Number)
        return syntax("a value");
      node.value += token_.text;
      advance();
    }
    parent.children.push_back(std::move(node));
    return {};
  }

  TextLexer lexer_;
  TextToken token_;
  std::string file_;
  size_t nodes_ = 0;
};

int hexDigit(char c) {
  if (isDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Reads up to `limit` digits of the base after the current position.
uint32_t digits(std::string_view text, size_t& at, int base, int limit) {
  uint32_t value = 0;
  for (; limit > 0 && at < text.size(); --limit, ++at) {
    const int digit = hexDigit(text[at]);
    if (digit < 0 || digit >= base) break;
    value = value * base + digit;
  }
  return value;
}

void appendUtf8(std::string& out, uint32_t code) {
  if (code < 0x80) {
    out += char(code);
  } else if (code < 0x800) {
    out += char(0xc0 | code >> 6);
    out += char(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    out += char(0xe0 | code >> 12);
    out += char(0x80 | (code >> 6 & 0x3f));
    out += char(0x80 | (code & 0x3f));
  } else {
    out += char(0xf0 | (code >> 18 & 7));
    out += char(0x80 | (code >> 12 & 0x3f));
    out += char(0x80 | (code >> 6 & 0x3f));
    out += char(0x80 | (code & 0x3f));
  }
}

void appendEscape(std::string& out, std::string_view text, size_t& at) {
  const char c = text[at++];
  switch (c) {
    case 'n':
      out += '\n';
      return;
    case 't':
      out += '\t';
      return;
    case 'r':
      out += '\r';
      return;
    case 'a':
      out += '\a';
      return;
    case 'b':
      out += '\b';
      return;
    case 'f':
      out += '\f';
      return;
    case 'v':
      out += '\v';
      return;
    case '\\':
    case '\'':
    case '"':
    case '?':
      out += c;
      return;
    case 'x':
    case 'X':
      out += char(digits(text, at, 16, 2));
      return;
    case 'u':
      appendUtf8(out, digits(text, at, 16, 4));
      return;
    case 'U':
      appendUtf8(out, digits(text, at, 16, 8));
      return;
    default:
      break;
  }
  if (c >= '0' && c <= '7') {
    out += char(digits(text, --at, 8, 3));
  } else {
    out += '\\';
    out += c;
  }
}

void appendQuoted(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '"' || c == '\\' || c == '\'') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte >= 0x7f) {
      out += fmt::format("\\{:03o}", byte);
    } else {
      out += c;
    }
  }
  out += '"';
}

void appendNode(std::string& out, const TextNode& node, int indent) {
  out.append(indent * 2, ' ');
  out += node.name;
  if (node.isMessage) {
    out += " {\n";
    for (const TextNode& child : node.children) appendNode(out, child, indent + 1);
    out.append(indent * 2, ' ');
    out += "}\n";
    return;
  }
  out += ": ";
  if (node.isString) {
    appendQuoted(out, node.value);
  } else {
    out += node.value;
  }
  out += '\n';
}

}  // namespace

const TextNode* TextNode::child(std::string_view childName) const {
  for (const TextNode& node : children) {
    if (node.name == childName) return &node;
  }
  return nullptr;
}

std::string_view TextNode::text(std::string_view childName, std::string_view fallback) const {
  const TextNode* node = child(childName);
  return node ? std::string_view(node->value) : fallback;
}

int64_t TextNode::integer(std::string_view childName) const {
  const std::string_view digitsText = text(childName);
  int64_t number = 0;
  const auto [end, error] = std::from_chars(digitsText.data(), digitsText.data() + digitsText.size(), number);
  return error == std::errc() && end == digitsText.data() + digitsText.size() ? number : 0;
}

Result<TextNode> parseTextTree(std::string_view text, std::string file) {
  return TreeParser(text, std::move(file)).parse();
}

std::string toString(const TextNode& root) {
  std::string out;
  for (const TextNode& child : root.children) appendNode(out, child, 0);
  return out;
}

void TextLexer::skipBlanks() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '#') {
      const size_t end = text_.find('\n', at_);
      at_ = end == std::string_view::npos ? text_.size() : end;
    } else if (c == '\n') {
      ++line_;
      lineStart_ = ++at_;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      ++at_;
    } else {
      return;
    }
  }
}

TextToken TextLexer::token(TextToken::Kind kind, size_t end) {
  TextToken result{kind, text_.substr(at_, end - at_), line_, static_cast<uint32_t>(at_ - lineStart_ + 1)};
  at_ = end;
  return result;
}

TextToken TextLexer::string() {
  const char quote = text_[at_];
  for (size_t end = at_ + 1; end < text_.size() && text_[end] != '\n'; ++end) {
    if (text_[end] == quote) return token(TextToken::Kind::String, end + 1);
    if (text_[end] == '\\') ++end;
  }
  return token(TextToken::Kind::Bad, at_ + 1);
}

TextToken TextLexer::next() {
  skipBlanks();
  if (at_ >= text_.size()) return token(TextToken::Kind::End, at_);
  const char c = text_[at_];
  if (c == '"' || c == '\'') return string();
  size_t end = at_ + 1;
  if (isIdentifierStart(c)) {
    while (end < text_.size() && isIdentifierPart(text_[end])) ++end;
    return token(TextToken::Kind::Identifier, end);
  }
  const bool isFraction = c == '.' && end < text_.size() && isDigit(text_[end]);
  if (isDigit(c) || isFraction) {
    while (end < text_.size()) {
      const char previous = text_[end - 1];
      const bool isExponentSign =
          (text_[end] == '-' || text_[end] == '+') && (previous == 'e' || previous == 'E');
      if (!isIdentifierPart(text_[end]) && text_[end] != '.' && !isExponentSign) break;
      ++end;
    }
    return token(TextToken::Kind::Number, end);
  }
  if (std::string_view(":{}<>[],;-/.").find(c) != std::string_view::npos)
    return token(TextToken::Kind::Symbol, end);
  return token(TextToken::Kind::Bad, end);
}

std::string unquoteTextString(std::string_view quoted) {
  std::string out;
  const std::string_view body = quoted.size() >= 2 ? quoted.substr(1, quoted.size() - 2) : std::string_view();
  for (size_t at = 0; at < body.size();) {
    const char c = body[at++];
    if (c != '\\' || at >= body.size()) {
      out += c;
    } else {
      appendEscape(out, body, at);
    }
  }
  return out;
}

}  // namespace hilo
