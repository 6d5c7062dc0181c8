// A tensor map for the simulated device: what cuTensorMapEncodeTiled makes for a GPU, in bytes of our own,
// since NVIDIA's are not documented. Kernels take it as a parameter or by address, and copy boxes of the
// tensor with cp.async.bulk.tensor. Another 128 bytes are refused ("malformed-tensor-map").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace hilo {

enum class TensorSwizzle : uint8_t { None, Bytes32, Bytes64, Bytes128 };

// Dimensions begin with the one whose elements lie together.
struct TensorMap {
  std::byte* address = nullptr;
  uint32_t elementBytes = 4;
  uint32_t rank = 1;  // at most 5
  std::array<uint32_t, 5> sizes{};
  std::array<uint64_t, 5> strides{};  // in bytes; the first is not used
  std::array<uint32_t, 5> box{};
  TensorSwizzle swizzle = TensorSwizzle::None;  // how a box lies in shared memory
};

constexpr size_t kTensorMapBytes = 128;
std::array<std::byte, kTensorMapBytes> encodeTensorMap(const TensorMap& map);
// False: the bytes are no tensor map.
bool decodeTensorMap(std::span<const std::byte, kTensorMapBytes> bytes, TensorMap& map);

}  // namespace hilo
