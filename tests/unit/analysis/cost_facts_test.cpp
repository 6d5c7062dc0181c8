#include "core/analysis/cost_facts.h"

#include <gtest/gtest.h>

#include "core/analysis/contraction_cost.h"
#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

std::unique_ptr<Module> parsed(std::string text) {
  auto module = parseModuleStrictly(std::move(text));
  EXPECT_TRUE(module) << toString(module.error());
  return module ? std::move(*module) : nullptr;
}

CostFacts costOf(const Module& module, std::string_view name) {
  const Instruction* instruction = module.findInstruction(name);
  EXPECT_NE(instruction, nullptr) << name;
  return ModuleCost(module).of(*instruction);
}

TEST(CostFacts, ElementwiseAndContractions) {
  const auto m = parsed(R"(HloModule m
ENTRY e {
  a = f32[2,8,4] parameter(0)
  b = f32[2,4,16] parameter(1)
  d = f32[2,8,16] dot(a, b), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}
  t = f32[2,8,16] tanh(d)
  ROOT s = f32[2,8,16] add(d, t)
})");
  EXPECT_EQ(costOf(*m, "d").flops, 2 * 2 * 8 * 16 * 4);
  EXPECT_EQ(costOf(*m, "d").bytesAccessed, 4 * (2 * 8 * 4 + 2 * 4 * 16 + 2 * 8 * 16));
  EXPECT_EQ(costOf(*m, "t").flops, 0);
  EXPECT_EQ(costOf(*m, "t").transcendentals, 256);
  EXPECT_EQ(costOf(*m, "s").flops, 256);
  EXPECT_EQ(costOf(*m, "a").bytesAccessed, 0);
  EXPECT_EQ(costOf(*m, "s").outputBytes, 1024);
  EXPECT_EQ(ModuleCost(*m).total().flops, 2048 + 256);
}

TEST(CostFacts, CallsOfLibrariesCountWhatTheyDo) {
  const auto m = parsed(R"(HloModule m
ENTRY e {
  a = f32[8,4] parameter(0)
  b = f32[4,16] parameter(1)
  g = (f32[8,16], s8[1024]) custom-call(a, b), custom_call_target="__cublas$gemm", backend_config={"gemm_backend_config":{"alpha_real":1,"alpha_imag":0,"beta":0,"dot_dimension_numbers":{"lhs_contracting_dimensions":["1"],"rhs_contracting_dimensions":["0"],"lhs_batch_dimensions":[],"rhs_batch_dimensions":[]},"epilogue":"DEFAULT"}}
  u = f32[8,4] custom-call(a), custom_call_target="nobody_knows"
  r = f32[8,16] get-tuple-element(g), index=0
  ROOT t = (f32[8,16], f32[8,4]) tuple(r, u)
})");
  EXPECT_EQ(costOf(*m, "g").flops, 2 * 8 * 16 * 4);
  EXPECT_FALSE(costOf(*m, "g").flopsUnknown);
  EXPECT_TRUE(costOf(*m, "u").flopsUnknown);
}

TEST(CostFacts, ReductionsApplyTheirComputation) {
  const auto m = parsed(R"(HloModule m
mean {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  s = f32[] add(x, y)
  h = f32[] constant(0.5)
  ROOT r = f32[] multiply(s, h)
}
ENTRY e {
  a = f32[10,6] parameter(0)
  z = f32[] constant(0)
  r1 = f32[6] reduce(a, z), dimensions={0}, to_apply=mean
  w = f32[9,6] reduce-window(a, z), window={size=2x1}, to_apply=mean
  ROOT t = (f32[6], f32[9,6]) tuple(r1, w)
})");
  EXPECT_EQ(costOf(*m, "r1").flops, 2 * (60 - 6));
  EXPECT_EQ(costOf(*m, "w").flops, 2 * 54 * (2 - 1));
  EXPECT_EQ(costOf(*m, "t").bytesAccessed, 16);
}

TEST(CostFacts, SlicesTouchWhatTheyMove) {
  const auto m = parsed(R"(HloModule m
ENTRY e {
  a = f32[100,8] parameter(0)
  i = s32[] parameter(1)
  u = f32[2,8] parameter(2)
  z = s32[] constant(0)
  s = f32[5,8] slice(a), slice={[0:5], [0:8]}
  ds = f32[3,8] dynamic-slice(a, i, z), dynamic_slice_sizes={3,8}
  ROOT dus = f32[100,8] dynamic-update-slice(a, u, i, z)
})");
  EXPECT_EQ(costOf(*m, "s").bytesAccessed, 2 * 5 * 8 * 4);
  EXPECT_EQ(costOf(*m, "ds").bytesAccessed, 2 * 3 * 8 * 4 + 4);
  EXPECT_EQ(costOf(*m, "dus").bytesAccessed, 2 * 2 * 8 * 4 + 4);
}

