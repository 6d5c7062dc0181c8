#include "core/analysis/kernel_layouts/shared_layout_text.h"

#include <gtest/gtest.h>

namespace hilo {
namespace {

TEST(SharedLayoutText, IsReadInBothForms) {
  const SharedLayout layout{{TileTransform{{8, 64}}, TransposeTransform{{1, 0, 2, 3}}}, 128};
  const std::string printed =
      "(TilingTransform(tiling=(8, 64)), TransposeTransform(permutation=(1, 0, 2, 3)), "
      "SwizzleTransform(swizzle=128))";
  EXPECT_EQ(printedTransforms(layout), printed);
  EXPECT_EQ(parseSharedLayout(printed), layout);
  EXPECT_EQ(parseSharedLayout("tile(8, 64) transpose(1, 0, 2, 3) swizzle(128)"), layout);
  EXPECT_EQ(parseSharedLayout("tile(8,64), transpose(1,0,2,3), swizzle(128)"), layout);
}

TEST(SharedLayoutText, HasNoTransformsWhereThereAreNone) {
  EXPECT_EQ(printedTransforms({}), "()");
  for (const char* text : {"", "()", "row-major", " ( ) "})
    EXPECT_EQ(parseSharedLayout(text), SharedLayout{});
  EXPECT_EQ(parseSharedLayout("(TilingTransform(tiling=(64,)),)"), (SharedLayout{{TileTransform{{64}}}}));
}

TEST(SharedLayoutText, SaysWhereItIsWrong) {
  const std::pair<const char*, uint32_t> cases[] = {
      {"tile", 5},           {"tile(8", 7},    {"swizzle(128) tile(8)", 14},
      {"swizzle(128),", 14}, {"tiles(8)", 1},  {"(tile(8)", 9},
      {"tile(x)", 6},        {"() tile(8)", 4}};
  for (const auto& [text, column] : cases) {
    const auto read = parseSharedLayout(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().kind, "kernel-layout-text") << text;
    EXPECT_EQ(read.error().place.column, column) << text << ": " << read.error().message;
  }
}

}  // namespace
}  // namespace hilo
