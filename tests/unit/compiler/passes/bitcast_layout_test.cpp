// Layouts behind bitcasts: dimensions renamed, and those of size 1 gained and lost.
#include "core/compiler/passes/memory/host_offload/bitcast_layout.h"

#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

// "" where there is none.
std::string behind(const std::string& from, const std::string& to, const std::string& other) {
  const Shape given = *parseShape(other);
  const std::optional<Layout> layout =
      layoutBehindBitcast(*parseShape(from), *parseShape(to), *given.layout());
  return layout ? toString(*layout) : "";
}

TEST(BitcastLayout, DimensionsOfSizeOneComeAndGo) {
  EXPECT_EQ(behind("f32[1,5,3]{1,2,0}", "f32[5,3]{0,1}", "f32[1,5,3]{2,1,0}"), "{1,0}");
  EXPECT_EQ(behind("f32[5,3]{0,1}", "f32[1,5,1,3]{1,3,2,0}", "f32[5,3]{1,0}"), "{3,1,2,0}");
}

TEST(BitcastLayout, DimensionsChangeNames) {
  // Element (i, j) of an array with i fastest is element (j, i) of one with its last dimension fastest.
  EXPECT_EQ(behind("f32[4,4]{0,1}", "f32[4,4]{1,0}", "f32[4,4]{1,0}"), "{0,1}");
  EXPECT_EQ(behind("f32[2,3,4]{0,2,1}", "f32[3,4,2]{2,1,0}", "f32[2,3,4]{2,1,0}"), "{1,0,2}");
}

TEST(BitcastLayout, KeepsTilesAndMemory) {
  EXPECT_EQ(behind("f32[1,4,8]{2,1,0}", "f32[4,8]{1,0}", "f32[1,4,8]{1,2,0:T(2,4)S(5)}"), "{0,1:T(2,4)S(5)}");
}

TEST(BitcastLayout, RefusesSplitAndMergedDimensions) {
  EXPECT_EQ(behind("f32[4,6]{1,0}", "f32[2,2,6]{2,1,0}", "f32[4,6]{0,1}"), "");
  EXPECT_EQ(behind("f32[4,6]{1,0}", "f32[6,4]{1,0}", "f32[4,6]{0,1}"), "");
}

}  // namespace
}  // namespace hilo
