#include "core/compiler/codegen/backend_attributes.h"

#include <absl/strings/numbers.h>
#include <fmt/format.h>

#include "plugins/sdk/custom_call.h"

namespace hilo {
namespace {

std::unexpected<Diagnostic> malformed(std::string_view why) {
  return fail("malformed-attributes", fmt::format("its backend_config: {}", why));
}

class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  Result<std::vector<CustomCallAttribute>> dictionary() {
    std::vector<CustomCallAttribute> attributes;
    if (!take('{')) return malformed("is no dictionary");
    while (!take('}')) {
      if (!attributes.empty() && !take(',')) return malformed("expected , or }");
      CustomCallAttribute attribute;
      TRY(attribute.name, name());
      // A name alone is a flag.
      if (!take('=')) {
        attribute.kind = HILO_ATTRIBUTE_BOOL;
        attribute.integers = {1};
      } else {
        TRY_STATUS(value(attribute));
      }
      attributes.push_back(std::move(attribute));
    }
    skip();
    if (!rest_.empty()) return malformed("text follows the dictionary");
    std::ranges::sort(attributes, {}, &CustomCallAttribute::name);
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

  Status value(CustomCallAttribute& attribute) {
    if (peek('"')) {
      attribute.kind = HILO_ATTRIBUTE_STRING;
      TRY(attribute.text, string());
      return {};
    }
    if (take('[')) return list(attribute, ']');
    const std::string_view before = rest_;
    const std::string_view first = word();
    if (first == "true" || first == "false") {
      attribute.kind = HILO_ATTRIBUTE_BOOL;
      attribute.integers = {first == "true"};
      return {};
    }
    if (first == "array" && take('<')) {
      (void)word();
      (void)take(':');
      return list(attribute, '>');
    }
    rest_ = before;
    TRY_STATUS(number(attribute));
    attribute.kind = attribute.floats.empty() ? HILO_ATTRIBUTE_INTEGER : HILO_ATTRIBUTE_FLOAT;
    return {};
  }

  // Integers, or floats when one of them is.
  Status list(CustomCallAttribute& attribute, char end) {
    for (bool first = true; !take(end); first = false) {
      if (!first && !take(',')) return malformed("expected , or the end of a list");
      TRY_STATUS(number(attribute));
    }
    if (!attribute.floats.empty() && !attribute.integers.empty())
      return malformed("a list holds integers and floats");
    attribute.kind = attribute.floats.empty() ? HILO_ATTRIBUTE_INTEGERS : HILO_ATTRIBUTE_FLOATS;
    return {};
  }

  // With its type, if one is written.
  Status number(CustomCallAttribute& attribute) {
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
    if (!isFloat && absl::SimpleAtoi(digits, &integer)) {
      attribute.integers.push_back(integer);
    } else if (isFloat && absl::SimpleAtod(digits, &number)) {
      attribute.floats.push_back(number);
    } else {
      return malformed(fmt::format("'{}' is no value", text));
    }
    return {};
  }

  std::string_view rest_;
};

}  // namespace

Result<std::vector<CustomCallAttribute>> parseBackendAttributes(std::string_view text) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
  if (text.find_first_not_of(' ') == text.npos) return std::vector<CustomCallAttribute>();
  return Parser(text).dictionary();
}

}  // namespace hilo
