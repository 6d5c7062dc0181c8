#include "core/runtime/device/simulated/tensor_map.h"

#include <cstring>

namespace hilo {
namespace {

constexpr uint64_t kMagic = 0x70616d2d6f6c6968;  // "hilo-map"
constexpr uint32_t kMostBox = 256;

struct Encoded {
  uint64_t magic, address;
  uint64_t strides[4];
  uint32_t sizes[5];
  uint16_t box[5];
  uint8_t rank, elementBytes, swizzle, unused;
};
static_assert(sizeof(Encoded) <= kTensorMapBytes);

}  // namespace

std::array<std::byte, kTensorMapBytes> encodeTensorMap(const TensorMap& map) {
  Encoded encoded{.magic = kMagic, .address = reinterpret_cast<uintptr_t>(map.address)};
  for (size_t i = 0; i < 5; ++i) {
    encoded.sizes[i] = map.sizes[i];
    encoded.box[i] = static_cast<uint16_t>(map.box[i]);
    if (i > 0) encoded.strides[i - 1] = map.strides[i];
  }
  encoded.rank = static_cast<uint8_t>(map.rank);
  encoded.elementBytes = static_cast<uint8_t>(map.elementBytes);
  encoded.swizzle = static_cast<uint8_t>(map.swizzle);
  std::array<std::byte, kTensorMapBytes> bytes{};
  std::memcpy(bytes.data(), &encoded, sizeof(encoded));
  return bytes;
}

bool decodeTensorMap(std::span<const std::byte, kTensorMapBytes> bytes, TensorMap& map) {
  Encoded encoded;
  std::memcpy(&encoded, bytes.data(), sizeof(encoded));
  const bool isSane = encoded.magic == kMagic && encoded.rank >= 1 && encoded.rank <= 5 &&
                      encoded.swizzle <= 3 && encoded.elementBytes >= 1 && encoded.elementBytes <= 8;
  if (!isSane) return false;
  map = {.address = reinterpret_cast<std::byte*>(encoded.address),
         .elementBytes = encoded.elementBytes,
         .rank = encoded.rank,
         .swizzle = static_cast<TensorSwizzle>(encoded.swizzle)};
  for (size_t i = 0; i < 5; ++i) {
    map.sizes[i] = encoded.sizes[i];
    map.box[i] = encoded.box[i];
    if (i > 0) map.strides[i] = encoded.strides[i - 1];
    if (i < map.rank && (map.box[i] == 0 || map.box[i] > kMostBox)) return false;
  }
  return true;
}

}  // namespace hilo
