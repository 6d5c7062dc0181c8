#include "core/hlo/expand/ffi_attributes.h"

#include <absl/strings/numbers.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace hilo {
namespace {

using nlohmann::json;

std::unexpected<Diagnostic> malformed(std::string_view why) {
  return fail("malformed-attributes", fmt::format("its backend_config: {}", why));
}

class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  Result<json> dictionary() {
    json attributes = json::object();
    if (!take('{')) return malformed("is no dictionary");
    while (!take('}')) {
      if (!attributes.empty() && !take(',')) return malformed("expected , or }");
      TRY(std::string key, name());
      // A name alone is a flag.
      json& attribute = attributes[key] = true;
      if (!take('=')) continue;
      TRY(attribute, value());
    }
    skip();
    if (!rest_.empty()) return malformed("text follows the dictionary");
    return attributes;
  }

 private:
  void skip() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n' || rest_[0] == '\t'))
      rest_.remove_prefix(1);
  }
  bool peek(char c) {
    skip();
    return !rest_.empty() && rest_[0] == c;
  }
  bool take(char c) {
    if (!peek(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  static bool isWord(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '$';
  }
  std::string_view word() {
    skip();
    size_t length = 0;
    while (length < rest_.size() && isWord(rest_[length])) ++length;
    const std::string_view taken = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return taken;
  }
  Result<std::string> name() {
    if (peek('"')) return string();
    const std::string_view taken = word();
    if (taken.empty()) return malformed("expected a name");
    return std::string(taken);
  }
  Result<std::string> string() {
    std::string text;
    rest_.remove_prefix(1);
    while (!rest_.empty() && rest_[0] != '"') {
      if (rest_[0] == '\\' && rest_.size() > 1) rest_.remove_prefix(1);
      text += rest_[0];
      rest_.remove_prefix(1);
    }
    if (!take('"')) return malformed("a string does not end");
    return text;
  }

  Result<json> value() {
    if (peek('"')) {
      TRY(std::string text, string());
      return json(std::move(text));
    }
    if (take('[')) return list(']');
    const std::string_view before = rest_;
    const std::string_view first = word();
    if (first == "true" || first == "false") return json(first == "true");
    if (first == "array" && take('<')) {
      (void)word();
      (void)take(':');
      return list('>');
    }
    rest_ = before;
    return number();
  }

  // All integers or all floats.
  Result<json> list(char end) {
    json numbers = json::array();
    for (bool first = true; !take(end); first = false) {
      if (!first && !take(',')) return malformed("expected , or the end of a list");
      TRY(json next, number());
      if (!numbers.empty() && numbers[0].type() != next.type())
        return malformed("a list holds integers and floats");
      numbers.push_back(std::move(next));
    }
    return numbers;
  }

  // With its type, if one is written.
  Result<json> number() {
    skip();
    size_t length = 0;
    while (length < rest_.size() && (isWord(rest_[length]) || rest_[length] == '-' || rest_[length] == '+'))
      ++length;
    const std::string_view text = rest_.substr(0, length);
    rest_.remove_prefix(length);
    bool isFloat = text.find_first_of(".eE") != text.npos;
    if (take(':')) isFloat = word().starts_with('f');
    const absl::string_view digits(text.data(), text.size());
    int64_t integer = 0;
    double number = 0;
    if (!isFloat && absl::SimpleAtoi(digits, &integer)) return json(integer);
    if (isFloat && absl::SimpleAtod(digits, &number)) return json(number);
    return malformed(fmt::format("'{}' is no value", text));
  }

  std::string_view rest_;
};

}  // namespace

Result<json> parseFfiAttributes(std::string_view text) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
  if (text.find_first_not_of(' ') == text.npos) return json::object();
  return Parser(text).dictionary();
}

Result<json> parseCallConfig(std::string_view text) {
  // Depth is bounded: the library recurses.
  constexpr int kMaxDepth = 100;
  const auto keepShallow = [](int depth, json::parse_event_t, json&) { return depth <= kMaxDepth; };
  json config = json::parse(text, keepShallow, /*allow_exceptions=*/false);
  return config.is_object() ? Result<json>(std::move(config)) : parseFfiAttributes(text);
}

}  // namespace hilo
