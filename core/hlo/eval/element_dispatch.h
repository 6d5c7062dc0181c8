// From an ElementType known at run time to a C++ type known at compile time.
//
// Storage types are how elements lie in memory: uint8_t for pred (0 or 1), one byte for each sub-byte integer
// (sign- or zero-extended) and sub-byte float, NarrowFloat for the narrow floats.
// Compute types are what arithmetic runs in: narrow floats are widened to float and sub-byte integers are the
// 8-bit ones, each rounded or wrapped back after every operation, as XLA's evaluator does.
#pragma once

#include <complex>
#include <cstdint>

#include "core/base/check.h"
#include "core/base/float_formats.h"
#include "core/hlo/ir/element_size.h"
#include "core/hlo/ir/element_type.h"

namespace hilo {

// pred as a type of its own, so that it is not mistaken for u8. One byte, 0 or 1; any other byte
// reads as true.
struct Pred {
  uint8_t byte = 0;
  constexpr Pred() = default;
  constexpr Pred(bool value) : byte(value ? 1 : 0) {}
  constexpr explicit operator bool() const { return byte != 0; }
};

template <typename T>
inline constexpr bool kIsComplexElement = false;
template <typename T>
inline constexpr bool kIsComplexElement<std::complex<T>> = true;
template <typename T>
inline constexpr bool kIsIntElement = std::is_integral_v<T>;

// S1, S2, S4 are S8; U1, U2, U4 are U8; narrow floats are F32; every other type is itself.
inline ElementType computeType(ElementType type) {
  switch (elementClass(type)) {
    case ElementClass::Float:
      return elementBits(type) < 32 ? ElementType::F32 : type;
    case ElementClass::Signed:
      return elementBits(type) < 8 ? ElementType::S8 : type;
    case ElementClass::Unsigned:
      return elementBits(type) < 8 ? ElementType::U8 : type;
    default:
      return type;
  }
}

// Calls f.template operator()<T>() with the C++ type of a compute type.
template <typename F>
decltype(auto) visitComputeType(ElementType type, F&& f) {
  switch (type) {
    case ElementType::Pred:
      return f.template operator()<Pred>();
    case ElementType::S8:
      return f.template operator()<int8_t>();
    case ElementType::S16:
      return f.template operator()<int16_t>();
    case ElementType::S32:
      return f.template operator()<int32_t>();
    case ElementType::S64:
      return f.template operator()<int64_t>();
    case ElementType::U8:
      return f.template operator()<uint8_t>();
    case ElementType::U16:
      return f.template operator()<uint16_t>();
    case ElementType::U32:
      return f.template operator()<uint32_t>();
    case ElementType::U64:
      return f.template operator()<uint64_t>();
    case ElementType::F32:
      return f.template operator()<float>();
    case ElementType::F64:
      return f.template operator()<double>();
    case ElementType::C64:
      return f.template operator()<std::complex<float>>();
    case ElementType::C128:
      return f.template operator()<std::complex<double>>();
    default:
      checkFailed(__FILE__, __LINE__, "compute type", elementTypeName(type));
  }
}

// Calls f.template operator()<T>() with the C++ type of a float narrower than F32.
template <typename F>
decltype(auto) visitNarrowFloat(ElementType type, F&& f) {
  switch (type) {
    case ElementType::F16:
      return f.template operator()<F16>();
    case ElementType::BF16:
      return f.template operator()<BF16>();
    case ElementType::F8E5M2:
      return f.template operator()<F8E5M2>();
    case ElementType::F8E4M3:
      return f.template operator()<F8E4M3>();
    case ElementType::F8E3M4:
      return f.template operator()<F8E3M4>();
    case ElementType::F8E4M3FN:
      return f.template operator()<F8E4M3FN>();
    case ElementType::F8E4M3B11FNUZ:
      return f.template operator()<F8E4M3B11FNUZ>();
    case ElementType::F8E5M2FNUZ:
      return f.template operator()<F8E5M2FNUZ>();
    case ElementType::F8E4M3FNUZ:
      return f.template operator()<F8E4M3FNUZ>();
    case ElementType::F8E8M0FNU:
      return f.template operator()<F8E8M0FNU>();
    case ElementType::F6E2M3FN:
      return f.template operator()<F6E2M3FN>();
    case ElementType::F6E3M2FN:
      return f.template operator()<F6E3M2FN>();
    case ElementType::F4E2M1FN:
      return f.template operator()<F4E2M1FN>();
    default:
      checkFailed(__FILE__, __LINE__, "narrow float", elementTypeName(type));
  }
}

}  // namespace hilo
