#include "core/workspace/tune/kernel_estimate.h"

#include "core/analysis/tiling/suggested_sizes.h"
#include "core/analysis/tiling/tiling_estimate.h"

namespace hilo {
namespace {

using Kind = IndexVariable::Kind;

constexpr int64_t kWhole = INT64_MAX;

// Tile sizes of a shape: of the last dimension of the result, the one before it, and what is folded.
struct ShapeTiles {
  std::string_view shape;
  int64_t columns, rows, folded;
  bool onTensorCores;
};
constexpr ShapeTiles kTiles[] = {
    {"elements", 1024, 1, 32, false},     {"tiled dot", 64, 64, 16, false},
    {"tensor dot", 64, 64, 32, true},     {"library call", 128, 128, 64, true},
    {"rows", kWhole, 1, kWhole, false},   {"columns", 32, 1, 256, false},
    {"transpose", 32, 32, kWhole, false}, {"scan", kWhole, 1, kWhole, false},
    {"tile program", 64, 16, 32, true},   {"thin dot", 32, 16, kWhole, false},
    {"windows", 32, 32, kWhole, false},
};

std::vector<int64_t> sizesOf(const TilingSpace& space, const ShapeTiles& tiles,
                             const GpuKernelChoice& choice) {
  std::vector<int64_t> sizes;
  const auto rank = static_cast<size_t>(std::ranges::count_if(
      space.variables, [](const TilingVariable& v) { return v.index.kind == Kind::Dimension; }));
  size_t dimension = 0;
  for (const size_t i : space.tiled()) {
    const TilingVariable& variable = space.variables[i];
    const int64_t whole = std::max<int64_t>(1, variable.index.range.upper + 1);
    int64_t size = tiles.folded;
    if (variable.index.kind == Kind::Dimension) {
      const size_t fromEnd = rank - 1 - dimension++;
      size = fromEnd == 0 ? (choice.columns > 0 ? choice.columns : tiles.columns)
                          : (fromEnd == 1 ? (choice.rows > 0 ? choice.rows : tiles.rows) : 1);
    }
    sizes.push_back(std::min(size, whole));
  }
  return sizes;
}

}  // namespace

KernelEstimate estimatedKernel(const Instruction& instruction, const GpuKernelChoice& choice,
                               const DeviceDescription& device) {
  const auto tiles = std::ranges::find(kTiles, choice.shape, &ShapeTiles::shape);
  const auto space = tilingSpace(instruction);
  if (tiles == std::end(kTiles) || !space) return {};
  const bool isStated = !choice.sizes.empty();
  const std::vector<int64_t> sizes = isStated ? choice.sizes : sizesOf(*space, *tiles, choice);
  auto tiling = tilingWith(*space, sizes);
  if (!tiling) {
    if (isStated) return {};
    const auto near = nearestLegal(*space, sizes);
    if (!near) return {};
    tiling = tilingWith(*space, *near);
  }
  const auto estimate = estimateTiling(*space, *tiling, device, {.usesTensorCores = tiles->onTensorCores});
  return estimate ? KernelEstimate{estimate->ns, estimate->registersOfThread} : KernelEstimate();
}

}  // namespace hilo
