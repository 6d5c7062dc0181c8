#include "core/workspace/run/value_text.h"

#include <absl/strings/ascii.h>
#include <fmt/format.h>

#include <optional>

#include "core/base/number_text.h"
#include "core/hlo/eval/kernel.h"
#include "core/hlo/eval/normal_elements.h"
#include "core/hlo/eval/seeded_numbers.h"
#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

constexpr std::string_view kForms =
    "a value is '{1, 2.5}', what NumPy prints, a number, or zeros, ones, iota, normal(SEED), uniform(SEED)";

std::unexpected<Diagnostic> badValue(std::string message) {
  return fail("bad-value", std::move(message), {}, {std::string(kForms)});
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const size_t begin = text.find_first_not_of(kBlanks);
  return begin == text.npos ? std::string_view()
                            : text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

// The seed of "normal(7)"; nullopt where `text` is no call of `name`.
std::optional<uint64_t> seedOf(std::string_view text, std::string_view name) {
  if (!text.starts_with(name) || text.size() < name.size() + 2 || text[name.size()] != '(' ||
      text.back() != ')')
    return std::nullopt;
  const auto seed = parseNumber<uint64_t>(text.substr(name.size() + 1, text.size() - name.size() - 2));
  return seed ? std::optional(*seed) : std::nullopt;
}

bool isGenerated(std::string_view text) {
  return text == "zeros" || text == "ones" || text == "iota" || seedOf(text, "normal") ||
         seedOf(text, "uniform");
}

// Each element from the number that `next` gives for its place in row-major order.
Result<Literal> filled(Shape shape, const auto& next) {
  TRY(Literal literal, Literal::tryMake(shape));
  const ElementType type = shape.elementType();
  std::byte* to = literal.mutableBytes().data();
  for (int64_t i = 0; i < shape.elementCount(); ++i) {
    const double number = next(i);
    convertElements(to + i * elementStorageBytes(type), type, &number, ElementType::F64, 1);
  }
  return literal;
}

Result<Literal> generated(std::string_view text, Shape shape) {
  if (text == "zeros") return filled(shape, [](int64_t) { return 0.0; });
  if (text == "ones") return filled(shape, [](int64_t) { return 1.0; });
  if (text == "iota") return filled(shape, [](int64_t i) { return static_cast<double>(i); });
  if (const auto seed = seedOf(text, "uniform")) {
    SeededNumbers numbers(*seed);
    return filled(shape, [&](int64_t) { return numbers.fraction(); });
  }
  SeededNumbers numbers(seedOf(text, "normal").value_or(0));
  return filled(shape, [&](int64_t) { return numbers.normal(); });
}

// "array([1, 2], dtype=int32)" and "Array(...)", as NumPy and JAX print, without what is around the brackets.
std::string_view inBrackets(std::string_view text) {
  const size_t begin = text.find('['), end = text.rfind(']');
  return begin == text.npos || end == text.npos || end < begin ? text : text.substr(begin, end + 1 - begin);
}

bool isNumpy(std::string_view text) {
  return text.starts_with('[') || text.starts_with("array(") || text.starts_with("Array(");
}

// One element as HLO writes it: "1.", "True", "1.+2.j".
std::string elementOfNumpy(std::string_view word) {
  if (word == "True" || word == "False") return word == "True" ? "true" : "false";
  if (!word.ends_with('j')) return std::string(word);
  word.remove_suffix(1);
  const size_t sign = word.find_last_of("+-");
  const bool hasReal = sign != word.npos && sign > 0 && word[sign - 1] != 'e';
  const std::string_view imaginary = hasReal ? word.substr(sign) : word;
  return fmt::format("({}, {})", hasReal ? word.substr(0, sign) : "0",
                     imaginary.substr(imaginary.starts_with('+')));
}

// NumPy's brackets and blanks as HLO's braces and commas.
std::string fromNumpy(std::string_view text) {
  std::string out;
  bool afterElement = false;
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '[') {
      out += afterElement ? ", {" : "{";
      afterElement = false;
      ++at;
    } else if (c == ']') {
      out += '}';
      afterElement = true;
      ++at;
    } else if (absl::ascii_isspace(static_cast<unsigned char>(c)) || c == ',') {
      ++at;
    } else {
      const size_t end = std::min(text.find_first_of("[], \t\r\n", at), text.size());
      if (afterElement) out += ", ";
      out += elementOfNumpy(text.substr(at, end - at));
      afterElement = true;
      at = end;
    }
  }
  return out;
}

// "f32[2]{0} {1, 2}": the type and dimensions in front must be the array's, and are taken off.
Result<std::string_view> withoutShape(std::string_view text, Shape shape) {
  const size_t begin = text.find_first_of(" {");
  if (text.empty() || !absl::ascii_isalpha(static_cast<unsigned char>(text[0])) || text.find('[') > begin)
    return text;
  size_t end = text.find(']') + 1;
  const auto written = parseShape(text.substr(0, end));
  if (!written) return badValue(fmt::format("'{}' is no shape", text.substr(0, end)));
  if (!std::ranges::equal(written->dimensions(), shape.dimensions()))
    return badValue(fmt::format("the value is {}, the array {}", toString(*written), toString(shape)));
  text.remove_prefix(end);
  // A layout stands right behind the dimensions, the values behind a blank.
  if (text.starts_with('{')) text.remove_prefix(std::min(text.find('}'), text.size() - 1) + 1);
  return trimmed(text);
}

Result<Literal> numberEverywhere(const Literal& number, Shape shape) {
  TRY(Literal literal, Literal::tryMake(shape));
  const std::span<const std::byte> from = number.bytes();
  const std::span<std::byte> to = literal.mutableBytes();
  for (size_t at = 0; at + from.size() <= to.size(); at += from.size())
    std::ranges::copy(from, to.begin() + static_cast<ptrdiff_t>(at));
  return literal;
}

}  // namespace

bool isValueText(std::string_view text) {
  text = trimmed(text);
  if (text.ends_with(".npy") || text.ends_with(".npz") || text.empty()) return false;
  if (isGenerated(text) || isNumpy(text) || text[0] == '{' || text[0] == '(') return true;
  if (parseDouble(text) || text == "true" || text == "false") return true;
  const size_t bracket = text.find('[');
  return bracket != text.npos && elementTypeFromName(text.substr(0, bracket)).has_value();
}

Result<Literal> valueOfText(std::string_view text, Shape shape) {
  text = trimmed(text);
  if (!shape.isArray())
    return badValue(fmt::format("a value is written for arrays, this is {}", toString(shape)));
  if (isGenerated(text)) return generated(text, shape);
  if (text.contains("...")) return badValue("elements are left out ('...')");
  std::string hlo;
  if (isNumpy(text)) {
    hlo = fromNumpy(inBrackets(text));
  } else {
    TRY(hlo, withoutShape(text, shape));
  }
  const bool isNumber = !hlo.starts_with('{');
  const Shape plain =
      isNumber ? Shape::scalar(shape.elementType()) : Shape::array(shape.elementType(), shape.dimensions());
  auto literal = parseLiteral(hlo, plain);
  if (!literal) return badValue(fmt::format("this is no {}: {}", toString(shape), literal.error().message));
  return isNumber ? numberEverywhere(*literal, shape) : literal->withShape(shape);
}

}  // namespace hilo
