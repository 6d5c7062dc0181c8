#include "core/workspace/run/expected_values.h"

#include <fmt/format.h>

#include <ranges>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

void collectArrays(Shape shape, std::vector<Shape>& arrays) {
  if (shape.isArray()) arrays.push_back(shape);
  for (const Shape element : shape.isTuple() ? shape.tupleShapes() : std::span<const Shape>())
    collectArrays(element, arrays);
}

Literal assembled(Shape shape, const std::vector<NamedLiteral>& arrays, size_t& next) {
  if (!shape.isTuple()) return arrays[next++].literal;
  std::vector<Literal> elements;
  for (const Shape element : shape.tupleShapes()) elements.push_back(assembled(element, arrays, next));
  return Literal::tuple(std::move(elements));
}

}  // namespace

Result<ExpectedValues> ExpectedValues::read(const std::string& text) {
  ExpectedValues expected;
  if (text.ends_with(".npz")) {
    TRY(expected.arrays_, loadNpz(text));
  } else if (text.ends_with(".npy")) {
    TRY(Literal one, loadNpy(text));
    expected.arrays_.push_back({"out0", std::move(one)});
  } else if (text.find_first_not_of(" \t\n") == std::string::npos) {
    return fail("bad-expected", "no values are given", {},
                {"a .npy, a .npz with out0, out1, ..., or values as in '{1, 2.5}; 3'"});
  } else {
    for (const auto part : std::views::split(text, ';'))
      expected.texts_.emplace_back(part.begin(), part.end());
  }
  return expected;
}

Result<std::vector<NamedLiteral>> ExpectedValues::arraysFor(Shape result) const {
  std::vector<Shape> shapes;
  collectArrays(result, shapes);
  const size_t given = texts_.empty() ? arrays_.size() : texts_.size();
  if (given != shapes.size())
    return fail("bad-expected", fmt::format("{} arrays are expected, there are {}", given, shapes.size()));
  if (texts_.empty()) return arrays_;
  std::vector<NamedLiteral> arrays;
  for (size_t i = 0; i < shapes.size(); ++i) {
    auto literal = parseLiteral(texts_[i], shapes[i].withoutLayout());
    if (!literal) {
      return fail("bad-expected", fmt::format("'{}' is no value of {}", texts_[i], toString(shapes[i])), {},
                  {literal.error().message});
    }
    arrays.push_back({fmt::format("out{}", i), std::move(*literal)});
  }
  return arrays;
}

Result<Literal> ExpectedValues::valueFor(Shape result) const {
  TRY(const std::vector<NamedLiteral> arrays, arraysFor(result));
  size_t next = 0;
  return assembled(result, arrays, next);
}

}  // namespace hilo
