#include "core/analysis/diff/kernel_diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

std::unique_ptr<Module> parsed(std::string text) {
  auto module = parseModuleStrictly(std::move(text));
  EXPECT_TRUE(module) << toString(module.error());
  return std::move(*module);
}

// Each takes one nanosecond more than the one before.
std::vector<TimedKernel> kernelsOf(const Module& module) {
  std::vector<TimedKernel> kernels;
  for (const Instruction* i : module.entry()->instructions()) {
    if (isKernel(*i)) kernels.push_back({i, static_cast<double>(kernels.size() + 1)});
  }
  return kernels;
}

KernelDifference onlyDifference(const char* before, const char* after) {
  const auto a = parsed(before), b = parsed(after);
  const KernelDiff diff = diffKernels(kernelsOf(*a), kernelsOf(*b));
  EXPECT_EQ(diff.differ.size(), 1u);
  return diff.differ.empty() ? KernelDifference::None : diff.differ[0].difference;
}

std::string fused(const char* kind) {
  return std::string(R"(HloModule m
f {
  p = f32[8,4] parameter(0)
  z = f32[8,4] negate(p)
  ROOT t = f32[4,8] transpose(z), dimensions={1,0}
}
ENTRY e {
  a = f32[8,4] parameter(0)
  ROOT x = f32[4,8] fusion(a), kind=)") +
         kind + ", calls=f\n}";
}

TEST(KernelDiff, NamesAndPlacesDoNotMatter) {
  const auto a = parsed(R"(HloModule m
ENTRY e {
  p = f32[8] parameter(0)
  n = f32[8] negate(p)
  ROOT c = f32[8] cosine(n)
})");
  const auto b = parsed(R"(HloModule other
ENTRY main {
  q = f32[8] parameter(0)
  x.7 = f32[8] cosine(q)
  ROOT y.2 = f32[8] negate(x.7)
})");
  const KernelDiff diff = diffKernels(kernelsOf(*a), kernelsOf(*b));
  EXPECT_EQ(diff.matched.size(), 2u);
  EXPECT_TRUE(diff.differ.empty());
  EXPECT_EQ(diff.matchedShare(), 1);
  EXPECT_EQ(diff.nsBefore, 3);
}

TEST(KernelDiff, AnotherKindOfFusionIsADifferenceOfKind) {
  EXPECT_EQ(onlyDifference(fused("kLoop").c_str(), fused("kInput").c_str()), KernelDifference::Kind);
  EXPECT_EQ(kernelTitle(*parsed(fused("kInput"))->entry()->root()), "fusion kInput transpose");
}

TEST(KernelDiff, LayoutsAloneStillMatch) {
  const auto a =
      parsed("HloModule m\nENTRY e {\n  p = f32[8,4]{1,0} parameter(0)\n  ROOT c = f32[8,4]{1,0} copy(p)\n}");
  const auto b =
      parsed("HloModule m\nENTRY e {\n  p = f32[8,4]{1,0} parameter(0)\n  ROOT c = f32[8,4]{0,1} copy(p)\n}");
  const KernelDiff diff = diffKernels(kernelsOf(*a), kernelsOf(*b));
  ASSERT_EQ(diff.matched.size(), 1u);
  EXPECT_EQ(diff.matched[0].difference, KernelDifference::Layout);
}

TEST(KernelDiff, ALibraryCallInThePlaceOfADot) {
  EXPECT_EQ(onlyDifference(R"(HloModule m
ENTRY e {
  a = f32[8,4] parameter(0)
  ROOT d = f32[8,8] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={1}
})",
                           R"(HloModule m
ENTRY e {
  a = f32[8,4] parameter(0)
  g = (f32[8,8], s8[16]) custom-call(a, a), custom_call_target="__cublas$gemm"
  ROOT d = f32[8,8] get-tuple-element(g), index=0
})"),
            KernelDifference::Library);
}

TEST(KernelDiff, WhatOneSideFusesIsNotLostOnTheOther) {
  const auto a = parsed(fused("kLoop"));
  const auto b = parsed(R"(HloModule m
ENTRY e {
  a = f32[8,4] parameter(0)
  z = f32[8,4] negate(a)
  s = f32[8,4] sine(a)
  ROOT t = (f32[8,4], f32[8,4]) tuple(z, s)
})");
  const KernelDiff diff = diffKernels(kernelsOf(*a), kernelsOf(*b));
  std::vector<std::string> found;
  for (const KernelPair& pair : diff.differ) {
    found.push_back(std::string(kernelDifferenceName(pair.difference)) + " " +
                    std::string((pair.after.instruction ? pair.after : pair.before).instruction->name()));
  }
  EXPECT_THAT(found, testing::UnorderedElementsAre("fused z", "only s", "only x"));
  EXPECT_EQ(diff.matchedShare(), 0);
}

}  // namespace
}  // namespace hilo
