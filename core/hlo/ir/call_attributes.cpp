#include "core/hlo/ir/call_attributes.h"

#include <absl/strings/ascii.h>
#include <absl/strings/numbers.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>

namespace hilo {
namespace {

using Kind = CallAttribute::Kind;

std::unexpected<Diagnostic> malformed(std::string_view why) {
  return fail("malformed-attributes", fmt::format("its backend_config: {}", why));
}

struct NamedType {
  std::string_view name;
  ElementType type;
};
constexpr NamedType kTypes[] = {
    {"i1", ElementType::Pred},   {"i8", ElementType::S8},    {"i16", ElementType::S16},
    {"i32", ElementType::S32},   {"i64", ElementType::S64},  {"ui8", ElementType::U8},
    {"ui16", ElementType::U16},  {"ui32", ElementType::U32}, {"ui64", ElementType::U64},
    {"si8", ElementType::S8},    {"si16", ElementType::S16}, {"si32", ElementType::S32},
    {"si64", ElementType::S64},  {"f32", ElementType::F32},  {"f64", ElementType::F64},
    {"index", ElementType::S64},
};

Result<ElementType> typeCalled(std::string_view name) {
  const auto* found = std::ranges::find(kTypes, name, &NamedType::name);
  if (found == std::end(kTypes)) return malformed(fmt::format("'{}' is no type of an attribute", name));
  return found->type;
}

// What fits where. MLIR writes a signless integer of all ones either way: -1 and 255 are both i8.
bool fits(int64_t value, ElementType type) {
  const int bits = type == ElementType::Pred ? 1 : static_cast<int>(8 * elementStorageBytes(type));
  if (bits == 64) return true;
  const int64_t above = int64_t{1} << bits;
  return value < above && value >= (isUnsigned(type) ? 0 : -above / 2);
}

class AttributeParser {
 public:
  explicit AttributeParser(std::string_view text) : rest_(text) {}

  Result<std::vector<CallAttribute>> all() {
    TRY(auto attributes, dictionary(0));
    skip();
    if (!rest_.empty()) return malformed("text follows the dictionary");
    return attributes;
  }

 private:
  static constexpr int kMostDepth = 32;

  Result<std::vector<CallAttribute>> dictionary(int depth) {
    if (depth > kMostDepth) return malformed("dictionaries lie too deep in each other");
    if (!take('{')) return malformed("is no dictionary");
    std::vector<CallAttribute> attributes;
    while (!take('}')) {
      if (!attributes.empty() && !take(',')) return malformed("expected , or }");
      TRY(std::string key, name());
      CallAttribute attribute{.type = ElementType::Pred, .integers = {1}};
      if (take('=')) {
        TRY(attribute, value(depth));
      }
      attribute.name = std::move(key);
      attributes.push_back(std::move(attribute));
    }
    std::ranges::sort(attributes, {}, &CallAttribute::name);
    const auto twice = std::ranges::adjacent_find(attributes, {}, &CallAttribute::name);
    if (twice != attributes.end()) return malformed(fmt::format("{} is there twice", twice->name));
    return attributes;
  }

  Result<CallAttribute> value(int depth) {
    if (peek('"')) {
      CallAttribute attribute{.kind = Kind::String};
      TRY(attribute.text, string());
      return attribute;
    }
    if (peek('{')) {
      CallAttribute attribute{.kind = Kind::Dictionary};
      TRY(attribute.members, dictionary(depth + 1));
      return attribute;
    }
    if (take('[')) return list(']', std::nullopt);
    const std::string_view before = rest_;
    const std::string_view first = word();
    if (first == "true" || first == "false")
      return CallAttribute{.type = ElementType::Pred, .integers = {first == "true"}};
    if (first == "array" && take('<')) return typedArray();
    if (first == "dense" && take('<')) return dense();
    rest_ = before;
    CallAttribute scalar;
    TRY_STATUS(number(scalar, std::nullopt));
    return scalar;
  }

  // i64: 2, 3>
  Result<CallAttribute> typedArray() {
    TRY(const ElementType type, typeCalled(word()));
    (void)take(':');
    return list('>', type);
  }

