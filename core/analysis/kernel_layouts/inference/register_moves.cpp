#include <algorithm>
#include <optional>

#include "core/analysis/kernel_layouts/inference/memory_moves.h"
#include "core/analysis/kernel_layouts/layout_families.h"

namespace hilo::inference {
namespace {

const TiledLayout& family(std::string_view name) {
  return std::ranges::find(namedLayouts(), name, &NamedLayout::name)->layout;
}

// Pairs of families that the threads exchange with a few shuffles.
bool areExchangeable(const TiledLayout& from, const TiledLayout& to, int64_t bits) {
  const auto are = [&](std::string_view a, std::string_view b) {
    return from == family(a) && to == family(b);
  };
  if (are("WGMMA", "WGMMA_TRANSPOSED") || are("WGMMA_TRANSPOSED", "WGMMA")) return true;
  if (are("TCGEN05", "TCGEN05_TRANSPOSED") || are("TCGEN05_TRANSPOSED", "TCGEN05")) return true;
  if (are("WGMMA_UPCAST_2X", "WGMMA")) return bits <= 16;
  if (are("WGMMA_UPCAST_4X", "WGMMA_UPCAST_2X") || are("WGMMA_UPCAST_4X", "WGMMA")) return bits == 4;
  return from == tmemNativeLayout(from.vectorLength()) && to == tmemNativeLayout(to.vectorLength());
}

bool dividesFirst(const Sizes& tile, const Sizes& shape) {
  for (size_t i = 0; i < std::min(tile.size(), shape.size()); ++i)
    if (shape[i] % tile[i] != 0) return false;
  return true;
}

}  // namespace

bool canRelayout(const RegisterLayout& from, const RegisterLayout& to, int64_t elementBits, bool isStrict) {
  if (from == to) return true;
  const auto* tiled = std::get_if<TiledLayout>(&to);
  if (const auto* splat = std::get_if<SplatLayout>(&from)) {
    if (const auto* strided = std::get_if<StridedLayout>(&to)) return splat->shape == strided->shape;
    return tiled && dividesFirst(tiled->tiling.tiles.front(), splat->shape);
  }
  const auto* tiledBefore = std::get_if<TiledLayout>(&from);
  return !isStrict && tiled && tiledBefore && areExchangeable(*tiledBefore, *tiled, elementBits);
}

bool canMoveTensor(const Sizes& shape, int64_t elementBits, const TiledLayout& tensor,
                   const RegisterLayout& registers) {
  const auto* layout = std::get_if<TiledLayout>(&registers);
  if (!layout || shape.size() != 2) return false;
  const int64_t packing = tensor.vectorLength(), columns = shape[1];
  const bool isPackable = packing > 0 && (packing & (packing - 1)) == 0;
  const bool isDefault = isPackable && tensor == tmemDefaultLayout(packing);
  if (isDefault && *layout == family("TCGEN05")) return true;
  if (*layout == tensor && packing * elementBits == 32) return true;
  if (isDefault && *layout == tmemNativeLayout(2) &&
      ((elementBits == 16 && packing == 1) || elementBits == 32))
    return true;
  if (columns <= 0 || columns % 16 != 0 || !isPackable) return false;
  if (columns / 2 % packing == 0 && *layout == family("WGMMA") &&
      tensor == tmemHalfLaneLayout(columns, packing))
    return true;
  return packing <= 8 && *layout == m64CollectiveLayout(columns) &&
         tensor == tmemM64CollectiveLayout(columns, packing);
}

bool canBroadcastStrided(const StridedLayout& from, const StridedLayout& to, const Sizes& dimensions) {
  if (from.vectorSize != to.vectorSize || dimensions.size() != from.shape.size() ||
      from.shape.size() > to.shape.size())
    return false;
  const size_t leading = to.shape.size() - from.shape.size();
  bool hasKept = false;
  for (size_t i = 0; i < from.shape.size(); ++i) {
    if (dimensions[i] != static_cast<int64_t>(leading + i)) return false;
    if (from.shape[i] == 1 && to.shape[leading + i] > 1 && hasKept) return false;
    hasKept = hasKept || from.shape[i] > 1;
  }
  return true;
}

}  // namespace hilo::inference
