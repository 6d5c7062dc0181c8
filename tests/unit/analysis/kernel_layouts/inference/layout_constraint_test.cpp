#include "core/analysis/kernel_layouts/inference/layout_constraint.h"

#include "tests/unit/analysis/kernel_layouts/inference/constraint_makers.h"

namespace hilo::inference {
namespace {

constexpr VariableId kV0 = 0, kV1 = 1;

std::optional<bool> relaid(const LayoutConstant& from, const LayoutConstant& to, int64_t bits,
                           bool isStrict = false) {
  return holds(relayout(from, to, bits, isStrict), 9);
}

TEST(LayoutConstraint, FamiliesThatThreadsExchangeAreRelaidOut) {
  const std::pair<std::string_view, std::string_view> pairs[] = {
      {"WGMMA", "WGMMA_TRANSPOSED"},     {"WGMMA_TRANSPOSED", "WGMMA"},
      {"TCGEN05", "TCGEN05_TRANSPOSED"}, {"TCGEN05_TRANSPOSED", "TCGEN05"},
      {"WGMMA_UPCAST_2X", "WGMMA"},      {"WGMMA_UPCAST_4X", "WGMMA_UPCAST_2X"},
      {"WGMMA_UPCAST_4X", "WGMMA"},
  };
  for (const auto& [from, to] : pairs) EXPECT_EQ(relaid(family(from), family(to), 4), true) << from << to;
  EXPECT_EQ(relaid(RegisterLayout(tmemNativeLayout(2)), RegisterLayout(tmemNativeLayout(1)), 4), true);
  EXPECT_EQ(relaid(family("WGMMA_ROW"), family("WGMMA_COL"), 32), false);
}

TEST(LayoutConstraint, RelayoutsOfWideElementsAreNotSupported) {
  EXPECT_EQ(relaid(family("WGMMA_UPCAST_4X"), family("WGMMA_UPCAST_2X"), 8), false);
  EXPECT_EQ(relaid(family("WGMMA_UPCAST_4X"), family("WGMMA"), 8), false);
  EXPECT_EQ(relaid(family("WGMMA_UPCAST_2X"), family("WGMMA"), 32), false);
  EXPECT_EQ(relaid(family("WGMMA_UPCAST_4X"), family("WGMMA_UPCAST_2X"), 4), true);
  EXPECT_EQ(relaid(family("WGMMA_UPCAST_4X"), family("WGMMA"), 4), true);
  EXPECT_EQ(relaid(family("WGMMA_UPCAST_2X"), family("WGMMA"), 16), true);
}

TEST(LayoutConstraint, StrictRelayoutsAreOfSplatsAlone) {
  EXPECT_EQ(relaid(family("WGMMA"), family("WGMMA"), 32, true), true);
  EXPECT_EQ(relaid(family("WGMMA"), family("WGMMA_TRANSPOSED"), 32, true), false);
  EXPECT_EQ(relaid(splat({128, 128}), family("WGMMA"), 32, true), true);
  EXPECT_EQ(relaid(splat({128, 128}), strided({128, 128}, 1), 32, true), true);
}

TEST(LayoutConstraint, KindsAreToldApart) {
  EXPECT_EQ(holds(notSplat(family("WGMMA")), 9), true);
  EXPECT_EQ(holds(notSplat(splat({1, 128})), 9), false);
  EXPECT_EQ(holds(notSplat(kV0), 9), std::nullopt);
}

TEST(LayoutConstraint, StrictRelayoutsOfKnownLayoutsBecomeEquality) {
  for (const LayoutConstant& layout : {strided({128, 128}, 1), family("WGMMA")}) {
    LayoutConstraint constraint = relayout(layout, kV0, 32, true);
    ASSERT_TRUE(reduceConstraint(constraint));
    EXPECT_TRUE(constraint.says(equalLayouts(layout, kV0)));
  }
  LayoutConstraint ofSplat = relayout(splat({128, 128}), kV0, 32, true);
  ASSERT_TRUE(reduceConstraint(ofSplat));
  EXPECT_TRUE(ofSplat.says(relayout(splat({128, 128}), kV0, 32, true)));
}

TEST(LayoutConstraint, BothSidesTheSameIsATautology) {
  EXPECT_TRUE(isTautology(relayout(kV0, kV0, 32, false)));
  EXPECT_TRUE(isTautology(equalLayouts(kV0, kV0)));
  EXPECT_FALSE(isTautology(equalLayouts(kV0, kV1)));
}

TEST(LayoutConstraint, TilesDivide) {
  EXPECT_EQ(holds(divides(shared({}, 0), {1, 2}), 9), true);
  EXPECT_EQ(holds(divides(shared({2, 2}, 0), {4, 6}), 9), true);
  EXPECT_EQ(holds(divides(family("WGMMA"), {0, 64}), 9), true);
  EXPECT_EQ(holds(divides(tensor(tmemDefaultLayout(1)), {0, 64}), 9), true);
  EXPECT_EQ(holds(divides(shared({2, 2}, 0), {4, 3}), 9), false);
  EXPECT_EQ(holds(divides(family("WGMMA"), {3, 64}), 9), false);
  EXPECT_EQ(holds(divides(tensor(tmemDefaultLayout(1)), {3, 64}), 9), false);
  EXPECT_EQ(holds(divides(splat({4, 32}), {2, 16}), 9), true);
  EXPECT_EQ(holds(divides(strided({4, 32}, 1), {2, 16}), 9), true);
}

TEST(LayoutConstraint, TensorCoresReadTilesAsWideAsTheirSwizzle) {
  for (const int64_t bits : {16, 32})
    for (const int64_t swizzle : {32, 64, 128})
      EXPECT_EQ(holds(about(shared({8, swizzle * 8 / bits}, swizzle), MmaTile{bits}), 9), true);
  EXPECT_EQ(holds(about(shared({8, 8}, 0), MmaTile{16, true}), 9), true);
  EXPECT_EQ(holds(about(shared({8, 8}, 0), MmaTile{16, false}), 9), false);
}

TEST(LayoutConstraint, LeadingDimensionsAreBroadcast) {
  const auto broadcast = [](Sizes from, int64_t vector, Sizes to, int64_t toVector, Sizes dimensions) {
    return *holds(between(strided(std::move(from), vector), strided(std::move(to), toVector),
                          Broadcasts{std::move(dimensions)}),
                  9);
  };
  EXPECT_TRUE(broadcast({1, 128}, 1, {4, 128}, 1, {0, 1}));
  EXPECT_FALSE(broadcast({1, 128}, 1, {4, 128}, 2, {0, 1}));
  EXPECT_TRUE(broadcast({1, 1, 128}, 1, {2, 4, 128}, 1, {0, 1, 2}));
  EXPECT_TRUE(broadcast({1, 4, 128}, 1, {2, 4, 128}, 1, {0, 1, 2}));
  EXPECT_TRUE(broadcast({128}, 1, {4, 128}, 1, {1}));
  EXPECT_FALSE(broadcast({2, 1, 128}, 1, {2, 4, 128}, 1, {0, 1, 2}));
  EXPECT_TRUE(broadcast({128}, 1, {128, 128}, 1, {1}));
  EXPECT_TRUE(broadcast({1, 128}, 1, {18, 4, 128}, 1, {1, 2}));
}

TEST(LayoutConstraint, TheLastSizeOfATileIsAMultiple) {
  EXPECT_EQ(holds(about(shared({2, 8}, 0), MinorDivisible{4}), 9), true);
  EXPECT_EQ(holds(about(shared({2, 8}, 0), MinorDivisible{3}), 9), false);
  EXPECT_EQ(holds(about(shared({}, 0), MinorDivisible{4}), 9), true);
}

TEST(LayoutConstraint, OneOfManyIsAllowed) {
  const OneOf two{{splat({128}), family("WGMMA")}};
  EXPECT_EQ(holds(about(splat({128}), two), 9), true);
  EXPECT_EQ(holds(about(family("WGMMA"), two), 9), true);
  EXPECT_EQ(holds(about(family("WGMMA_COL"), two), 9), false);
  LayoutConstraint doubled = about(kV0, OneOf{{family("WGMMA"), splat({128}), family("WGMMA")}});
  ASSERT_TRUE(reduceConstraint(doubled));
  EXPECT_TRUE(doubled.says(about(kV0, OneOf{{family("WGMMA"), splat({128})}})));
  LayoutConstraint single = about(kV0, OneOf{{splat({128}), splat({128})}});
  ASSERT_TRUE(reduceConstraint(single));
  EXPECT_TRUE(single.says(equalLayouts(kV0, splat({128}))));
}

}  // namespace
}  // namespace hilo::inference
