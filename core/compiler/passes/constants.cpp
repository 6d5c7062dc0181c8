#include "core/compiler/passes/constants.h"

#include <cstring>

#include "core/hlo/eval/element_dispatch.h"

namespace hilo::algebra {
namespace {

// A constant with more elements than this is not searched for being all the same.
constexpr int64_t kMaxSearched = 4096;

const Literal* constantBehind(const Instruction& value) {
  const Instruction* source = &value;
  while (source->opcode() == Opcode::Broadcast) source = source->operand(0);
  if (source->opcode() != Opcode::Constant || !source->shape().isArray()) return nullptr;
  const Literal& literal = source->literal();
  const int64_t count = source->shape().elementCount();
  return literal.isElided() || count == 0 || count > kMaxSearched ? nullptr : &literal;
}

// The bytes every element shares; empty when they differ or are not known.
std::span<const std::byte> splatBytes(const Instruction& value) {
  const Literal* literal = constantBehind(value);
  if (literal == nullptr) return {};
  const auto bytes = literal->bytes();
  const size_t size = elementStorageBytes(literal->shape().elementType());
  for (size_t i = size; i < bytes.size(); i += size) {
    if (std::memcmp(bytes.data(), bytes.data() + i, size) != 0) return {};
  }
  return bytes.first(size);
}

template <typename T>
T load(std::span<const std::byte> bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

// The first element of real `type` as a double; exact or nothing.
std::optional<double> asDouble(ElementType type, std::span<const std::byte> bytes) {
  if (isComplex(type)) return std::nullopt;
  if (isFloat(type) && elementBits(type) < 32) {
    return visitNarrowFloat(type, [&]<typename T>() { return static_cast<double>(load<T>(bytes)); });
  }
  return visitComputeType(computeType(type), [&]<typename T>() -> std::optional<double> {
    if constexpr (kIsComplexElement<T>) {
      return std::nullopt;
    } else if constexpr (std::is_same_v<T, Pred>) {
      return static_cast<bool>(load<T>(bytes)) ? 1.0 : 0.0;
    } else {
      const T value = load<T>(bytes);
      const auto number = static_cast<double>(value);
      if constexpr (kIsIntElement<T>) {
        if (std::abs(number) > 9007199254740992.0) return std::nullopt;
      }
      return number;
    }
  });
}

template <typename T>
void store(Literal& literal, T value) {
  std::memcpy(literal.mutableBytes().data(), &value, sizeof(T));
}

}  // namespace

std::optional<double> splatValue(const Instruction& value) {
  const auto bytes = splatBytes(value);
  return bytes.empty() ? std::nullopt : asDouble(value.shape().elementType(), bytes);
}

bool isAll(const Instruction& value, double number) {
  const auto bytes = splatBytes(value);
  if (bytes.empty()) return false;
  const ElementType type = value.shape().elementType();
  if (isComplex(type)) {
    const size_t half = bytes.size() / 2;
    return asDouble(complexComponent(type), bytes.first(half)) == number &&
           asDouble(complexComponent(type), bytes.subspan(half)) == 0.0;
  }
  return asDouble(type, bytes) == number;
}

bool isAllOnes(const Instruction& value) {
  const ElementType type = value.shape().elementType();
  if (type == ElementType::Pred) return isAll(value, 1);
  if (isSigned(type)) return isAll(value, -1);
  const auto bytes = splatBytes(value);
  if (bytes.empty() || !isUnsigned(type)) return false;
  if (elementBits(type) < 8) return isAll(value, (1 << elementBits(type)) - 1);
  return std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{0xff}; });
}

std::optional<int64_t> scalarInteger(const Instruction& value) {
  if (!value.shape().isScalar() || !isIntegral(value.shape().elementType())) return std::nullopt;
  const auto number = splatValue(value);
  return number ? std::optional(static_cast<int64_t>(*number)) : std::nullopt;
}

std::optional<double> numberAt(const Instruction& constant, int64_t k) {
  if (constant.opcode() != Opcode::Constant || constant.literal().isElided()) return std::nullopt;
  const ElementType type = constant.shape().elementType();
  const auto size = static_cast<size_t>(elementStorageBytes(type));
  return asDouble(type, constant.literal().bytes().subspan(static_cast<size_t>(k) * size, size));
}

Instruction* splatScalar(Instruction& constant) {
  const auto bytes = splatBytes(constant);
  if (constant.opcode() != Opcode::Constant || bytes.empty()) return nullptr;
  const Shape scalar = Shape::scalar(constant.shape().elementType());
  Literal literal(scalar);
  std::ranges::copy(bytes, literal.mutableBytes().begin());
  const Shape shape = constant.shape().layout() == nullptr ? scalar : scalar.withDefaultLayout();
  return constant.parent().createConstant(literal.withShape(shape), &constant);
}

Instruction* makeSplat(Instruction& before, Shape shape, double number) {
  const ElementType type = shape.elementType();
  Literal literal(Shape::scalar(type));
  if (isFloat(type) && elementBits(type) < 32) {
    visitNarrowFloat(type, [&]<typename T>() { store(literal, T(number)); });
  } else {
    visitComputeType(computeType(type), [&]<typename T>() {
      if constexpr (std::is_same_v<T, Pred>) {
        store(literal, Pred(number != 0));
      } else if constexpr (kIsComplexElement<T>) {
        store(literal, T(static_cast<typename T::value_type>(number)));
      } else {
        store(literal, static_cast<T>(number));
      }
    });
  }
  Computation& computation = before.parent();
  if (shape.rank() == 0) return computation.createConstant(literal.withShape(shape), &before);
  Instruction* scalar = computation.createConstant(std::move(literal), &before);
  Instruction* splat = computation.create(Opcode::Broadcast, shape, {scalar}, {}, &before);
  splat->set<Attr::Dimensions>(std::span<const int64_t>());
  return splat;
}

}  // namespace hilo::algebra
