#include <algorithm>

#include "core/analysis/kernel_layouts/inference/constraint_system.h"
#include "core/analysis/kernel_layouts/inference/nested_dimensions.h"
#include "core/analysis/saturating.h"

namespace hilo::inference {
namespace {

bool fits(const Sizes& tile, const Sizes& shape) {
  if (tile.size() > shape.size()) return false;
  return std::equal(tile.rbegin(), tile.rend(), shape.rbegin(),
                    [](int64_t size, int64_t whole) { return size > 0 && whole % size == 0; });
}

bool isPossibleFor(const LayoutVariable& variable, const RegisterLayout& layout) {
  if (const auto* splat = std::get_if<SplatLayout>(&layout)) return splat->shape == variable.shape;
  if (const auto* strided = std::get_if<StridedLayout>(&layout))
    return strided->shape == variable.shape && strided->vectorSize > 0 &&
           elementCount(strided->shape) % saturatingMultiply(strided->vectorSize, kThreadsOfWarpgroup) == 0;
  return fits(std::get<TiledLayout>(layout).tiling.tiles.front(), variable.shape);
}

bool isPossibleFor(const LayoutVariable& variable, const TensorLayout& layout) {
  return fits(layout.layout.tiling.tiles.front(), variable.shape);
}

// The position of the smallest, the first of equal ones.
size_t smallest(const Sizes& sizes) {
  return static_cast<size_t>(std::ranges::min_element(sizes) - sizes.begin());
}

// The swizzle exchanges chunks along the dimension whose elements are neighbours; there has to be one such.
bool isPossibleFor(const LayoutVariable& variable, const SharedTransforms& transforms) {
  if (transforms == SharedTransforms{}) return true;
  const Sizes& tile = transforms.tile;
  if (variable.shape.empty() || !fits(tile, variable.shape)) return false;
  if (transforms.swizzleBytes == 0) return true;
  const Sizes strides = variable.strides.empty() ? rowMajorStrides(variable.shape) : variable.strides;
  if (std::ranges::count(strides, std::ranges::min(strides)) > 1) return false;
  const int64_t elements = transforms.swizzleBytes * 8 / variable.elementBits;
  if (elements == 0) return false;
  if (tile.empty()) return variable.shape[smallest(strides)] % elements == 0;
  const Sizes tiled(strides.end() - static_cast<int64_t>(tile.size()), strides.end());
  return tile[smallest(tiled)] % elements == 0;
}

}  // namespace

bool isPossible(const LayoutVariable& variable, const LayoutConstant& layout) {
  if (spaceOf(layout) != variable.space) return false;
  return std::visit([&](const auto& one) { return isPossibleFor(variable, one); }, layout);
}

}  // namespace hilo::inference
