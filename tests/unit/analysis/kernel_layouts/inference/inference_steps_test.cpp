// Which rule set which layout, step by step, and the constraints that a conflict names.
#include "core/analysis/kernel_layouts/inference/inference_steps.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/analysis/kernel_layouts/inference/kernel_text.h"

namespace hilo::inference {
namespace {

using Kind = InferenceStep::Kind;

struct Solved {
  KernelDescription kernel;
  KernelLayouts layouts;
  std::vector<ListedStep> steps;
};
Solved solved(std::string_view text) {
  Solved all{*parseKernel(text), {}, {}};
  all.layouts = *inferLayouts(all.kernel, {.fuel = kUsualFuel, .cancel = {}, .steps = 1000});
  all.steps = listedSteps(all.kernel, all.layouts);
  return all;
}

TEST(InferenceSteps, EachLayoutIsSetOnceByARuleOfAnOperation) {
  const Solved all = solved(
      "%x = llvm.mlir.undef : vector<64x64xbf16> @3\n"
      "%c = mosaic_gpu.layout_cast %x {new_layout = WGMMA} : vector<64x64xbf16> @5\n"
      "%y = arith.addf %c, %c : vector<64x64xbf16> @9\n");
  ASSERT_TRUE(all.layouts.isFound());
  size_t set = 0;
  for (size_t i = 0; i < all.steps.size(); ++i) {
    EXPECT_EQ(all.steps[i].number, i + 1);
    // Nothing is taken back here, so what is tried stays.
    if (all.steps[i].kind != Kind::Set && all.steps[i].kind != Kind::Try) continue;
    ++set;
    EXPECT_EQ(all.steps[i].layout, "WGMMA");
    ASSERT_EQ(all.steps[i].constraints.size(), 1u);
  }
  EXPECT_EQ(set, all.layouts.outcome.layouts.size());
  const auto first = std::ranges::find(all.steps, Kind::Set, &ListedStep::kind);
  ASSERT_NE(first, all.steps.end());
  EXPECT_EQ(first->constraints[0].rule, "layoutCast");
  EXPECT_EQ(first->constraints[0].opcode, "mosaic_gpu.layout_cast");
  EXPECT_EQ(first->constraints[0].line, 5u);
  EXPECT_TRUE(first->variable.contains("layout_cast")) << first->variable;
  EXPECT_TRUE(std::ranges::any_of(all.steps, [](const ListedStep& step) {
    return step.kind == Kind::Set && step.constraints[0].rule == "relayout";
  }));
}

TEST(InferenceSteps, AConflictNamesItsConstraints) {
  const Solved all = solved(
      "%x = llvm.mlir.undef : vector<128x64xbf16>\n"
      "%a = mosaic_gpu.layout_cast %x {new_layout = WGMMA} : vector<128x64xbf16>\n"
      "%b = mosaic_gpu.layout_cast %x {new_layout = TCGEN05} : vector<128x64xbf16>\n"
      "%y = arith.addf %a, %b : vector<128x64xbf16>\n");
  ASSERT_FALSE(all.layouts.isFound());
  const auto conflict = std::ranges::find(all.steps, Kind::Conflict, &ListedStep::kind);
  ASSERT_NE(conflict, all.steps.end());
  EXPECT_FALSE(conflict->constraints.empty());
  for (const NamedConstraint& one : conflict->constraints) {
    EXPECT_FALSE(one.rule.empty());
    EXPECT_GT(one.line, 0u);
    EXPECT_TRUE(toString(one).contains(one.opcode));
  }
}

TEST(InferenceSteps, EveryRuleHasAName) {
  for (const NamedLayoutRule& rule : layoutRules()) {
    EXPECT_FALSE(rule.name.empty()) << rule.opcode;
    EXPECT_FALSE(rule.name.ends_with("Rule")) << rule.name;
  }
}

}  // namespace
}  // namespace hilo::inference
