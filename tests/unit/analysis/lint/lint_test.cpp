// Each lint finds what it is for, at its instruction, and nothing in the module next to it that is sound.
#include "core/analysis/lint/lint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// "kind instruction" of each finding.
std::vector<std::string> found(const std::string& text, std::string* message = nullptr) {
  const ParseResult parsed = parseModule(text);
  EXPECT_TRUE(parsed.module != nullptr) << text;
  std::vector<std::string> names;
  for (const LintFinding& finding : lint(*parsed.module)) {
    names.push_back(std::string(finding.kind) + " " + std::string(finding.instruction->name()));
    if (message != nullptr) *message = finding.message;
    EXPECT_FALSE(finding.message.empty());
    EXPECT_FALSE(finding.notes.empty());
  }
  return names;
}

std::string reduceBy(const std::string& body) {
  return "HloModule m\nf {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n" + body +
         "}\nENTRY e {\n  a = f32[8] parameter(0)\n  z = f32[] constant(0)\n"
         "  ROOT r = f32[] reduce(a, z), dimensions={0}, to_apply=f\n}\n";
}

TEST(Lint, AReducerIsAskedInBothOrdersAndGroupings) {
  std::string message;
  EXPECT_TRUE(found(reduceBy("  ROOT s = f32[] add(x, y)\n")).empty());
  EXPECT_TRUE(found(reduceBy("  ROOT s = f32[] maximum(y, x)\n")).empty());
  EXPECT_THAT(found(reduceBy("  ROOT s = f32[] subtract(x, y)\n"), &message),
              ElementsAre("order-dependent-reducer r"));
  EXPECT_THAT(message, HasSubstr("f(2, 3) = -1 and f(3, 2) = 1"));
  // A mean of two: the last term counts most.
  EXPECT_THAT(
      found(reduceBy("  h = f32[] constant(0.5)\n  s = f32[] add(x, y)\n  ROOT m = f32[] multiply(s, h)\n")),
      ElementsAre("order-dependent-reducer r"));
  EXPECT_THAT(found(reduceBy("  ROOT c = f32[] copy(y)\n")), ElementsAre("order-dependent-reducer r"));
  // A sum of squares: right from left to right, wrong as soon as partial sums are added.
  EXPECT_THAT(found(reduceBy("  q = f32[] multiply(y, y)\n  ROOT s = f32[] add(x, q)\n"), &message),
              ElementsAre("order-dependent-reducer r"));
}

TEST(Lint, AnArgmaxIsSound) {
  EXPECT_TRUE(found(R"(HloModule m
f {
  v = f32[] parameter(0)
  i = s32[] parameter(1)
  w = f32[] parameter(2)
  j = s32[] parameter(3)
  g = pred[] compare(v, w), direction=GT
  same = pred[] compare(v, w), direction=EQ
  low = pred[] compare(i, j), direction=LT
  tie = pred[] and(same, low)
  left = pred[] or(g, tie)
  a = f32[] select(left, v, w)
  b = s32[] select(left, i, j)
  ROOT t = (f32[], s32[]) tuple(a, b)
}
ENTRY e {
  a = f32[8] parameter(0)
  n = s32[8] iota(), iota_dimension=0
  z = f32[] constant(-inf)
  o = s32[] constant(0)
  ROOT r = (f32[], s32[]) reduce(a, n, z, o), dimensions={0}, to_apply=f
}
)")
                  .empty());
}

