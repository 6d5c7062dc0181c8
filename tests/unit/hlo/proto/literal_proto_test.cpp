#include "core/hlo/proto/literal_proto.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

namespace hilo {
namespace {

pb::LiteralProto parse(const std::string& text) {
  pb::LiteralProto proto;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &proto)) << text;
  return proto;
}

Literal read(const std::string& text) {
  auto literal = readLiteral(parse(text));
  EXPECT_TRUE(literal) << text << toString(literal.error());
  return literal ? *std::move(literal) : Literal();
}

std::vector<int> bytesOf(const Literal& literal) {
  std::vector<int> values;
  for (std::byte byte : literal.bytes()) values.push_back(static_cast<int8_t>(byte));
  return values;
}

// Column-major [2,3]: the proto lists columns, the literal rows.
TEST(LiteralProto, ElementsArePermutedByTheLayout) {
  const std::string text =
      "shape { element_type: S32 dimensions: [2, 3] layout { minor_to_major: [0, 1] } } s32s: [1, 4, 2, 5, "
      "3, 6]";
  const Literal literal = read(text);
  const auto values = literal.data<int32_t>();
  EXPECT_EQ(std::vector<int32_t>(values.begin(), values.end()), (std::vector<int32_t>{1, 2, 3, 4, 5, 6}));
  pb::LiteralProto written;
  writeLiteral(literal, written);
  EXPECT_EQ(std::vector<int32_t>(written.s32s().begin(), written.s32s().end()),
            (std::vector<int32_t>{1, 4, 2, 5, 3, 6}));
}

TEST(LiteralProto, ThreeDimensionalLayout) {
  // {1,0,2}: dimension 1 fastest, then 0, then 2. Element (i,j,k) of [2,2,2] stands at j + 2i + 4k.
  const Literal literal = read(
      "shape { element_type: S32 dimensions: [2, 2, 2] layout { minor_to_major: [1, 0, 2] } } "
      "s32s: [0, 10, 100, 110, 1, 11, 101, 111]");
  const auto values = literal.data<int32_t>();
  EXPECT_EQ(std::vector<int32_t>(values.begin(), values.end()),
            (std::vector<int32_t>{0, 1, 10, 11, 100, 101, 110, 111}));
}

TEST(LiteralProto, NarrowIntegersPackedOrNot) {
  // -1, 7, -8 in s4: one a byte, and two a byte with the first in the low half.
  for (const char* bytes : {"\\377\\007\\370", "\\017\\007\\010", "\\177\\010"}) {
    const Literal literal =
        read(std::string("shape { element_type: S4 dimensions: 3 } s4s: \"") + bytes + "\"");
    EXPECT_EQ(bytesOf(literal), (std::vector<int>{-1, 7, -8})) << bytes;
  }
  EXPECT_EQ(bytesOf(read("shape { element_type: U4 dimensions: 3 } u4s: \"\\177\\010\"")),
            (std::vector<int>{15, 7, 8}));
  // 0, 1, -2, -1, 1 in s2, four a byte: 0b11100100, 0b01.
  EXPECT_EQ(bytesOf(read("shape { element_type: S2 dimensions: 5 } s2s: \"\\344\\001\"")),
            (std::vector<int>{0, 1, -2, -1, 1}));
}

TEST(LiteralProto, EveryArrayTypeComesBack) {
  for (int i = 0; i < kElementTypeCount; ++i) {
    const auto type = static_cast<ElementType>(i);
    if (!isArrayElement(type)) continue;
    Literal literal(Shape::array(type, {3}));
    auto bytes = literal.mutableBytes();
    const int bits = std::min(elementBits(type), 7);
    for (size_t b = 0; b < bytes.size(); ++b) bytes[b] = static_cast<std::byte>(b & ((1 << bits) - 1));
    if (type == ElementType::Pred) bytes[2] = std::byte{1};
    if (isSigned(type) && bits < 7) bytes[1] = bytes[2] = std::byte{0xff};
    pb::LiteralProto proto;
    writeLiteral(literal, proto);
    const auto back = readLiteral(proto);
    ASSERT_TRUE(back) << elementTypeName(type) << toString(back.error());
    EXPECT_EQ(*back, literal) << elementTypeName(type);
    std::string serialized;
    appendSerializedArray(literal, serialized);
    EXPECT_EQ(serialized.size(), serializedArrayBytes(literal.shape())) << elementTypeName(type);
    Literal again(literal.shape());
    ASSERT_TRUE(readSerializedArray(serialized, again)) << elementTypeName(type);
    EXPECT_EQ(again, literal) << elementTypeName(type);
  }
}

TEST(LiteralProto, TuplesAndElidedValues) {
  const Literal tuple = read(
      "shape { element_type: TUPLE tuple_shapes { element_type: PRED } tuple_shapes { element_type: TOKEN } "
      "} "
      "tuple_literals { shape { element_type: PRED } preds: true } tuple_literals { shape { element_type: "
      "TOKEN } }");
  ASSERT_EQ(tuple.elements().size(), 2u);
  EXPECT_EQ(bytesOf(tuple.elements()[0]), std::vector<int>{1});
  EXPECT_TRUE(read("shape { element_type: F32 dimensions: 1000000000 }").isElided());
  EXPECT_FALSE(read("shape { element_type: F32 dimensions: 0 }").isElided());
}

TEST(LiteralProto, DynamicSizes) {
  const Literal literal = read(
      "shape { element_type: S32 dimensions: 4 is_dynamic_dimension: true } s32s: [1, 2, 0, 0] "
      "dynamic_sizes: 2");
  ASSERT_EQ(literal.dynamicSizes().size(), 1u);
  EXPECT_EQ(literal.dynamicSizes()[0], 2);
}

TEST(LiteralProto, WrongCountsAreRefusedWithoutAllocating) {
  for (const char* text :
       {"shape { element_type: S32 dimensions: 3 } s32s: [1, 2]",
        "shape { element_type: F32 dimensions: [1000000, 1000000, 1000000] } f32s: 1",
        "shape { element_type: U8 dimensions: 9223372036854775807 } u8s: \"a\"",
        "shape { element_type: F16 dimensions: 1 } f16s: \"a\"",
        "shape { element_type: C64 dimensions: 1 } c64s: 1",
        "shape { element_type: TUPLE tuple_shapes { element_type: F32 } }",
        "shape { element_type: S32 dimensions: 1 is_dynamic_dimension: true } s32s: 1 dynamic_sizes: 7"}) {
    const auto literal = readLiteral(parse(text));
    ASSERT_FALSE(literal) << text;
    EXPECT_EQ(literal.error().kind, "bad-literal") << text;
  }
}

}  // namespace
}  // namespace hilo
