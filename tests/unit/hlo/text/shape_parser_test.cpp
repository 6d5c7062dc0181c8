#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

std::string kindOf(std::string_view text) {
  const auto shape = parseShape(text);
  return shape ? "read: " + toString(*shape) : shape.error().kind;
}

TEST(ShapeParser, EveryFormComesBack) {
  for (const char* text : {
           "f32[]",
           "pred[0]",
           "bf16[2,3]{1,0}",
           "s4[8]{0:E(4)}",
           "u1[8]",
           "f8e4m3fn[2]",
           "f8e5m2fnuz[2]",
           "f8e4m3b11fnuz[2]",
           "f8e3m4[2]",
           "f8e8m0fnu[2]",
           "f4e2m1fn[2]",
           "c128[4]",
           "token[]",
           "opaque[]",
           "f32[<=10,?]{1,0}",
           "f32[2,3]{1,0:T(8,128)(2,1)S(1)}",
           "f32[2,3,4]{2,1,0:T(2,*,4)}",
           "f32[4]{0:L(2)E(32)S(5)}",
           "f32[4]{0:#(u32)*(u8)}",
           "f32[2,2]{1,0:SC(1:64,128)(0:1)}",
           "f32[4]{0:P(f32[8]{0})M(16)}",
           "f32[2,2]{1,0:D(D,C)}",
           "f32[2,2]{1,0:D(D,S+~)}",
           "()",
           "(f32[2]{0}, (s32[], token[]), pred[])",
           "b(f32[2]{0})",
           "(b(f32[2]), s32[])",
           "(f32[], f32[], f32[], f32[], f32[], /*index=5*/f32[])",
           "f32[]{:T(128)S(6)}",
       }) {
    EXPECT_EQ(kindOf(text), std::string("read: ") + text);
  }
}

TEST(ShapeParser, SpacesAndCommentsAreFree) {
  EXPECT_EQ(kindOf(" f32 [ 2 , /*x*/ 3 ] {1,0} "), "read: f32[2,3]{1,0}");
  EXPECT_EQ(kindOf("( f32[2], /*index=1*/ s32[] )"), "read: (f32[2], s32[])");
}

TEST(ShapeParser, ABraceThatStartsNoLayoutIsLeft) {
  // The end of a signature: the brace opens the computation.
  EXPECT_EQ(parseShape("f32[2] {\n").error().kind, "unexpected-token");
  EXPECT_EQ(kindOf("f32[]{}"), "read: f32[]");
}

TEST(ShapeParser, RefusesWhatIsNoShape) {
  EXPECT_EQ(kindOf("f33[2]"), "unexpected-token");
  EXPECT_EQ(kindOf("f32[-1]"), "bad-shape");
  EXPECT_EQ(kindOf("f32[99999999999999999999]"), "number-out-of-range");
  EXPECT_EQ(kindOf("f32[2,3]{0}"), "bad-layout");
  EXPECT_EQ(kindOf("f32[2,3]{1,1}"), "bad-layout");
  EXPECT_EQ(kindOf("f32[2]{0:X(1)}"), "unexpected-token");
  EXPECT_EQ(kindOf("token[2]"), "bad-shape");
  EXPECT_EQ(kindOf("tuple[]"), "bad-shape");
  EXPECT_EQ(kindOf("(f32[2]"), "unexpected-token");
  EXPECT_EQ(kindOf(""), "unexpected-token");
}

TEST(ShapeParser, HugeSizesAreOnlyNumbers) {
  const auto shape = parseShape("f32[1099511627776,1099511627776]");
  ASSERT_TRUE(shape.has_value());
  EXPECT_EQ(shape->elementCount(), std::numeric_limits<int64_t>::max());
}

TEST(ShapeParser, LayoutsAlone) {
  const auto layout = parseLayout("{0,1:T(8,128)S(2)}");
  ASSERT_TRUE(layout.has_value());
  EXPECT_EQ(layout->minorToMajor, (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(layout->tiles[0].dimensions, (std::vector<int64_t>{8, 128}));
  EXPECT_EQ(layout->memorySpace, 2);
}

}  // namespace
}  // namespace hilo
