// Literals as bytes of a message: what is written is read, and what does not fit is refused.
#include <gtest/gtest.h>

#include "core/runtime/program/field_bytes.h"

namespace hilo {
namespace {

Literal numbers(std::vector<int64_t> dimensions) {
  Literal literal(Shape::array(ElementType::S32, dimensions));
  int32_t next = 7;
  for (int32_t& number : literal.mutableData<int32_t>()) number = next++;
  return literal;
}

std::vector<std::byte> written(const Literal& literal) {
  FieldWriter writer;
  writer("", literal);
  return std::move(writer.bytes);
}

// Nothing where the bytes hold no literal, or more than one.
std::optional<Literal> read(std::span<const std::byte> bytes) {
  FieldReader reader(bytes);
  Literal literal;
  reader("", literal);
  if (!reader.ok() || !reader.atEnd()) return std::nullopt;
  return literal;
}

TEST(LiteralBytes, AreReadAsTheyWereWritten) {
  const Literal array = numbers({2, 3});
  const Literal nested =
      Literal::tuple({array, Literal::tuple({}), Literal::tuple({numbers({0}), numbers({})})});
  for (const Literal& literal : {array, nested, Literal()}) EXPECT_EQ(read(written(literal)), literal);
}

TEST(LiteralBytes, KeepTheRealSizesOfAnArray) {
  const bool isDynamic[] = {true};
  Literal literal(Shape::dynamicArray(ElementType::S32, std::vector<int64_t>{4}, isDynamic, nullptr));
  literal.setDynamicSizes({3});
  const auto back = read(written(literal));
  ASSERT_TRUE(back);
  EXPECT_TRUE(std::ranges::equal(back->dynamicSizes(), std::vector<int64_t>{3}));
  literal.setDynamicSizes({5});
  EXPECT_FALSE(read(written(literal)));
}

TEST(LiteralBytes, AreRefusedWhereAPartIsMissing) {
  const std::vector<std::byte> bytes = written(Literal::tuple({numbers({5}), numbers({2})}));
  for (size_t size = 0; size < bytes.size(); ++size) EXPECT_FALSE(read(std::span(bytes).first(size))) << size;
}

// Each of the tuple's tuples would fit alone: together they would take a thousand times of what was sent.
TEST(LiteralBytes, TakeNoMoreMemoryThanWasSent) {
  const Shape inner = Shape::tuple(std::vector<Shape>{Shape::array(ElementType::U8, {20'000})});
  FieldWriter writer;
  writer("", Shape::tuple(std::vector<Shape>(1000, inner)));
  writer.bytes.resize(writer.bytes.size() + 30'000);
  EXPECT_FALSE(read(writer.bytes));
  EXPECT_FALSE(Literal::tryMake(Shape::tuple(std::vector<Shape>(2, inner)), 30'000));
  EXPECT_TRUE(Literal::tryMake(Shape::tuple(std::vector<Shape>(2, inner)), 40'000));
}

}  // namespace
}  // namespace hilo
