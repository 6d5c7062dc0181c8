#include "core/compiler/passes/scalar_value.h"

#include <algorithm>

#include "core/hlo/eval/element_dispatch.h"

namespace hilo {
namespace {

constexpr int kMostVisits = 512;
using Value = std::optional<int64_t>;

class ScalarWalk {
 public:
  explicit ScalarWalk(const KnownScalar& known) : known_(known) {}

  Value of(const Instruction& i) {
    if (++visits_ > kMostVisits || !isOneInteger(i.shape())) return std::nullopt;
    if (const Value given = known_(i)) return given;
    if (i.opcode() == Opcode::DynamicSlice) return inTable(i);
    if (i.opcode() == Opcode::Constant) return elementOfConstant(i, 0);
    if (i.opcode() == Opcode::Select) return selected(i);
    if (i.opcode() == Opcode::Compare) return compared(i);
    if (i.operandCount() == 1) return unary(i);
    if (i.operandCount() == 2) return binary(i);
    return std::nullopt;
  }

 private:
  static bool isOneInteger(Shape shape) {
    return shape.isArray() && shape.elementCount() == 1 && !shape.isDynamic() &&
           (isIntegral(shape.elementType()) || shape.elementType() == ElementType::Pred);
  }

  static Value elementOfConstant(const Instruction& constant, int64_t at) {
    const Literal& literal = constant.literal();
    if (literal.isElided() || at < 0 || at >= constant.shape().elementCount()) return std::nullopt;
    const ElementType type = constant.shape().elementType();
    return visitComputeType(computeType(type), [&]<typename T>() -> Value {
      if constexpr (std::is_same_v<T, Pred>) {
        return literal.bytes()[static_cast<size_t>(at)] != std::byte{0};
      } else if constexpr (kIsIntElement<T>) {
        if (elementStorageBytes(type) != static_cast<int>(sizeof(T))) return std::nullopt;
        T value;
        std::memcpy(&value, literal.bytes().data() + static_cast<size_t>(at) * sizeof(T), sizeof(T));
        if (!std::in_range<int64_t>(value)) return std::nullopt;
        return static_cast<int64_t>(value);
      } else {
        return std::nullopt;
      }
    });
  }

  // One element of a vector of constants or of an iota, at a place that is clamped.
  Value inTable(const Instruction& slice) {
    const Instruction& table = *slice.operand(0);
    if (table.shape().rank() != 1 || table.shape().elementCount() == 0) return std::nullopt;
    const Value at = of(*slice.operand(1));
    if (!at) return std::nullopt;
    const int64_t place = std::clamp<int64_t>(*at, 0, table.shape().elementCount() - 1);
    if (table.opcode() == Opcode::Iota) return place;
    return table.opcode() == Opcode::Constant ? elementOfConstant(table, place) : std::nullopt;
  }

  Value selected(const Instruction& i) {
    const Value which = of(*i.operand(0));
    return which ? of(*i.operand(*which != 0 ? 1 : 2)) : std::nullopt;
  }

  Value compared(const Instruction& i) {
    const Value a = of(*i.operand(0)), b = of(*i.operand(1));
    const auto direction = i.get<Attr::Direction>();
    if (!a || !b || !direction) return std::nullopt;
    switch (*direction) {
      case ComparisonDirection::Eq:
        return *a == *b;
      case ComparisonDirection::Ne:
        return *a != *b;
      case ComparisonDirection::Lt:
        return *a < *b;
      case ComparisonDirection::Le:
        return *a <= *b;
      case ComparisonDirection::Gt:
        return *a > *b;
      case ComparisonDirection::Ge:
        return *a >= *b;
    }
    return std::nullopt;
  }

  Value unary(const Instruction& i) {
    const Value a = of(*i.operand(0));
    if (!a) return std::nullopt;
    switch (i.opcode()) {
      case Opcode::Convert:
      case Opcode::Copy:
      case Opcode::Reshape:
        return fits(i, *a);
      case Opcode::Bitcast:
        return i.shape().elementType() == i.operand(0)->shape().elementType() ? a : std::nullopt;
      case Opcode::Negate:
        return *a == INT64_MIN ? std::nullopt : fits(i, -*a);
      default:
        return std::nullopt;
    }
  }

  Value binary(const Instruction& i) {
    const Value a = of(*i.operand(0)), b = of(*i.operand(1));
    if (!a || !b) return std::nullopt;
    int64_t result = 0;
    switch (i.opcode()) {
      case Opcode::Add:
        return __builtin_add_overflow(*a, *b, &result) ? std::nullopt : fits(i, result);
      case Opcode::Subtract:
        return __builtin_sub_overflow(*a, *b, &result) ? std::nullopt : fits(i, result);
      case Opcode::Multiply:
        return __builtin_mul_overflow(*a, *b, &result) ? std::nullopt : fits(i, result);
      case Opcode::Divide:
        return *b == 0 || *b == -1 ? std::nullopt : Value(*a / *b);
      case Opcode::Remainder:
        return *b == 0 || *b == -1 ? std::nullopt : Value(*a % *b);
      case Opcode::Maximum:
        return std::max(*a, *b);
      case Opcode::Minimum:
        return std::min(*a, *b);
      default:
        return std::nullopt;
    }
  }

  // Nothing where the type would wrap it around.
  static Value fits(const Instruction& i, int64_t value) {
    const ElementType type = i.shape().elementType();
    if (type == ElementType::Pred) return value == 0 || value == 1 ? Value(value) : std::nullopt;
    const int bits = elementBits(type);
    if (isSigned(type)) {
      const int64_t most = bits >= 64 ? INT64_MAX : (int64_t{1} << (bits - 1)) - 1;
      return value <= most && value >= -most - 1 ? Value(value) : std::nullopt;
    }
    const int64_t most = bits >= 63 ? INT64_MAX : (int64_t{1} << bits) - 1;
    return value >= 0 && value <= most ? Value(value) : std::nullopt;
  }

  const KnownScalar& known_;
  int visits_ = 0;
};

}  // namespace

std::optional<int64_t> scalarValue(const Instruction& value, const KnownScalar& known) {
  return ScalarWalk(known).of(value);
}

}  // namespace hilo
