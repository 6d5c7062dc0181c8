#include "core/hlo/eval/kernel.h"

#include <cmath>

#include "core/hlo/eval/element_dispatch.h"
#include "core/hlo/eval/kernel_loops.h"
#include "core/hlo/ir/computation.h"

namespace hilo {
namespace {

constexpr int64_t kBlock = 256;
constexpr int kMaxElementBytes = 16;

// A float's bits as an integer that orders -NaN < -inf < ... < -0 < +0 < ... < inf < NaN.
template <typename T>
auto totalOrderKey(T value) {
  using Signed = std::make_signed_t<typename FloatTraits<T>::Bits>;
  const auto bits = std::bit_cast<Signed>(value);
  return bits < 0 ? static_cast<Signed>(bits ^ std::numeric_limits<Signed>::max()) : bits;
}

// Whether the one NaN stands in the place of -0. It is above all numbers, though its sign bit is set.
bool hasUnsignedNan(ElementType type) {
  if (!isFloat(type) || elementBits(type) >= 32) return false;
  return visitNarrowFloat(type, []<typename T>() {
    return FloatTraits<T>::hasNan && FloatTraits<T>::isSigned && !FloatTraits<T>::hasNegativeZero;
  });
}

template <typename T, typename Key>
KernelFn compareLoop(ComparisonDirection direction, Key) {
  switch (direction) {
    case ComparisonDirection::Eq:
      return binaryLoop<Pred, T>([](T a, T b) { return Key{}(a) == Key{}(b); });
    case ComparisonDirection::Ne:
      return binaryLoop<Pred, T>([](T a, T b) { return Key{}(a) != Key{}(b); });
    case ComparisonDirection::Ge:
      return binaryLoop<Pred, T>([](T a, T b) { return Key{}(a) >= Key{}(b); });
    case ComparisonDirection::Gt:
      return binaryLoop<Pred, T>([](T a, T b) { return Key{}(a) > Key{}(b); });
    case ComparisonDirection::Le:
      return binaryLoop<Pred, T>([](T a, T b) { return Key{}(a) <= Key{}(b); });
    case ComparisonDirection::Lt:
      return binaryLoop<Pred, T>([](T a, T b) { return Key{}(a) < Key{}(b); });
  }
  return nullptr;
}

template <typename T>
KernelFn selectLoop() {
  return [](void* out, const void* const* in, int64_t count, const KernelArgs&) {
    T* to = static_cast<T*>(out);
    const Pred* choose = static_cast<const Pred*>(in[0]);
    const T* yes = static_cast<const T*>(in[1]);
    const T* no = static_cast<const T*>(in[2]);
    for (int64_t i = 0; i < count; ++i) to[i] = choose[i] ? yes[i] : no[i];
  };
}

template <typename T>
T clampOne(T low, T value, T high) {
  if constexpr (std::is_floating_point_v<T>) {
    if (low != low) return low;
    if (value != value) return value;
    if (high != high) return high;
  }
  return std::min(high, std::max(value, low));
}

KernelFn clampKernelFn(ElementType type) {
  return visitComputeType(type, []<typename T>() -> KernelFn {
    if constexpr (kIsComplexElement<T>) {
      return nullptr;
    } else if constexpr (std::is_same_v<T, Pred>) {
      return clampKernelFn(ElementType::U8);  // 0 and 1, in that order
    } else {
      return [](void* out, const void* const* in, int64_t count, const KernelArgs&) {
        const T* low = static_cast<const T*>(in[0]);
        const T* value = static_cast<const T*>(in[1]);
        const T* high = static_cast<const T*>(in[2]);
        for (int64_t i = 0; i < count; ++i) static_cast<T*>(out)[i] = clampOne(low[i], value[i], high[i]);
      };
    }
  });
}

Place placeOfInstruction(const Instruction& instruction) {
  Place place;
  place.computation = std::string(instruction.parent().name());
  place.instruction = std::string(instruction.name());
  return place;
}

std::unexpected<Diagnostic> noKernel(const Instruction& instruction) {
  std::string types;
  for (const Instruction* operand : instruction.operands()) {
    types += fmt::format("{}{}", types.empty() ? "" : ", ", elementTypeName(operand->shape().elementType()));
  }
  return fail("unsupported-type",
              fmt::format("{} has no meaning for ({}) -> {}", instruction.opcodeText(), types,
                          elementTypeName(instruction.shape().elementType())),
              placeOfInstruction(instruction));
}

// The result element type an operation gives for an operand type; what the instruction must declare.
ElementType expectedResult(Opcode opcode, ElementType operand) {
  switch (opcode) {
    case Opcode::IsFinite:
    case Opcode::Compare:
      return ElementType::Pred;
    case Opcode::Abs:
    case Opcode::Real:
    case Opcode::Imag:
      return isComplex(operand) ? complexComponent(operand) : operand;
    case Opcode::Complex:
      return operand == ElementType::F64 ? ElementType::C128 : ElementType::C64;
    default:
      return operand;
  }
}

Result<ElementKernel> comparison(const Instruction& instruction, std::span<const ElementType> types) {
  const auto direction = instruction.get<Attr::Direction>();
  if (!direction || types[0] != types[1]) return noKernel(instruction);
  const bool totalOrder =
      isFloat(types[0]) && instruction.get<Attr::ComparisonTypeKind>() == ComparisonType::TotalOrder;
  const KernelFn fn = compareKernelFn(*direction, totalOrder, types[0]);
  if (fn == nullptr) return noKernel(instruction);
  return ElementKernel(fn, {}, types, ElementType::Pred);
}

Result<ElementKernel> reducePrecision(const Instruction& instruction, std::span<const ElementType> types) {
  const auto exponent = instruction.get<Attr::ExponentBits>(),
             mantissa = instruction.get<Attr::MantissaBits>();
  const KernelFn fn = reducePrecisionKernelFn(computeType(types[0]));
  if (fn == nullptr || !exponent || !mantissa || *exponent < 1 || *exponent > 64 || *mantissa < 0 ||
      *mantissa > 64) {
    return noKernel(instruction);
  }
  return ElementKernel(fn, {*exponent, *mantissa}, types, types[0]);
}

}  // namespace

ElementKernel::ElementKernel(KernelFn fn, KernelArgs args, std::span<const ElementType> operands,
                             ElementType result)
    : fn_(fn), args_(args), operandCount_(static_cast<int>(operands.size())), result_(result) {
  std::ranges::copy(operands, operands_.begin());
  converts_ = result != computeType(result);
  for (const ElementType type : operands) converts_ |= type != computeType(type);
}

ElementKernel ElementKernel::conversion(ElementType from, ElementType to) {
  ElementKernel kernel;
  kernel.operandCount_ = 1;
  kernel.operands_[0] = from;
  kernel.result_ = to;
  return kernel;
}

ElementKernel ElementKernel::onStorage(KernelFn fn, int operandCount) {
  ElementKernel kernel;
  kernel.fn_ = fn;
  kernel.operandCount_ = operandCount;
  return kernel;
}

void ElementKernel::run(void* out, const void* const* in, int64_t count) const {
  if (fn_ == nullptr) return convertElements(out, result_, in[0], operands_[0], count);
  if (!converts_) return fn_(out, in, count, args_);
  runConverted(out, in, count);
}

void ElementKernel::runConverted(void* out, const void* const* in, int64_t count) const {
  alignas(16) std::byte operandRoom[kMaxOperands][kBlock * kMaxElementBytes];
  alignas(16) std::byte resultRoom[kBlock * kMaxElementBytes];
  for (int64_t start = 0; start < count; start += kBlock) {
    const int64_t block = std::min(kBlock, count - start);
    const void* widened[kMaxOperands];
    for (int k = 0; k < operandCount_; ++k) {
      const auto* source = static_cast<const std::byte*>(in[k]) + start * elementStorageBytes(operands_[k]);
      widened[k] = source;
      if (operands_[k] == computeType(operands_[k])) continue;
      convertElements(operandRoom[k], computeType(operands_[k]), source, operands_[k], block);
      widened[k] = operandRoom[k];
    }
    auto* target = static_cast<std::byte*>(out) + start * elementStorageBytes(result_);
    const bool narrows = result_ != computeType(result_);
    fn_(narrows ? resultRoom : target, widened, block, args_);
    if (narrows) convertElements(target, result_, resultRoom, computeType(result_), block);
  }
}

KernelFn compareKernelFn(ComparisonDirection direction, bool totalOrder, ElementType type) {
  return visitComputeType(computeType(type), [&]<typename T>() -> KernelFn {
    if constexpr (std::is_same_v<T, Pred>) {
      return compareLoop<T>(direction, [](T x) { return int(bool(x)); });
    } else if constexpr (kIsComplexElement<T>) {
      if (direction == ComparisonDirection::Eq) return binaryLoop<Pred, T>([](T a, T b) { return a == b; });
      if (direction == ComparisonDirection::Ne) return binaryLoop<Pred, T>([](T a, T b) { return a != b; });
      return nullptr;
    } else {
      if constexpr (std::is_floating_point_v<T>) {
        if (totalOrder && hasUnsignedNan(type)) {
          return compareLoop<T>(direction,
                                [](T x) { return totalOrderKey(std::isnan(x) ? std::abs(x) : x); });
        }
        if (totalOrder) return compareLoop<T>(direction, [](T x) { return totalOrderKey(x); });
      }
      return compareLoop<T>(direction, [](T x) { return x; });
    }
  });
}

Result<ElementKernel> elementKernel(const Instruction& instruction) {
  const Opcode opcode = instruction.opcode();
  const ElementType result = instruction.shape().elementType();
  const size_t count = instruction.operandCount();
  if (count < 1 || count > ElementKernel::kMaxOperands || !isArrayElement(result))
    return noKernel(instruction);
  std::array<ElementType, ElementKernel::kMaxOperands> room{};
  for (size_t i = 0; i < count; ++i) {
    room[i] = instruction.operand(i)->shape().elementType();
    if (!isArrayElement(room[i])) return noKernel(instruction);
  }
  const std::span<const ElementType> types(room.data(), count);
  if (opcode == Opcode::Convert) {
    if (count != 1) return noKernel(instruction);
    return ElementKernel::conversion(types[0], result);
  }
  if (opcode == Opcode::Select) {
    if (count != 3 || types[0] != ElementType::Pred || types[1] != types[2] || types[1] != result)
      return noKernel(instruction);
    return ElementKernel::onStorage(
        visitElementSize(elementStorageBytes(result),
                         []<typename T>() -> KernelFn { return selectLoop<T>(); }),
        3);
  }
  if (result != expectedResult(opcode, types[0])) return noKernel(instruction);
  if (count == 1) {
    if (opcode == Opcode::ReducePrecision) return reducePrecision(instruction, types);
    const KernelFn fn = unaryKernelFn(opcode, computeType(types[0]), result);
    if (fn == nullptr) return noKernel(instruction);
    return ElementKernel(fn, {elementBits(types[0]), 0}, types, result);
  }
  if (count == 2) {
    if (opcode == Opcode::Compare) return comparison(instruction, types);
    const KernelFn fn = types[0] == types[1] ? binaryKernelFn(opcode, computeType(types[0])) : nullptr;
    // A complex number is made of two floats that stand in a complex type.
    if (fn == nullptr || (opcode == Opcode::Complex && elementBits(types[0]) < 32))
      return noKernel(instruction);
    return ElementKernel(fn, {elementBits(types[0]), 0}, types, result);
  }
  if (opcode == Opcode::Clamp && types[0] == types[1] && types[1] == types[2]) {
    const KernelFn fn = clampKernelFn(computeType(result));
    if (fn != nullptr) return ElementKernel(fn, {}, types, result);
  }
  return noKernel(instruction);
}

}  // namespace hilo
