#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/analysis/kernel_layouts/inference/kernel_layouts.h"

namespace hilo::inference {
namespace {

std::string textOf(const LayoutExpression& expression, const std::vector<LayoutVariable>& variables) {
  const auto variable = expression.unknown();
  std::string text =
      variable ? variables[*variable].name : toString(std::get<LayoutConstant>(expression.leaf));
  for (const LayoutStep& step : expression.steps) text = toString(step, text);
  return text;
}

std::string_view kindText(MoveKind kind) {
  switch (kind) {
    case MoveKind::Optimized:
      return "without bank conflicts";
    case MoveKind::Unoptimized:
      return "with or without bank conflicts";
    case MoveKind::Downgradable:
      break;
  }
  return "without bank conflicts where memory is tiled";
}

std::string sentence(const Equals&, const std::string& a, const std::string& b) {
  return fmt::format("{} equals {}", a, b);
}
std::string sentence(const Relayout& relation, const std::string& a, const std::string& b) {
  return fmt::format("{} can become {}{}", a, b, relation.isStrict ? ", by itself or from a splat" : "");
}
std::string sentence(const NotOfKind& relation, const std::string& a, const std::string&) {
  const std::string_view kind = relation.kind == RegisterKind::Splat     ? "a splat"
                                : relation.kind == RegisterKind::Strided ? "strided"
                                                                         : "tiled";
  return fmt::format("{} is not {}", a, kind);
}
std::string sentence(const TensorMove&, const std::string& a, const std::string& b) {
  return fmt::format("{} can be copied to {}", a, b);
}
std::string sentence(const SharedMove& move, const std::string& a, const std::string& b) {
  return fmt::format("{} can be copied to {} {}", a, b, kindText(move.kind));
}
std::string sentence(const Divides& divides, const std::string& a, const std::string&) {
  return fmt::format("the tile of {} divides {}", a, tupleText(divides.multiple));
}
std::string sentence(const MinorDivisible& relation, const std::string& a, const std::string&) {
  return fmt::format("the last size of the tile of {} is a multiple of {}", a, relation.divisor);
}
std::string sentence(const MmaTile& mma, const std::string& a, const std::string&) {
  return fmt::format("{} is a tile that tensor cores read: 8 rows as wide as a swizzle{}", a,
                     mma.mayBeUnswizzled ? ", or without one" : "");
}
std::string sentence(const Broadcasts& relation, const std::string& a, const std::string& b) {
  return fmt::format("{} can be broadcast to {} along {}", a, b, tupleText(relation.dimensions));
}
std::string sentence(const OneOf& one, const std::string& a, const std::string&) {
  std::vector<std::string> names;
  for (const LayoutConstant& layout : one.allowed) names.push_back(toString(layout));
  return fmt::format("{} is one of {}", a, fmt::join(names, ", "));
}

}  // namespace

std::string toString(const LayoutConstraint& constraint, const std::vector<LayoutVariable>& variables) {
  const std::string a = textOf(constraint.first, variables);
  const std::string b = constraint.second ? textOf(*constraint.second, variables) : "";
  return std::visit([&](const auto& relation) { return sentence(relation, a, b); }, constraint.relation);
}

}  // namespace hilo::inference
