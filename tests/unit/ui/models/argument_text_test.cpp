// What is written where a run's arguments are asked for.
#include "ui/models/argument_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hilo {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(ArgumentText, ValuesBehindASeed) {
  const ArgumentSource source =
      argumentSourceOf("seed 7, x={1, 2}, 1 = [[1. 2.]\n [3. 4.]], w=w.npy, z=-3", nullptr);
  EXPECT_EQ(source.kind, ArgumentSource::Kind::Seed);
  EXPECT_EQ(source.seed, 7u);
  EXPECT_THAT(source.named, ElementsAre(Pair("x", "{1, 2}"), Pair("1", "[[1. 2.]\n [3. 4.]]"),
                                        Pair("w", "w.npy"), Pair("z", "-3")));
}

TEST(ArgumentText, ValuesAlone) {
  const ArgumentSource source = argumentSourceOf("p.1=f32[2] {1, 2}, q=normal(3)", nullptr);
  EXPECT_EQ(source.kind, ArgumentSource::Kind::Seed);
  EXPECT_THAT(source.named, ElementsAre(Pair("p.1", "f32[2] {1, 2}"), Pair("q", "normal(3)")));
}

TEST(ArgumentText, APathMayHoldAnEqualsSign) {
  const ArgumentSource source = argumentSourceOf("/data/step=3/args.npz, x=ones", nullptr);
  EXPECT_EQ(source.kind, ArgumentSource::Kind::File);
  EXPECT_EQ(source.path, "/data/step=3/args.npz");
  EXPECT_THAT(source.named, ElementsAre(Pair("x", "ones")));
  EXPECT_TRUE(argumentSourceOf("a, b.npz", nullptr).named.empty());
}

}  // namespace
}  // namespace hilo
