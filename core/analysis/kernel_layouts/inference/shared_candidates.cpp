#include "core/analysis/kernel_layouts/inference/shared_candidates.h"

#include <algorithm>

#include "core/analysis/kernel_layouts/inference/has_item.h"
#include "core/analysis/kernel_layouts/inference/nested_dimensions.h"

namespace hilo::inference {
namespace {

constexpr int64_t kSwizzles[] = {128, 64, 32};
constexpr int64_t kRows = 8;

// The last two dimensions by their strides; nothing where another one has a smaller stride.
struct Order {
  size_t minor, second;
};
std::optional<Order> orderOfLastTwo(const Sizes& strides) {
  const size_t rank = strides.size();
  const size_t minor = strides[rank - 2] <= strides[rank - 1] ? rank - 2 : rank - 1;
  const size_t second = minor == rank - 1 ? rank - 2 : rank - 1;
  for (size_t i = 0; i + 2 < rank; ++i)
    if (strides[i] <= strides[second]) return std::nullopt;
  return Order{minor, second};
}

Sizes tileOf(int64_t width, bool isTransposed) {
  return isTransposed ? Sizes{width, kRows} : Sizes{kRows, width};
}

}  // namespace

std::vector<SharedTransforms> transformsForRegisters(const LayoutVariable& variable, const Divides* divides) {
  const Sizes& shape = variable.shape;
  if (shape.size() < 2) return {};
  const auto order = orderOfLastTwo(variable.strides.empty() ? rowMajorStrides(shape) : variable.strides);
  if (!order || shape[order->second] % kRows != 0) return {};
  const bool isTransposed = order->minor != shape.size() - 1;
  std::vector<SharedTransforms> all;
  for (int64_t swizzle : kSwizzles) {
    const int64_t width = swizzle * 8 / variable.elementBits;
    if (width == 0 || shape[order->minor] % width != 0) continue;
    SharedTransforms transforms{tileOf(width, isTransposed), swizzle};
    if (divides) {
      transforms.tile = merged(*divides, Divides{transforms.tile}).multiple;
      if (transforms.tile.size() < 2) continue;
      transforms.swizzleBytes = transforms.tile[isTransposed ? 0 : 1] * variable.elementBits / 8;
      if (!hasItem(kSwizzles, transforms.swizzleBytes)) continue;
    }
    if (!hasItem(all, transforms)) all.push_back(std::move(transforms));
  }
  return all;
}

std::vector<SharedTransforms> transformsForMma(const Sizes& shape, int64_t elementBits, bool isTransposed) {
  if (shape.size() < 2) return {};
  std::vector<SharedTransforms> all;
  for (int64_t swizzle : kSwizzles) {
    SharedTransforms transforms{tileOf(swizzle * 8 / elementBits, isTransposed), swizzle};
    if (shape[shape.size() - 2] % transforms.tile[0] == 0 && shape.back() % transforms.tile[1] == 0)
      all.push_back(std::move(transforms));
  }
  return all;
}

}  // namespace hilo::inference