std::string scatterBy(const std::string& body, const std::string& unique) {
  return "HloModule m\nf {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n" + body + R"(}
ENTRY e {
  a = f32[8] parameter(0)
  i = s32[3,1] parameter(1)
  u = f32[3] parameter(2)
  ROOT r = f32[8] scatter(a, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1)" +
         unique + ", to_apply=f\n}\n";
}

TEST(Lint, AScatterMaySubtractButNotChoose) {
  EXPECT_TRUE(found(scatterBy("  ROOT s = f32[] subtract(x, y)\n", "")).empty());
  EXPECT_THAT(found(scatterBy("  ROOT s = f32[] copy(y)\n", "")), ElementsAre("order-dependent-reducer r"));
  EXPECT_TRUE(found(scatterBy("  ROOT s = f32[] copy(y)\n", ", unique_indices=true")).empty());
}

TEST(Lint, ChannelsAreOfOneOperation) {
  const auto module = [](const std::string& channel) {
    return R"(HloModule m, num_partitions=4
add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y)
}
ENTRY e {
  a = f32[8] parameter(0)
  r = f32[8] all-reduce(a), channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true, to_apply=add
  s = f32[8] all-reduce(r), channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true, to_apply=add
  ROOT g = f32[32] all-gather(s), channel_id=)" +
           channel + ", replica_groups={{0,1,2,3}}, use_global_device_ids=true, dimensions={0}\n}\n";
  };
  EXPECT_TRUE(found(module("2")).empty());
  EXPECT_THAT(found(module("1")), ElementsAre("channel-shared g"));
}

TEST(Lint, CopiesOfParametersAndResultsForTheirLayout) {
  EXPECT_THAT(found(R"(HloModule m, entry_computation_layout={(f32[64,32]{1,0})->f32[64,32]{1,0}}
ENTRY e {
  p = f32[64,32]{1,0} parameter(0)
  c = f32[64,32]{0,1} copy(p)
  n = f32[64,32]{0,1} negate(c)
  same = f32[64,32]{0,1} copy(n)
  ROOT r = f32[64,32]{1,0} copy(same)
}
)"),
              ElementsAre("layout-copy c", "layout-copy r"));
}

TEST(Lint, WhatFoldingMakesLarge) {
  EXPECT_THAT(found(R"(HloModule m
ENTRY e {
  c = f32[4] constant({1, 2, 3, 4})
  z = f32[] constant(0)
  pad = f32[524288] pad(c, z), padding=0_524284
  n = f32[524288] negate(pad)
  p = f32[524288] parameter(0)
  i = f32[524288] iota(), iota_dimension=0
  j = f32[524288] add(i, p)
  k = f32[524288] broadcast(z), dimensions={}
  small = f32[4] negate(c)
  ROOT t = (f32[524288], f32[524288], f32[524288], f32[4]) tuple(n, j, k, small)
}
)"),
              ElementsAre("large-folded-constant n"));
}

TEST(Lint, AScheduledModuleThatOverwritesWhatIsStillRead) {
  const auto module = [](const std::string& attributes) {
    return "HloModule m" + attributes + R"(
ENTRY e {
  p = f32[8] parameter(0)
  u = f32[1] parameter(1)
  z = s32[] constant(0)
  n = f32[8] negate(p)
  d = f32[8] dynamic-update-slice(n, u, z)
  ROOT s = f32[8] add(n, d)
}
)";
  };
  EXPECT_THAT(found(module(", is_scheduled=true")), ElementsAre("value-overwritten n"));
  EXPECT_TRUE(found(module("")).empty());
}

TEST(Lint, OfManyTheFirstAreGivenAndTheRestCounted) {
  std::string text =
      "HloModule m\nadd {\n  x = f16[] parameter(0)\n  y = f16[] parameter(1)\n  ROOT s = f16[] add(x, "
      "y)\n}\n"
      "ENTRY e {\n  a = f16[8] parameter(0)\n  z = f16[] constant(0)\n";
  for (int i = 0; i < 5; ++i)
    text += "  r" + std::to_string(i) + " = f16[] reduce(a, z), dimensions={0}, to_apply=add\n";
  text += "  ROOT t = (f16[]) tuple(r4)\n}\n";
  const ParseResult parsed = parseModule(text);
  ASSERT_TRUE(parsed.module != nullptr);
  const LintFindings findings = lint(*parsed.module, 2);
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_THAT(findings[1].notes, testing::Contains("and 3 more of this kind"));
}

}  // namespace
}  // namespace hilo