TEST(CostFacts, FusionIsItsBodysWorkAndItsEdgesBytes) {
  const auto m = parsed(R"(HloModule m
f {
  p0 = f32[100,8] parameter(0)
  p1 = f32[5,8] parameter(1)
  s = f32[5,8] slice(p0), slice={[0:5], [0:8]}
  a = f32[5,8] add(s, p1)
  ROOT m = f32[5,8] multiply(a, p1)
}
ENTRY e {
  x = f32[100,8] parameter(0)
  y = f32[5,8] parameter(1)
  ROOT fusion = f32[5,8] fusion(x, y), kind=kLoop, calls=f
})");
  const CostFacts facts = costOf(*m, "fusion");
  EXPECT_EQ(facts.flops, 2 * 40);
  // The slice of x, y once, and the output: 40 floats each.
  EXPECT_EQ(facts.bytesAccessed, 3 * 40 * 4);
}

TEST(CostFacts, LoopsCountTheirKnownTrips) {
  const std::string text = R"(HloModule m
body {
  p = (s32[], f32[4]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  v = f32[4] get-tuple-element(p), index=1
  w = f32[4] multiply(v, v)
  ROOT t = (s32[], f32[4]) tuple(next, w)
}
cond {
  p = (s32[], f32[4]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(7)
  ROOT lt = pred[] compare(i, n), direction=LT
}
ENTRY e {
  init = (s32[], f32[4]) parameter(0)
  ROOT loop = (s32[], f32[4]) while(init), condition=cond, body=bodyCONFIG
})";
  const auto with = [&](std::string config) {
    std::string t = text;
    t.replace(t.find("CONFIG"), 6, config);
    return parsed(t);
  };
  // Each trip: add, 4 multiplies, compare.
  const auto known = with(R"(, backend_config={"known_trip_count":{"n":"7"}})");
  EXPECT_EQ(costOf(*known, "loop").flops, 7 * 6);
  EXPECT_FALSE(costOf(*known, "loop").tripCountUnknown);
  const auto unknown = with("");
  EXPECT_EQ(costOf(*unknown, "loop").flops, 6);
  EXPECT_TRUE(costOf(*unknown, "loop").tripCountUnknown);
  EXPECT_TRUE(ModuleCost(*unknown).total().tripCountUnknown);
}

TEST(CostFacts, HugeShapesSaturate) {
  const auto m = parsed(R"(HloModule m
ENTRY e {
  a = f32[1099511627776,1048576] parameter(0)
  ROOT n = f32[1099511627776,1048576] negate(a)
})");
  EXPECT_EQ(costOf(*m, "n").bytesAccessed, std::numeric_limits<int64_t>::max());
}

// Counts pairs by walking both ranges, as the definition reads.
int64_t countedPositions(const WindowDimension& w, int64_t input, int64_t kernel, int64_t output) {
  int64_t count = 0;
  for (int64_t k = 0; k < kernel; ++k) {
    for (int64_t o = 0; o < output; ++o) {
      const int64_t at = o * w.stride - w.paddingLow + k * w.windowDilation;
      if (at >= 0 && at % w.baseDilation == 0 && at / w.baseDilation < input) ++count;
    }
  }
  return count;
}

TEST(ConvolutionCost, CountsPositionsThatMeetTheInput) {
  for (int64_t stride = 1; stride <= 4; ++stride) {
    for (int64_t dilation = 1; dilation <= 3; ++dilation) {
      for (int64_t base = 1; base <= 6; ++base) {
        for (int64_t low = -2; low <= 3; ++low) {
          const WindowDimension w{.size = 3,
                                  .stride = stride,
                                  .paddingLow = low,
                                  .paddingHigh = 2,
                                  .windowDilation = dilation,
                                  .baseDilation = base};
          ASSERT_EQ(validWindowPositions(w, 7, 3, 5), countedPositions(w, 7, 3, 5))
              << stride << " " << dilation << " " << base << " " << low;
        }
      }
    }
  }
}

TEST(ConvolutionCost, PlainTwoDimensional) {
  const auto m = parsed(R"(HloModule m
ENTRY e {
  x = f32[8,32,32,3] parameter(0)
  k = f32[3,3,3,16] parameter(1)
  ROOT c = f32[8,30,30,16] convolution(x, k), window={size=3x3}, dim_labels=b01f_01io->b01f
})");
  EXPECT_EQ(costOf(*m, "c").flops, int64_t{2} * 8 * 30 * 30 * 16 * 3 * 3 * 3);
}

}  // namespace
}  // namespace hilo
