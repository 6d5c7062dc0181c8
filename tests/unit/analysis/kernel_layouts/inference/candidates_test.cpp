#include "core/analysis/kernel_layouts/inference/candidates.h"

#include "core/analysis/kernel_layouts/inference/derivation.h"
#include "core/analysis/kernel_layouts/inference/kernel_text.h"
#include "core/analysis/kernel_layouts/inference/layout_search.h"
#include "tests/unit/analysis/kernel_layouts/inference/constraint_makers.h"

namespace hilo::inference {
namespace {

constexpr VariableId kV0 = 0, kV1 = 1;

std::vector<LayoutConstant> layouts(const ConstraintSystem& system) {
  std::vector<LayoutConstant> all;
  for (const Candidate& candidate : candidates(system, {kV0})) all.push_back(candidate.layout);
  return all;
}

TEST(Candidates, RelayoutsAreTriedFirst) {
  const auto variables = inRegisters(2, {128, 128}, 16);
  const auto system =
      systemOf(variables, {between(kV1, tensor(tmemDefaultLayout(1)), TensorMove{{128, 128}, 32}),
                           relayout(kV0, family("WGMMA"), 16, false)});
  const auto first = candidates(system, {kV0, kV1}).at(0);
  EXPECT_EQ(first.variable, kV0);
  EXPECT_EQ(first.layout, family("WGMMA"));
}

TEST(Candidates, TiledLayoutsAreTriedBeforeOthers) {
  const auto variables = inRegisters(1, {128, 128});
  const auto system = systemOf(
      variables, {relayout(kV0, splat({128, 128}), 32, false), relayout(kV0, family("WGMMA"), 32, false),
                  relayout(kV0, strided({128, 128}, 4), 32, false)});
  EXPECT_EQ(layouts(system), (std::vector{family("WGMMA"), splat({128, 128}), strided({128, 128}, 4),
                                          strided({128, 128}, 2)}));
}

TEST(Candidates, ATileIsTriedForAnyTiledLayout) {
  const std::vector<LayoutVariable> variables{{.name = "m",
                                               .shape = {128, 128},
                                               .space = MemorySpace::Shared,
                                               .strides = {128, 1},
                                               .usualInTensor = {}}};
  const TiledLayout own{{{{64, 128, 8}, {32, 2}}}, {{.dimension = -4}}, {{.dimension = -2}}, -1};
  const SharedMove move{{{128, 128}, {128, 1}, 32}, MoveKind::Unoptimized};
  const auto tried = layouts(systemOf(variables, {between(LayoutConstant(RegisterLayout(own)), kV0, move)}));
  EXPECT_EQ(tried.back(), shared({}, 0));
  EXPECT_GT(tried.size(), 1u);
  EXPECT_FALSE(std::get<SharedTransforms>(tried.front()).tile.empty());
}

TEST(Candidates, TensorMemoryProposesTheLayoutOfTensorCoresFirst) {
  const auto variables = inRegisters(1, {128, 128});
  auto system = systemOf(variables, {between(kV0, tensor(tmemDefaultLayout(1)), TensorMove{{128, 128}, 32})});
  const SearchOutcome outcome = findLayouts(system, {.fuel = 1000});
  ASSERT_EQ(outcome.kind, SearchOutcome::Kind::Found);
  EXPECT_EQ(outcome.layouts.at(kV0).layout, family("TCGEN05"));
  EXPECT_EQ(outcome.layouts.at(kV0).cause.kind, Cause::Kind::Tried);
}

TEST(Candidates, UnsatisfiableSystemsEnd) {
  const auto variables = inRegisters(1, {64}, 16);
  auto system =
      systemOf(variables, {equalLayouts(kV0, family("WGMMA_ROW")), equalLayouts(kV0, family("WGMMA_COL"))});
  EXPECT_EQ(findLayouts(system, {.fuel = 1000}).kind, SearchOutcome::Kind::Unsatisfiable);
}

TEST(Candidates, ACancelledSearchStops) {
  const auto variables = inRegisters(1, {128, 128});
  SearchLimits limits;
  limits.cancel.cancel();
  EXPECT_EQ(findLayouts(systemOf(variables, {}), limits).kind, SearchOutcome::Kind::Cancelled);
}

TEST(Derivation, ACastAsksForOneRelayoutAndItsUseForAnother) {
  const auto kernel = parseKernel(
      "%x = llvm.mlir.undef : vector<64xbf16>\n%c = mosaic_gpu.layout_cast %x {new_layout = WGMMA_ROW} : "
      "vector<64xbf16>");
  ASSERT_TRUE(kernel);
  const auto derived = deriveConstraints(*kernel);
  ASSERT_TRUE(derived);
  std::vector<LayoutConstraint> relayouts;
  for (const KernelConstraint& one : derived->constraints)
    if (std::holds_alternative<Relayout>(one.constraint.relation)) relayouts.push_back(one.constraint);
  EXPECT_TRUE(says(relayouts, {relayout(VariableId{1}, VariableId{2}, 16, false),
                               relayout(VariableId{0}, VariableId{1}, 16, true)}));
}

TEST(Derivation, OnlyRegistersAreRelaidOut) {
  for (const auto [type, count] :
       {std::pair("vector<128xf32>", 1), {"memref<128xf32, tmem>", 0}, {"memref<128xf32, smem>", 0}}) {
    const auto kernel = parseKernel(std::string("%x = llvm.mlir.undef : ") + type +
                                    "\n%y = builtin.unrealized_conversion_cast %x : " + type);
    ASSERT_TRUE(kernel);
    const auto derived = deriveConstraints(*kernel);
    ASSERT_TRUE(derived);
    EXPECT_EQ(derived->constraints.size(), static_cast<size_t>(count)) << type;
  }
}

}  // namespace
}  // namespace hilo::inference
