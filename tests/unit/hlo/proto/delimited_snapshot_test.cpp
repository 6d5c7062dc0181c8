#include "core/hlo/proto/delimited_snapshot.h"

#include <gtest/gtest.h>

#include "core/hlo/proto/file_kind.h"
#include "core/hlo/proto/literal_proto.h"

namespace hilo {
namespace {

pb::HloUnoptimizedSnapshot head() {
  pb::HloUnoptimizedSnapshot snapshot;
  auto& computation = *snapshot.mutable_hlo_module()->add_computations();
  computation.set_name("main");
  computation.add_instructions()->set_name("p");
  return snapshot;
}

std::vector<std::vector<Literal>> arguments() {
  Literal pred(Shape::array(ElementType::Pred, {9}));
  pred.mutableBytes()[8] = std::byte{1};
  Literal narrow(Shape::array(ElementType::U4, {3}));
  narrow.mutableBytes()[2] = std::byte{13};
  Literal wide(Shape::array(ElementType::F64, {2, 2}));
  wide.mutableData<double>()[3] = 2.5;
  return {{pred, Literal::tuple({narrow, wide})}, {}};
}

TEST(DelimitedSnapshot, ArgumentsComeBack) {
  const auto bytes = writeDelimitedSnapshot(head(), arguments());
  ASSERT_TRUE(bytes) << toString(bytes.error());
  EXPECT_EQ(detectKind(*bytes).kind, FileKind::DelimitedUnoptimizedSnapshot);
  const auto snapshot = readDelimitedSnapshot(*bytes);
  ASSERT_TRUE(snapshot) << toString(snapshot.error());
  EXPECT_EQ(snapshot->arguments, arguments());
  EXPECT_EQ(snapshot->head.hlo_module().computations(0).name(), "main");
}

size_t serializedBytes(ElementType type, int64_t count) {
  return serializedArrayBytes(Shape::array(type, {count}));
}

// Nine preds take two bytes, three u4 two: what XLA's ShapeUtil::SerializedSize counts.
TEST(DelimitedSnapshot, NarrowElementsArePacked) {
  EXPECT_EQ(serializedBytes(ElementType::Pred, 9), 2u);
  EXPECT_EQ(serializedBytes(ElementType::U4, 3), 2u);
  EXPECT_EQ(serializedBytes(ElementType::S2, 5), 2u);
  EXPECT_EQ(serializedBytes(ElementType::BF16, 3), 6u);
}

TEST(DelimitedSnapshot, EveryCutIsAnError) {
  const auto bytes = writeDelimitedSnapshot(head(), arguments());
  ASSERT_TRUE(bytes);
  for (size_t size = 0; size < bytes->size(); ++size) {
    EXPECT_FALSE(readDelimitedSnapshot(std::string_view(*bytes).substr(0, size))) << size;
  }
  EXPECT_FALSE(readDelimitedSnapshot(*bytes + "x"));
}

TEST(DelimitedSnapshot, ElidedArgumentsCannotBeWritten) {
  const auto bytes = writeDelimitedSnapshot(head(), {{Literal::elided(Shape::array(ElementType::F32, {2}))}});
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().kind, "elided-argument");
}

}  // namespace
}  // namespace hilo
