// What combining with changes nothing.
#include "core/compiler/spmd/op_factors.h"
#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

std::string integerEnd(ElementType type, bool isLargest) {
  const int bits = elementBits(type);
  if (!isSigned(type)) return isLargest ? fmt::format("{}", ~uint64_t{0} >> (64 - bits)) : "0";
  const int64_t largest = static_cast<int64_t>((uint64_t{1} << (bits - 1)) - 1);
  return fmt::format("{}", isLargest ? largest : -largest - 1);
}

std::string endOf(ElementType type, bool isLargest) {
  if (type == ElementType::Pred) return isLargest ? "true" : "false";
  if (isIntegral(type)) return integerEnd(type, isLargest);
  return isLargest ? "inf" : "-inf";
}

std::string wholeNumber(ElementType type, int value) {
  if (type == ElementType::Pred) return value != 0 ? "true" : "false";
  return isComplex(type) ? fmt::format("({}, 0)", value) : fmt::format("{}", value);
}

// The names of float types without an infinity say so.
bool hasNoInfinity(ElementType type) {
  const std::string_view name = elementTypeName(type);
  return isFloat(type) && name.contains("fn");
}

}  // namespace

std::optional<Literal> neutralElement(Opcode combiner, ElementType type) {
  const bool isExtremum = combiner == Opcode::Maximum || combiner == Opcode::Minimum;
  const bool hasNoOne = type == ElementType::S1 && combiner == Opcode::Multiply;
  if (type == ElementType::F8E8M0FNU || hasNoOne || (isExtremum && hasNoInfinity(type))) return std::nullopt;
  std::string text;
  if (combiner == Opcode::Add || combiner == Opcode::Or) text = wholeNumber(type, 0);
  if (combiner == Opcode::Multiply) text = wholeNumber(type, 1);
  if (combiner == Opcode::Maximum || combiner == Opcode::Minimum)
    text = endOf(type, combiner == Opcode::Minimum);
  if (combiner == Opcode::And) text = type == ElementType::Pred ? "true" : integerEnd(type, true);
  if (combiner == Opcode::And && isSigned(type)) text = "-1";
  auto literal = parseLiteral(text, Shape::scalar(type));
  return literal ? std::optional(std::move(*literal)) : std::nullopt;
}

}  // namespace hilo
