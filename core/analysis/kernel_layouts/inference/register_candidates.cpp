#include "core/analysis/kernel_layouts/inference/register_candidates.h"

#include <algorithm>
#include <bit>
#include <initializer_list>

#include "core/analysis/kernel_layouts/inference/candidates.h"
#include "core/analysis/kernel_layouts/layout_families.h"

namespace hilo::inference {
namespace {

std::vector<TiledLayout> families(std::initializer_list<std::string_view> names) {
  std::vector<TiledLayout> layouts;
  for (std::string_view name : names)
    layouts.push_back(std::ranges::find(namedLayouts(), name, &NamedLayout::name)->layout);
  return layouts;
}

}  // namespace

std::vector<TiledLayout> registersForTensor(const TensorMove& move, const TiledLayout& tensor) {
  std::vector<TiledLayout> layouts = families({"TCGEN05"});
  layouts.push_back(tensor);
  std::ranges::move(families({"TCGEN05_TMEM_NATIVE", "WGMMA"}), std::back_inserter(layouts));
  if (const int64_t columns = move.shape[1]; columns > 0 && columns % 16 == 0)
    layouts.push_back(m64CollectiveLayout(columns));
  std::erase_if(layouts, [&](const TiledLayout& layout) {
    return !canMoveTensor(move.shape, move.elementBits, tensor, layout);
  });
  return layouts;
}

std::vector<TiledLayout> tensorsForRegisters(const TensorMove& move, const TiledLayout& registers) {
  const int64_t columns = move.shape[1];
  std::vector<int64_t> packings{32 / move.elementBits};
  if (packings[0] != 1) packings.push_back(1);
  std::vector<TiledLayout> layouts;
  for (int64_t packing : packings) {
    if (!std::has_single_bit(static_cast<uint64_t>(packing))) continue;
    layouts.push_back(tmemDefaultLayout(packing));
    if (columns <= 0 || columns % 16 != 0) continue;
    if (columns / 2 % packing == 0) layouts.push_back(tmemHalfLaneLayout(columns, packing));
    if (packing <= 8) layouts.push_back(tmemM64CollectiveLayout(columns, packing));
  }
  std::erase_if(layouts, [&](const TiledLayout& layout) {
    return !canMoveTensor(move.shape, move.elementBits, layout, registers);
  });
  return layouts;
}

std::vector<TiledLayout> registersForTiledMemory(int64_t smMajor) {
  if (smMajor == 9) return families({"WGMMA", "WGMMA_TRANSPOSED"});
  return families({"TCGEN05", "TCGEN05_TRANSPOSED", "WGMMA", "WGMMA_TRANSPOSED"});
}

std::vector<RegisterLayout> layoutsReducedTo(const LayoutConstant& small, const Sizes& shape,
                                             const ReduceStep& reduce) {
  if (asSplat(small)) return {SplatLayout{shape}};
  if (const StridedLayout* strided = asStrided(small)) return {StridedLayout{shape, strided->vectorSize}};
  const TiledLayout* tiled = asTiled(small);
  if (!tiled || reduce.keepsDimensions) return {};
  std::vector<TiledLayout> large =
      families({"WGMMA", "WGMMA_TRANSPOSED", "TCGEN05", "TCGEN05_TRANSPOSED", "TCGEN05_TMEM_NATIVE"});
  if (!shape.empty() && shape.back() > 0 && shape.back() % 16 == 0)
    large.push_back(m64CollectiveLayout(shape.back()));
  large.push_back(*tiled);
  std::vector<RegisterLayout> fitting;
  for (const TiledLayout& layout : large) {
    if (layout.tiling.tiles.front().size() > shape.size()) continue;
    const auto reduced = applied(reduce, RegisterLayout(layout));
    if (reduced && *reduced == small) fitting.push_back(layout);
  }
  return fitting;
}

std::optional<StridedLayout> usualStrided(const Sizes& shape, int64_t elementBits) {
  const int64_t count = elementCount(shape);
  if (count <= 0 || count % kThreadsOfWarpgroup != 0 || elementBits <= 0) return std::nullopt;
  int64_t vector = std::min(64 / elementBits, count / kThreadsOfWarpgroup);
  while (vector > 0 && count % (vector * kThreadsOfWarpgroup) != 0) vector /= 2;
  if (vector == 0 || vector * elementBits % 8 != 0) return std::nullopt;
  return StridedLayout{shape, vector};
}

Result<TiledLayout> usualTensor(const Sizes& shape, bool isCollective, int64_t packing) {
  if (shape.size() != 2)
    return fail("kernel-inference", "tensor memory holds matrices, not arrays of " + tupleText(shape));
  if (packing != 1 && packing != 2 && packing != 4 && packing != 8)
    return fail("kernel-inference",
                "a column of tensor memory holds 1, 2, 4 or 8 elements, not " + std::to_string(packing));
  if (shape[1] <= 0 || shape[1] % packing != 0)
    return fail("kernel-inference", tupleText(shape) + " has columns that " + std::to_string(packing) +
                                        " elements in one do not divide");
  if (shape[0] == 128) return tmemDefaultLayout(packing);
  if (shape[0] != 64)
    return fail("kernel-inference",
                "tensor memory has 128 rows, or 64 of them, not those of " + tupleText(shape));
  if (shape[1] % 16 != 0 || packing > shape[1] / 2)
    return fail(
        "kernel-inference",
        tupleText(shape) + ": matrices of 64 rows have a multiple of 16 columns, and two packed ones");
  return isCollective ? tmemM64CollectiveLayout(shape[1], packing) : tmemHalfLaneLayout(shape[1], packing);
}

}  // namespace hilo::inference
