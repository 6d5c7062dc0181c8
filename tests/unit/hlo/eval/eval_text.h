// Evaluates HLO text on literals given as text, for tests.
#pragma once

#include <gtest/gtest.h>

#include "core/hlo/eval/evaluate.h"
#include "core/hlo/eval/kernel.h"
#include "core/hlo/text/parse.h"
#include "core/hlo/text/print.h"

namespace hilo {

inline std::string literalText(const Literal& literal) {
  std::string out;
  if (!literal.isTuple()) {
    appendShapedLiteral(out, literal);
    return out;
  }
  for (const Literal& element : literal.elements()) out += (out.empty() ? "(" : ", ") + literalText(element);
  return out + ")";
}

// "f32[2] {1, 2}": a shape without layout, a space, the values.
inline Literal literalOf(std::string_view text) {
  const size_t space = text.find(' ');
  const auto shape = parseShape(text.substr(0, space));
  if (!shape) ADD_FAILURE() << text << ": " << toString(shape.error());
  auto literal = parseLiteral(text.substr(space + 1), shape.value_or(Shape()));
  if (!literal) ADD_FAILURE() << text << ": " << toString(literal.error());
  return literal.value_or(Literal());
}

// `body` is a whole module, or the instructions of an entry computation.
inline Result<Literal> evalText(std::string body, const std::vector<std::string>& arguments = {},
                                const EvalOptions& options = {}) {
  if (!body.contains("ENTRY")) body = "ENTRY e {\n" + body + "\n}\n";
  if (!body.contains("HloModule")) body = "HloModule test\n\n" + body;
  auto module = parseModuleStrictly(body);
  if (!module) {
    ADD_FAILURE() << toString(module.error()) << "\n" << body;
    return std::unexpected(module.error());
  }
  std::vector<Literal> literals;
  for (const std::string& argument : arguments) literals.push_back(literalOf(argument));
  return evaluate(**module, literals, options);
}

// The one element of a tuple that is asked for, or the array itself.
inline const Literal& part(const Literal& literal, size_t index) {
  return literal.isTuple() ? literal.elements()[index] : literal;
}

// The result is exactly `expected`, one literal a tuple element (or the array).
inline void expectEval(const std::string& body, const std::vector<std::string>& arguments,
                       const std::vector<std::string>& expected) {
  SCOPED_TRACE(body);
  const auto result = evalText(body, arguments);
  ASSERT_TRUE(result.has_value()) << toString(result.error());
  ASSERT_EQ(result->isTuple() ? result->elements().size() : 1, expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    const Literal& got = part(*result, i);
    EXPECT_TRUE(got == literalOf(expected[i])) << literalText(got) << "\nexpected " << expected[i];
  }
}

inline std::vector<double> valuesOf(const Literal& literal) {
  std::vector<double> values(static_cast<size_t>(literal.shape().elementCount()));
  convertElements(values.data(), ElementType::F64, literal.bytes().data(), literal.shape().elementType(),
                  literal.shape().elementCount());
  return values;
}

// The real parts of the result are within `tolerance` (absolute, and relative to the expected value).
inline void expectNear(const std::string& body, const std::vector<std::string>& arguments,
                       const std::vector<double>& expected, double tolerance, size_t index = 0) {
  SCOPED_TRACE(body);
  const auto result = evalText(body, arguments);
  ASSERT_TRUE(result.has_value()) << toString(result.error());
  const auto got = valuesOf(part(*result, index));
  ASSERT_EQ(got.size(), expected.size()) << literalText(*result);
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_NEAR(got[i], expected[i], tolerance * (1 + std::abs(expected[i])))
        << i << " of " << literalText(*result);
  }
}

inline std::string errorKind(const std::string& body, const std::vector<std::string>& arguments = {},
                             const EvalOptions& options = {}) {
  const auto result = evalText(body, arguments, options);
  return result ? "no error: " + literalText(*result) : result.error().kind;
}

}  // namespace hilo
