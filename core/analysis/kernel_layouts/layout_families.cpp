#include "core/analysis/kernel_layouts/layout_families.h"

#include <fmt/format.h>

#include <array>

namespace hilo {
namespace {

constexpr ThreadDimension dim(int64_t dimension) { return {.dimension = dimension}; }
constexpr ThreadDimension copies(int64_t times) { return {.times = times}; }

std::array<NamedLayout, 19> makeNamedLayouts() {
  return {{
      {"WGMMA", {{{{64, 8}, {16, 8}, {8, 8}, {2}}}, {dim(-7)}, {dim(-3), dim(-2)}, -1}, true},
      {"WGMMA_ROW", {{{{64}, {16}, {8}, {1}}}, {dim(-4)}, {dim(-2), copies(4)}, -1}, true},
      {"WGMMA_TRANSPOSED",
       {{{{64, 8}, {16, 8}, {8, 8}, {2, 2}, {2, 1}}}, {dim(-10)}, {dim(-6), dim(-3), dim(-5)}, -2},
       true},
      {"TCGEN05", {{{{128, 8}, {32, 8}, {8, 8}, {2}}}, {dim(-7)}, {dim(-3), dim(-2)}, -1}, true},
      {"TCGEN05_TRANSPOSED",
       {{{{128, 8}, {32, 8}, {8, 8}, {2, 2}, {2, 1}}}, {dim(-10)}, {dim(-6), dim(-3), dim(-5)}, -2},
       true},
      {"TCGEN05_TMEM_NATIVE", {{{{128, 2}, {32, 2}}}, {dim(-4)}, {dim(-2)}, -1}, true},
      {"WGMMA_COL", {{{{8}, {2}}}, {copies(4)}, {copies(8), dim(-2)}, -1}},
      {"WGMMA_ACC_32BIT", {{{{64, 8}, {16, 8}, {8, 8}, {2}, {1}}}, {dim(-8)}, {dim(-4), dim(-3)}, -1}},
      {"WGMMA_8BIT", {{{{64, 16}, {16, 16}, {8, 16}, {4}}}, {dim(-7)}, {dim(-3), dim(-2)}, -1}},
      {"WGMMA_UPCAST_2X",
       {{{{64, 16}, {16, 16}, {8, 16}, {8}, {4}}}, {dim(-8)}, {dim(-4), dim(-2), dim(-3)}, -1}},
      {"WGMMA_UPCAST_4X", {{{{64, 32}, {16, 32}, {8, 32}, {8}}}, {dim(-7)}, {dim(-3), dim(-2)}, -1}},
      {"TCGEN05_ROW", {{{{128}, {32}, {8}, {1}}}, {dim(-4)}, {dim(-2), copies(4)}, -1}},
      {"TCGEN05_COL", {{{{8}, {2}}}, {copies(4)}, {copies(8), dim(-2)}, -1}},
      {"TMA_INDICES", {{{{16}, {4}}}, {dim(-2)}, {copies(32)}, -1}},
      {"TMA_INDICES_4", {{{{4}}}, {copies(4)}, {copies(32)}, -1}},
      {"TMEM_DEFAULT", {{{{128, 1}, {32, 1}}}, {dim(-4)}, {dim(-2)}, -1}},
      {"TMEM_SCALES", tmemScalesLayout()},
      {"TMEM_SCALES_M64_COLLECTIVE", tmemScalesM64CollectiveLayout()},
      {"TMEM_SPARSE_METADATA", tmemSparseMetadataLayout()},
  }};
}

}  // namespace

std::span<const NamedLayout> namedLayouts() {
  static const auto layouts = makeNamedLayouts();
  return layouts;
}

TiledLayout tmemDefaultLayout(int64_t packing) {
  return {{{{128, packing}, {32, packing}}}, {dim(-4)}, {dim(-2)}, -1};
}

TiledLayout tmemHalfLaneLayout(int64_t columns, int64_t packing) {
  return canonical({{{{64, columns}, {16, columns / 2}, {packing}}}, {dim(-5)}, {dim(-4), dim(-3)}, -1});
}

TiledLayout tmemM64CollectiveLayout(int64_t columns, int64_t packing) {
  return canonical({{{{64, columns}, {32, columns / 2}, {packing}}}, {dim(-4), dim(-5)}, {dim(-3)}, -1});
}

TiledLayout m64CollectiveLayout(int64_t columns) {
  return canonical(
      {{{{64, columns}, {32, columns / 2}, {8, 8}, {2}}}, {dim(-6), dim(-7)}, {dim(-3), dim(-2)}, -1});
}

TiledLayout tmemNativeLayout(int64_t vector) { return tmemDefaultLayout(vector); }

TiledLayout tmemScalesLayout() { return canonical({{{{128, 4}, {32, 1}}}, {copies(4)}, {dim(-2)}, -3}); }

TiledLayout tmemScalesM64CollectiveLayout() {
  return canonical({{{{256, 4}, {128, 4}, {32, 4}}}, {copies(2), dim(-6)}, {dim(-2)}, -1});
}

TiledLayout tmemSparseMetadataLayout() {
  return canonical({{{{128, 16}, {32, 1}, {16, 1}, {8, 1}}}, {dim(-8)}, {dim(-2), dim(-4), dim(-6)}, -7});
}

MmaLayouts mmaLayouts(int64_t elementBits) {
  const int64_t inRegister = 32 / elementBits;
  const int64_t k = 8 * inRegister, half = 4 * inRegister;
  return {
      .left =
          canonical({{{{64, k}, {16, half}, {8, half}, {inRegister}}}, {dim(-7)}, {dim(-3), dim(-2)}, -1}),
      .right =
          canonical({{{{k, 8}, {half, 8}, {inRegister, 1}}}, {copies(4), dim(-5)}, {dim(-3), dim(-4)}, -2}),
      .accumulator =
          canonical({{{{64, 8}, {16, 8}, {8, 8}, {2}}}, {dim(-7), dim(-6)}, {dim(-3), dim(-2)}, -1})};
}

std::optional<std::string> layoutName(const TiledLayout& layout) {
  const TiledLayout searched = canonical(layout);
  for (const NamedLayout& named : namedLayouts())
    if (named.isPrinted && named.layout == searched) return std::string(named.name);
  return std::nullopt;
}

std::optional<std::string> tmemLayoutName(const TiledLayout& layout) {
  const int64_t packing = layout.vectorLength();
  if ((packing & (packing - 1)) != 0 || canonical(layout) != tmemDefaultLayout(packing)) return std::nullopt;
  return fmt::format("TMEM_DEFAULT(packing={})", packing);
}

}  // namespace hilo
