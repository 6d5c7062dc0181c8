#include "core/runtime/device/simulated/tensor_copies.h"

namespace hilo {
namespace {

constexpr uint32_t kPiece = 16;

// Where a byte of the box lies: pieces of a row change places with the number of their row of 128 bytes.
std::byte* swizzled(const Lane& lane, TensorSwizzle swizzle, std::byte* at) {
  if (swizzle == TensorSwizzle::None) return at;
  const auto place = static_cast<uint64_t>(at - lane.shared);
  const uint64_t row = uint64_t{16} << static_cast<int>(swizzle);  // bytes
  return lane.shared + (place ^ ((place >> 3) & (row - kPiece)));
}

}  // namespace

std::vector<AsyncCopy> tensorCopies(const Lane& lane, const TensorMap& map, const int32_t* coordinates,
                                    std::byte* box, bool toShared, uint32_t line) {
  std::vector<AsyncCopy> copies;
  uint64_t rows = 1;
  for (uint32_t d = 1; d < map.rank; ++d) rows *= map.box[d];
  const uint32_t rowBytes = map.box[0] * map.elementBytes;
  const int64_t first = coordinates[0], size = map.sizes[0];
  for (uint64_t row = 0; row < rows; ++row) {
    std::byte* global = map.address;
    bool isInside = true;
    uint64_t rest = row;
    for (uint32_t d = 1; d < map.rank; ++d) {
      const int64_t at = coordinates[d] + static_cast<int64_t>(rest % map.box[d]);
      rest /= map.box[d];
      isInside = isInside && at >= 0 && at < map.sizes[d];
      global += at * static_cast<int64_t>(map.strides[d]);
    }
    // A piece at a time; one that begins before the tensor an element at a time.
    for (uint32_t byte = 0; byte < rowBytes;) {
      const int64_t element = first + byte / map.elementBytes;
      const uint32_t bytes =
          element < 0 ? map.elementBytes : std::min(kPiece - byte % kPiece, rowBytes - byte);
      const int64_t left =
          isInside && element >= 0 ? std::max<int64_t>(0, size - element) * map.elementBytes : 0;
      const auto taken = static_cast<uint32_t>(std::min<int64_t>(left, bytes));
      std::byte* there = global + element * map.elementBytes;
      std::byte* here = swizzled(lane, map.swizzle, box + row * rowBytes + byte);
      if (toShared)
        copies.push_back({here, there, bytes, taken, line, map.elementBytes});
      else if (taken != 0)
        copies.push_back({there, here, taken, taken, line, map.elementBytes});
      byte += bytes;
    }
  }
  return copies;
}

}  // namespace hilo
