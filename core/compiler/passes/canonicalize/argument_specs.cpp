#include "core/compiler/passes/canonicalize/argument_specs.h"

#include <fmt/format.h>

#include <charconv>

#include "core/hlo/eval/kernel.h"
#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

Result<Literal> numberAs(std::string_view text, Shape shape) {
  int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size())
    return fail("wrong-argument", fmt::format("'{}' is no integer", text));
  if (!shape.isScalar() || !isIntegral(shape.elementType()))
    return fail("wrong-argument", fmt::format("the value {} is given for an argument of shape {}", text,
                                              toString(shape.withoutLayout())));
  Literal literal(Shape::scalar(shape.elementType()));
  convertElements(literal.mutableBytes().data(), shape.elementType(), &number, ElementType::S64, 1);
  return literal;
}

Result<ArgumentSpec> parseOne(std::string_view text, Shape declared) {
  ArgumentSpec spec{.shape = declared, .value = std::nullopt};
  if (text == "_") return spec;
  const size_t bracket = text.find('['), equals = text.rfind('=');
  if (bracket != std::string_view::npos) {
    TRY(const Shape shape, parseShape(text.substr(0, equals)));
    spec.shape = shape.withDefaultLayout();
    if (equals == std::string_view::npos) return spec;
    text = text.substr(equals + 1);
  }
  TRY(spec.value, numberAs(text, spec.shape));
  return spec;
}

}  // namespace

Result<std::vector<ArgumentSpec>> parseArgumentSpecs(std::string_view text, const Module& module) {
  std::vector<std::string_view> words;
  int depth = 0;
  size_t begin = 0;
  for (size_t at = 0; at <= text.size(); ++at) {
    if (at == text.size() || (text[at] == ',' && depth == 0)) {
      if (at > begin || !words.empty() || at < text.size()) words.push_back(text.substr(begin, at - begin));
      begin = at + 1;
    } else if (text[at] == '[' || text[at] == '(' || text[at] == '{') {
      ++depth;
    } else if (text[at] == ']' || text[at] == ')' || text[at] == '}') {
      --depth;
    }
  }
  if (module.entry() == nullptr) return fail("wrong-argument", "the module has no entry computation");
  const auto parameters = module.entry()->parameters();
  if (words.size() != parameters.size())
    return fail("wrong-argument", fmt::format("{} argument shapes are given, the module takes {}",
                                              words.size(), parameters.size()));
  std::vector<ArgumentSpec> specs;
  for (size_t n = 0; n < words.size(); ++n) {
    TRY(ArgumentSpec spec, parseOne(words[n], parameters[n]->shape()));
    specs.push_back(std::move(spec));
  }
  return specs;
}

}  // namespace hilo