  // [1, 2]> : tensor<2xi64>, or one value for all.
  Result<CallAttribute> dense() {
    const std::string_view numbers = rest_.substr(0, rest_.find('>'));
    rest_.remove_prefix(numbers.size());
    if (!take('>') || !take(':') || word() != "tensor" || !take('<'))
      return malformed("expected > : tensor<");
    std::string_view shape = word();
    if (!take('>')) return malformed("expected > after a tensor's type");
    int64_t count = 1, size = 0;
    for (size_t x = shape.find('x'); x != shape.npos; x = shape.find('x')) {
      const std::string_view digits = shape.substr(0, x);
      if (!absl::SimpleAtoi(absl::string_view(digits.data(), digits.size()), &size) || size < 0 ||
          (size != 0 && count > kMostElements / size))
        return malformed("a tensor of no size, or of too many elements");
      count *= size;
      shape.remove_prefix(x + 1);
    }
    TRY(const ElementType type, typeCalled(shape));
    AttributeParser inner(numbers);
    const bool isList = inner.take('[');
    TRY(CallAttribute array, inner.list(isList ? ']' : '\0', type));
    if (!isList && array.integers.size() == 1)
      array.integers.resize(static_cast<size_t>(count), array.integers[0]);
    if (!isList && array.floats.size() == 1) array.floats.resize(static_cast<size_t>(count), array.floats[0]);
    if (std::ssize(array.integers) + std::ssize(array.floats) != count)
      return malformed("a tensor has other numbers than elements");
    return array;
  }

  // All integers or all floats. End 0: that of the text.
  Result<CallAttribute> list(char end, std::optional<ElementType> type) {
    CallAttribute array{.kind = Kind::Array, .type = type.value_or(ElementType::S64)};
    const auto ends = [&] {
      skip();
      return end == '\0' ? rest_.empty() : take(end);
    };
    for (bool first = true; !ends(); first = false) {
      if (!first && !take(',')) return malformed("expected , or the end of a list");
      TRY_STATUS(number(array, type));
      if (!array.integers.empty() && !array.floats.empty())
        return malformed("a list holds integers and floats");
    }
    return array;
  }

  // Adds one to `to`, with its type, if one is written.
  Status number(CallAttribute& to, std::optional<ElementType> type) {
    skip();
    size_t length = 0;
    while (length < rest_.size() && (isWord(rest_[length]) || rest_[length] == '-' || rest_[length] == '+'))
      ++length;
    const absl::string_view text(rest_.data(), length);
    const bool isHex = rest_.starts_with("0x");
    rest_.remove_prefix(length);
    if (!type && take(':')) {
      TRY(type, typeCalled(word()));
    }
    if (!type && !isHex && text.find_first_of(".eE") != text.npos) type = ElementType::F64;
    to.type = type.value_or(ElementType::S64);
    const auto noValue = [&] {
      return malformed(fmt::format("'{}' is no value", std::string_view(text.data(), text.size())));
    };
    int64_t integer = 0;
    uint64_t bits = 0;
    double real = 0;
    if (to.isFloat() && isHex) {
      if (!absl::SimpleHexAtoi(text, &bits)) return noValue();
      to.floats.push_back(to.type == ElementType::F32 ? std::bit_cast<float>(static_cast<uint32_t>(bits))
                                                      : std::bit_cast<double>(bits));
    } else if (to.isFloat()) {
      if (!absl::SimpleAtod(text, &real)) return noValue();
      to.floats.push_back(real);
    } else if (text == "true" || text == "false") {
      to.integers.push_back(text == "true");
    } else if (to.type == ElementType::U64 && absl::SimpleAtoi(text, &bits)) {
      to.integers.push_back(static_cast<int64_t>(bits));
    } else {
      if (!absl::SimpleAtoi(text, &integer) || !fits(integer, to.type)) return noValue();
      to.integers.push_back(integer);
    }
    return {};
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
    while (!rest_.empty() && rest_[0] != '"') text += character();
    if (!take('"')) return malformed("a string does not end");
    return text;
  }

  // One of a string, its escape undone: `\n`, `\t`, a character as it is, or a byte by its two digits.
  char character() {
    const char first = rest_[0];
    rest_.remove_prefix(1);
    if (first != '\\' || rest_.empty()) return first;
    int byte = 0;
    const auto isDigit = [&](size_t at) {
      return absl::ascii_isxdigit(static_cast<unsigned char>(rest_[at]));
    };
    if (rest_.size() > 1 && isDigit(0) && isDigit(1) &&
        absl::SimpleHexAtoi(absl::string_view(rest_.data(), 2), &byte)) {
      rest_.remove_prefix(2);
      return static_cast<char>(byte);
    }
    const char escaped = rest_[0];
    rest_.remove_prefix(1);
    return escaped == 'n' ? '\n' : escaped == 't' ? '\t' : escaped;
  }

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

  static constexpr int64_t kMostElements = int64_t{1} << 24;
  std::string_view rest_;
};

}  // namespace

Result<std::vector<CallAttribute>> parseCallAttributes(std::string_view text) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
  if (text.find_first_not_of(' ') == text.npos) return std::vector<CallAttribute>();
  return AttributeParser(text).all();
}

}  // namespace hilo
