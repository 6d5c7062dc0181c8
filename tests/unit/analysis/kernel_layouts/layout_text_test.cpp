#include "core/analysis/kernel_layouts/layout_text.h"

#include <gtest/gtest.h>

#include "core/analysis/kernel_layouts/layout_families.h"

namespace hilo {
namespace {

RegisterLayout parsed(std::string_view text) {
  auto layout = parseRegisterLayout(text);
  EXPECT_TRUE(layout) << text << ": " << toString(layout.error());
  return layout ? *layout : SplatLayout{};
}

TEST(LayoutText, FamiliesAreReadByNameByAttributeAndByPrintedForm) {
  for (const NamedLayout& family : namedLayouts()) {
    EXPECT_EQ(parsed(family.name), RegisterLayout(family.layout));
    EXPECT_EQ(parsed(attributeText(family.layout)), RegisterLayout(family.layout));
    EXPECT_EQ(parsed(printedLayout(family.layout)), RegisterLayout(family.layout));
  }
  EXPECT_EQ(parsed("TMEM_DEFAULT(packing=4)"), RegisterLayout(tmemDefaultLayout(4)));
  EXPECT_EQ(tmemLayoutName(tmemDefaultLayout(4)), "TMEM_DEFAULT(packing=4)");
  EXPECT_FALSE(tmemLayoutName(tmemHalfLaneLayout(32, 1)));
}

TEST(LayoutText, FormsAreThoseOfTheDialectAndOfPython) {
  const RegisterLayout row = parsed("WGMMA_ROW"), column = parsed("WGMMA_COL");
  EXPECT_EQ(attributeText(row),
            "#mosaic_gpu.TiledLayout<[[64], [16], [8], [1]], warp_dims = [-4], lane_dims = [-2, "
            "#mosaic_gpu.Replicated<times = 4>], vector_dim = -1>");
  EXPECT_EQ(printedLayout(row), "WGMMA_ROW");
  EXPECT_EQ(printedLayout(column),
            "TiledLayout(tiling=Tiling(tiles=((8,), (2,))), warp_dims=(Replicated(times=4),), "
            "lane_dims=(Replicated(times=8), -2), vector_dim=-1)");
  const RegisterLayout strided = StridedLayout{{3, 256}, 2}, splat = SplatLayout{{7}};
  EXPECT_EQ(attributeText(strided), "#mosaic_gpu.WGStridedFragLayout<array<i64: 3, 256>, 2>");
  EXPECT_EQ(printedLayout(strided), "WGStridedFragLayout(shape=(3, 256), vec_size=2)");
  EXPECT_EQ(printedLayout(splat), "WGSplatFragLayout(shape=(7,))");
  for (const RegisterLayout& layout : {strided, splat, RegisterLayout(SplatLayout{})}) {
    EXPECT_EQ(parsed(attributeText(layout)), layout);
    EXPECT_EQ(parsed(printedLayout(layout)), layout);
  }
  EXPECT_EQ(
      parsed(
          "#mosaic_gpu.TiledLayout<[[8 : i64], [2 : i64]], warp_dims = [#mosaic_gpu.Replicated<times = 4>],"
          " lane_dims = [#mosaic_gpu.Replicated<times = 8>, -2 : i64], vector_dim = -1>"),
      column);
}

TEST(LayoutText, ErrorsHaveAColumn) {
  const auto errorOf = [](std::string_view text) {
    const auto layout = parseRegisterLayout(text);
    return layout ? Diagnostic{} : layout.error();
  };
  EXPECT_EQ(errorOf("WGMMAX").place.column, 1u);
  EXPECT_EQ(errorOf("WGMMA and more").place.column, 7u);
  EXPECT_EQ(errorOf("WGSplatFragLayout(shape=(7,x))").place.column, 28u);
  EXPECT_EQ(errorOf("WGStridedFragLayout(shape=(12345678901234567890,), vec_size=1)").place.column, 28u);
  EXPECT_EQ(errorOf("TiledLayout(tiling=Tiling(tiles=((8,), (2,)))").kind, "kernel-layout-text");
  EXPECT_EQ(errorOf("TMEM_DEFAULT(packing=3)").kind, "kernel-layout-text");
  EXPECT_EQ(errorOf("TiledLayout(((8,), (3,)), warp_dims=(-1,), lane_dims=(-2,), vector_dim=-1)").kind,
            "kernel-tiling");
  EXPECT_EQ(errorOf("").place.column, 1u);
}

}  // namespace
}  // namespace hilo
