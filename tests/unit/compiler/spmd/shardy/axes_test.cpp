// Axes of meshes and their parts. "a" of 8 devices is a0; a:(2)4 are its inner 4 after an outer part of 2.
#include "core/compiler/spmd/shardy/axes.h"

#include <gtest/gtest.h>

namespace hilo::sdy {
namespace {

constexpr AxisRef kWhole{0, 1, 8}, kOuter2{0, 1, 2}, kOuter4{0, 1, 4}, kInner4{0, 2, 4}, kMiddle2{0, 2, 2};
constexpr AxisRef kOther{1, 1, 2};

TEST(Axes, PartsOverlapWhereTheyShareDevices) {
  EXPECT_TRUE(overlap(kWhole, kMiddle2));
  EXPECT_FALSE(overlap(kOuter2, kInner4));
  EXPECT_TRUE(overlap(kOuter4, kInner4));
  EXPECT_FALSE(overlap(kWhole, kOther));
}

TEST(Axes, PartsCoexistWhereOneCutFitsBoth) {
  EXPECT_TRUE(canCoexist(kOuter4, kInner4));
  EXPECT_FALSE(canCoexist({0, 1, 2}, {0, 1, 3}));
  EXPECT_FALSE(canCoexist({0, 2, 2}, {0, 3, 2}));
}

TEST(Axes, APrefixIsAnOuterPart) {
  EXPECT_TRUE(isPrefix(kOuter2, kWhole));
  EXPECT_FALSE(isPrefix(kInner4, kWhole));
  EXPECT_TRUE(contains(kWhole, kMiddle2));
  EXPECT_FALSE(contains(kOuter2, kMiddle2));
}

TEST(Axes, WhatIsLeftBesideOthers) {
  EXPECT_EQ(prefixWithout(kWhole, Axes{kInner4}), kOuter2);
  EXPECT_EQ(prefixWithout(kWhole, Axes{kOuter2}), std::nullopt);
  EXPECT_EQ(prefixWithout(kWhole, Axes{kOther}), kWhole);
  EXPECT_EQ(without(Axes{kWhole}, Axes{kMiddle2}), (Axes{{0, 1, 2}, {0, 4, 2}}));
}

TEST(Axes, PrefixesOfLists) {
  EXPECT_EQ(prefixKind(Axes{kOther}, Axes{kOther, kWhole}), PrefixKind::Strict);
  EXPECT_EQ(prefixKind(Axes{kOther, kOuter2}, Axes{kOther, kWhole}), PrefixKind::Strict);
  EXPECT_EQ(prefixKind(Axes{kOuter2, kOther}, Axes{kWhole, kOther}), PrefixKind::None);
  EXPECT_EQ(prefixKind(Axes{}, Axes{}), PrefixKind::Equal);
}

TEST(Axes, NeighboursBecomeOne) {
  Axes axes = {kOuter2};
  append(axes, kMiddle2);
  EXPECT_EQ(axes, Axes{kOuter4});
  Axes list = {kOther, {0, 4, 2}, kOuter4};
  sortAndMerge(list);
  EXPECT_EQ(list, (Axes{kWhole, kOther}));
}

}  // namespace
}  // namespace hilo::sdy
