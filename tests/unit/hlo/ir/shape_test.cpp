#include "core/hlo/ir/shape.h"

#include <gtest/gtest.h>

namespace hilo {
namespace {

TEST(Shape, EqualShapesAreOne) {
  const Layout layout = Layout::descending(2);
  const std::vector<int64_t> dimensions = {2, 3};
  EXPECT_EQ(Shape::array(ElementType::F32, dimensions, &layout),
            Shape::array(ElementType::F32, dimensions, &layout));
  EXPECT_NE(Shape::array(ElementType::F32, dimensions, &layout), Shape::array(ElementType::F32, dimensions));
  EXPECT_EQ(Shape::array(ElementType::F32, dimensions, &layout).withoutLayout(),
            Shape::array(ElementType::F32, dimensions));
  EXPECT_NE(Shape::array(ElementType::F32, {2, 3}), Shape::array(ElementType::F32, {3, 2}));
}

TEST(Shape, SizesSaturateInsteadOfWrapping) {
  const int64_t big = int64_t{1} << 40;
  const Shape shape = Shape::array(ElementType::F64, {big, big, big});
  EXPECT_EQ(shape.elementCount(), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(shape.byteSize(), std::numeric_limits<int64_t>::max());
}

TEST(Shape, BytesOfTuplesAndPackedTypes) {
  Layout packed = Layout::descending(1);
  packed.elementSizeInBits = 4;
  const std::vector<int64_t> five = {5};
  EXPECT_EQ(Shape::array(ElementType::S4, five, &packed).byteSize(), 3);
  EXPECT_EQ(Shape::array(ElementType::S4, five).byteSize(), 5);
  const std::vector<Shape> elements = {Shape::array(ElementType::C64, {2}), Shape::token(),
                                       Shape::scalar(ElementType::Pred)};
  EXPECT_EQ(Shape::tuple(elements).byteSize(), 17);
}

TEST(Shape, TextHasEveryPartOfALayout) {
  Layout layout = Layout::descending(2);
  layout.tiles = {Tile{{8, 128}}, Tile{{Tile::kCombineDimension, 1}}};
  layout.tailPaddingAlignment = 16;
  layout.elementSizeInBits = 4;
  layout.memorySpace = 5;
  const std::vector<int64_t> dimensions = {16, 256};
  EXPECT_EQ(toString(Shape::array(ElementType::S4, dimensions, &layout)),
            "s4[16,256]{1,0:T(8,128)(*,1)L(16)E(4)S(5)}");
}

TEST(Shape, TextOfDynamicDimensions) {
  const std::vector<int64_t> dimensions = {10, kUnboundedSize, 3};
  const bool dynamic[] = {true, true, false};
  const Shape shape = Shape::dynamicArray(ElementType::F32, dimensions, dynamic);
  EXPECT_EQ(toString(shape), "f32[<=10,?,3]");
  EXPECT_TRUE(shape.isDynamic());
  EXPECT_TRUE(shape.hasUnboundedDimension());
}

TEST(Shape, NestedTuplesAndBuffers) {
  const Shape buffer = Shape::buffer(Shape::array(ElementType::F32, {4}));
  const std::vector<Shape> elements = {buffer, Shape::tuple({}), Shape::opaque()};
  EXPECT_EQ(toString(Shape::tuple(elements)), "(b(f32[4]), (), opaque[])");
}

TEST(ElementType, NamesAndNumbersAreABijection) {
  for (int i = 0; i < kElementTypeCount; ++i) {
    const auto type = static_cast<ElementType>(i);
    EXPECT_EQ(elementTypeFromName(elementTypeName(type)), type);
    EXPECT_EQ(elementTypeFromNumber(elementTypeNumber(type)), type);
  }
}

}  // namespace
}  // namespace hilo
