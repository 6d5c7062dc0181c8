#include "core/runtime/device/simulated/tile_types.h"

#include <algorithm>
#include <bit>

#include "core/base/float_formats.h"

namespace hilo {

bool isFloat(MatrixType type) {
  return type != MatrixType::S8 && type != MatrixType::U8 && type != MatrixType::S32 &&
         type != MatrixType::S4 && type != MatrixType::U4 && type != MatrixType::B1;
}

uint64_t elementAt(const uint64_t* registers, uint32_t i, uint32_t bits) {
  if (bits >= 32) return registers[i];
  const uint32_t perRegister = 32 / bits;
  return (registers[i / perRegister] >> (i % perRegister * bits)) & ((uint64_t{1} << bits) - 1);
}

double floatOf(MatrixType type, uint64_t bits) {
  switch (type) {
    case MatrixType::F16:
      return static_cast<float>(F16::fromBits(static_cast<uint16_t>(bits)));
    case MatrixType::BF16:
      return static_cast<float>(BF16::fromBits(static_cast<uint16_t>(bits)));
    case MatrixType::TF32:
      return std::bit_cast<float>(static_cast<uint32_t>(bits) & ~0x1fffu);
    case MatrixType::F32:
      return std::bit_cast<float>(static_cast<uint32_t>(bits));
    case MatrixType::E4M3:
      return static_cast<float>(F8E4M3FN::fromBits(static_cast<uint8_t>(bits)));
    case MatrixType::E5M2:
      return static_cast<float>(F8E5M2::fromBits(static_cast<uint8_t>(bits)));
    default:
      return std::bit_cast<double>(bits);
  }
}
int64_t integerOf(MatrixType type, uint64_t bits) {
  switch (type) {
    case MatrixType::S8:
      return static_cast<int8_t>(bits);
    case MatrixType::S4:
      return static_cast<int64_t>(bits << 60) >> 60;
    case MatrixType::S32:
      return static_cast<int32_t>(bits);
    default:
      return static_cast<int64_t>(bits);
  }
}

uint64_t elementBits(MatrixType type, double value) {
  if (type == MatrixType::F64) return std::bit_cast<uint64_t>(value);
  if (type == MatrixType::F16) return F16(value).bits;
  return std::bit_cast<uint32_t>(static_cast<float>(value));
}
uint64_t elementBits(MatrixType, int64_t value, bool saturates) {
  if (saturates) value = std::clamp<int64_t>(value, INT32_MIN, INT32_MAX);
  return static_cast<uint32_t>(value);
}

}  // namespace hilo
