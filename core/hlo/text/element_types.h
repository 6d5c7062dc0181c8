// From an ElementType to the C++ type one stored element of a Literal has.
#pragma once

#include <complex>

#include "core/base/check.h"
#include "core/base/float_formats.h"
#include "core/hlo/ir/element_type.h"

namespace hilo {

// Calls `f.operator()<T>()` with the storage type of an array element type: bool for pred, int8_t and uint8_t
// for the integers of up to 8 bits, a FloatElement, or std::complex.
template <typename F>
auto withStorageType(ElementType type, F&& f) {
  switch (type) {
    case ElementType::Pred:
      return f.template operator()<bool>();
    case ElementType::S1:
    case ElementType::S2:
    case ElementType::S4:
    case ElementType::S8:
      return f.template operator()<int8_t>();
    case ElementType::S16:
      return f.template operator()<int16_t>();
    case ElementType::S32:
      return f.template operator()<int32_t>();
    case ElementType::S64:
      return f.template operator()<int64_t>();
    case ElementType::U1:
    case ElementType::U2:
    case ElementType::U4:
    case ElementType::U8:
      return f.template operator()<uint8_t>();
    case ElementType::U16:
      return f.template operator()<uint16_t>();
    case ElementType::U32:
      return f.template operator()<uint32_t>();
    case ElementType::U64:
      return f.template operator()<uint64_t>();
    case ElementType::F4E2M1FN:
      return f.template operator()<F4E2M1FN>();
    case ElementType::F6E2M3FN:
      return f.template operator()<F6E2M3FN>();
    case ElementType::F6E3M2FN:
      return f.template operator()<F6E3M2FN>();
    case ElementType::F8E3M4:
      return f.template operator()<F8E3M4>();
    case ElementType::F8E4M3:
      return f.template operator()<F8E4M3>();
    case ElementType::F8E4M3FN:
      return f.template operator()<F8E4M3FN>();
    case ElementType::F8E4M3B11FNUZ:
      return f.template operator()<F8E4M3B11FNUZ>();
    case ElementType::F8E4M3FNUZ:
      return f.template operator()<F8E4M3FNUZ>();
    case ElementType::F8E5M2:
      return f.template operator()<F8E5M2>();
    case ElementType::F8E5M2FNUZ:
      return f.template operator()<F8E5M2FNUZ>();
    case ElementType::F8E8M0FNU:
      return f.template operator()<F8E8M0FNU>();
    case ElementType::F16:
      return f.template operator()<F16>();
    case ElementType::BF16:
      return f.template operator()<BF16>();
    case ElementType::F32:
      return f.template operator()<float>();
    case ElementType::F64:
      return f.template operator()<double>();
    case ElementType::C64:
      return f.template operator()<std::complex<float>>();
    case ElementType::C128:
      return f.template operator()<std::complex<double>>();
    case ElementType::Token:
    case ElementType::Opaque:
    case ElementType::Tuple:
    case ElementType::Buffer:
      break;
  }
  checkFailed(__FILE__, __LINE__, "isArrayElement(type)", elementTypeName(type));
}

}  // namespace hilo
