#include "core/analysis/kernel_layouts/inference/constraint_system.h"

#include "tests/unit/analysis/kernel_layouts/inference/constraint_makers.h"

namespace hilo::inference {
namespace {

constexpr VariableId kV0 = 0, kV1 = 1, kV2 = 2, kV3 = 3, kV4 = 4;

TEST(ConstraintSystem, ALayoutThatDoesNotFitIsRefuted) {
  const auto variables = inRegisters(1, {128, 128});
  auto system = systemOf(variables, {equalLayouts(kV0, splat({64, 64}))});
  EXPECT_TRUE(isRefuted(system));
}

TEST(ConstraintSystem, TwoLayoutsOfOneVariableAreRefuted) {
  const auto variables = inRegisters(1, {128, 128});
  auto system = systemOf(variables,
                         {equalLayouts(kV0, family("WGMMA")), equalLayouts(kV0, family("WGMMA_TRANSPOSED"))});
  InferenceTrace trace;
  auto contradiction = reduceSystem(system, trace);
  EXPECT_TRUE(contradiction);
}

TEST(ConstraintSystem, ARelayoutBetweenSplatsOfOtherShapesIsRefuted) {
  const auto variables = inRegisters(1, {1, 1});
  auto system =
      systemOf(variables, {equalLayouts(kV0, splat({1, 1})), relayout(kV0, splat({1, 2}), 32, false)});
  EXPECT_TRUE(isRefuted(system));
}

TEST(ConstraintSystem, WhatHoldsAndTautologiesAreLeftOut) {
  const auto variables = inRegisters(2, {128, 128});
  auto system = systemOf(variables, {equalLayouts(kV0, kV1), equalLayouts(kV0, kV0),
                                     relayout(kV0, kV0, 32, false), notSplat(family("WGMMA")), notSplat(kV1),
                                     relayout(family("WGMMA"), family("WGMMA_TRANSPOSED"), 32, false)});
  EXPECT_FALSE(isRefuted(system));
  EXPECT_TRUE(says(system.constraints, {equalLayouts(kV0, kV1), notSplat(kV1)}));
}

TEST(ConstraintSystem, WhatIsReducedStaysSo) {
  const auto variables = inRegisters(2, {128, 128});
  auto system = systemOf(variables, {equalLayouts(kV0, kV1)});
  EXPECT_FALSE(isRefuted(system));
  EXPECT_TRUE(says(system.constraints, {equalLayouts(kV0, kV1)}));
  EXPECT_TRUE(system.known.empty());
}

TEST(ConstraintSystem, LayoutsFollowThroughEqualities) {
  const auto variables = inRegisters(2, {1, 1});
  for (const VariableId known : {kV0, kV1}) {
    auto system = systemOf(variables, {equalLayouts(known, splat({1, 1})), equalLayouts(kV0, kV1)});
    for (uint32_t i = 0; i < 2; ++i) system.constraints[i].origins = {i};
    EXPECT_FALSE(isRefuted(system));
    EXPECT_TRUE(system.constraints.empty());
    EXPECT_EQ(system.known.at(kV0).layout, splat({1, 1}));
    EXPECT_EQ(system.known.at(kV1).layout, splat({1, 1}));
    EXPECT_EQ(system.known.at(known == kV0 ? kV1 : kV0).cause.origins, std::vector<uint32_t>{1});
  }
}

TEST(ConstraintSystem, UnknownsAreInTheOrderOfTheConstraints) {
  const auto variables = inRegisters(4, {1, 1});
  auto system = systemOf(variables, {equalLayouts(kV1, kV2), relayout(kV2, kV3, 32, false)});
  system.known.emplace(kV0, SetLayout{splat({1, 1}), {}});
  EXPECT_EQ(system.unknowns(), (std::vector<VariableId>{kV1, kV2, kV3}));
}

TEST(ConstraintSystem, NothingElseBecomesASplat) {
  const auto variables = inRegisters(2, {128});
  auto system = systemOf(variables, {notSplat(kV0), relayout(kV0, kV1, 32, false)});
  system.known.emplace(kV1, SetLayout{splat({128}), {}});
  EXPECT_TRUE(isRefuted(system));
}

TEST(ConstraintSystem, NotASplatGoesOnAlongRelayouts) {
  const auto variables = inRegisters(5, {128});
  auto twice = systemOf(variables, {notSplat(kV0), notSplat(kV1), relayout(kV0, kV2, 32, false),
                                    relayout(kV1, kV2, 32, false)});
  spreadNotSplat(twice);
  EXPECT_EQ(twice.constraints.size(), 5u);
  EXPECT_TRUE(twice.constraints.back().says(notSplat(kV2)));
  auto others = systemOf(
      variables, {notSplat(kV0), about(kV1, NotOfKind{RegisterKind::Strided}), relayout(kV0, kV2, 32, false),
                  relayout(kV1, kV3, 32, false), relayout(kV4, kV0, 32, false)});
  spreadNotSplat(others);
  EXPECT_EQ(others.constraints.size(), 6u);
  EXPECT_TRUE(others.constraints.back().says(notSplat(kV2)));
}

TEST(ConstraintSystem, StrictRelayoutsOfWhatIsNoSplatAreEqualities) {
  const auto variables = inRegisters(3, {128});
  auto system = systemOf(variables, {notSplat(kV0), relayout(kV0, kV1, 32, true),
                                     relayout(kV2, kV1, 32, true), relayout(kV0, kV1, 32, false)});
  strictRelayoutsToEquals(system);
  EXPECT_TRUE(says(system.constraints, {notSplat(kV0), equalLayouts(kV0, kV1), relayout(kV2, kV1, 32, true),
                                        relayout(kV0, kV1, 32, false)}));
}

TEST(ConstraintSystem, WhatDividesOneVariableIsOneConstraint) {
  const auto variables = inRegisters(2, {128, 128});
  auto system = systemOf(variables, {divides(kV0, {18, 17}), divides(kV0, {3, 19}), divides(kV1, {6, 1, 3})});
  EXPECT_FALSE(isRefuted(system));
  EXPECT_TRUE(says(system.constraints, {divides(kV0, {3, 1}), divides(kV1, {6, 1, 3})}));
  auto shorter = systemOf(variables, {divides(kV0, {16, 10}), divides(kV0, {8})});
  EXPECT_FALSE(isRefuted(shorter));
  EXPECT_TRUE(says(shorter.constraints, {divides(kV0, {2})}));
}

TEST(ConstraintSystem, EqualVariablesShareWhatDivides) {
  const auto variables = inRegisters(6, {128, 128});
  auto two = systemOf(variables, {equalLayouts(kV0, kV1), divides(kV0, {1})});
  spreadDivides(two);
  EXPECT_TRUE(says(two.constraints, {equalLayouts(kV0, kV1), divides(kV0, {1}), divides(kV1, {1})}));
  const VariableId v5 = 5;
  auto five = systemOf(variables, {equalLayouts(kV0, kV1), equalLayouts(kV2, kV3), equalLayouts(kV2, kV4),
                                   equalLayouts(kV1, kV4), divides(kV0, {1}), divides(v5, {1})});
  spreadDivides(five);
  EXPECT_EQ(five.constraints.size(), 10u);
  for (VariableId variable = 0; variable < 6; ++variable)
    EXPECT_EQ(std::ranges::count_if(five.constraints,
                                    [&](const auto& one) { return one.says(divides(variable, {1})); }),
              1);
}

TEST(ConstraintSystem, ConstraintsOfSharedMemoryAreDecidedWhenItIsKnown) {
  const std::vector<LayoutVariable> variables{{.name = "m",
                                               .shape = {16, 16},
                                               .space = MemorySpace::Shared,
                                               .strides = {16, 1},
                                               .usualInTensor = {}}};
  auto good = systemOf(variables, {about(kV0, MinorDivisible{4})});
  good.known.emplace(kV0, SetLayout{shared({2, 8}, 0), {}});
  EXPECT_FALSE(isRefuted(good));
  EXPECT_TRUE(good.constraints.empty());
  auto bad = systemOf(variables, {about(kV0, MinorDivisible{3})});
  bad.known.emplace(kV0, SetLayout{shared({2, 8}, 0), {}});
  EXPECT_TRUE(isRefuted(bad));
}

TEST(ConstraintSystem, OneOfRefutesOthers) {
  const auto variables = inRegisters(1, {128});
  auto system = systemOf(variables, {about(kV0, OneOf{{splat({128}), family("WGMMA_ROW")}})});
  system.known.emplace(kV0, SetLayout{family("WGMMA_COL"), {}});
  EXPECT_TRUE(isRefuted(system));
}

}  // namespace
}  // namespace hilo::inference
