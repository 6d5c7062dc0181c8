#include "core/compiler/codegen/gpu/gpu_target.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/compiler/codegen/gpu/gpu_codegen.h"
#include "core/compiler/codegen/lower/compile_module.h"
#include "tests/support/module_text.h"

namespace hilo {
namespace {

TEST(GpuTargets, PlainCodeRunsOnWhatIsNewer) {
  const GpuTarget plain = *findGpuTarget("sm_80");
  EXPECT_TRUE(plain.runsOn(80));
  EXPECT_TRUE(plain.runsOn(121));
  EXPECT_FALSE(plain.runsOn(75));
}

TEST(GpuTargets, SuffixesBindToOneOrToAFamily) {
  const GpuTarget one = *findGpuTarget("sm_90a"), family = *findGpuTarget("sm_100f");
  EXPECT_TRUE(one.runsOn(90));
  EXPECT_FALSE(one.runsOn(100));
  EXPECT_TRUE(family.runsOn(103));
  EXPECT_FALSE(family.runsOn(120));
  EXPECT_FALSE(family.runsOn(90));
}

TEST(GpuTargets, AnUnknownNameIsToldWithThoseThereAre) {
  for (const char* name : {"sm_91", "sm_90f", "sm_", "sm_90aa", "90"}) {
    const auto found = findGpuTarget(name);
    ASSERT_FALSE(found) << name;
    EXPECT_EQ(found.error().kind, "unknown-gpu");
    EXPECT_NE(found.error().notes[0].find("sm_121f"), std::string::npos);
  }
}

TEST(GpuTargets, LlvmMakesCodeForEach) {
  const auto module = moduleWithReducers("p = f32[4] parameter(0)\nROOT r = f32[4] negate(p)");
  for (const GpuTarget& target : gpuTargets()) {
    const auto made =
        compileModule(*module, gpuCodegen(), {.target = *gpuTarget(target.name()), .threads = 1});
    ASSERT_TRUE(made) << target.name() << ": " << toString(made.error());
    const auto& code = made->program.objects[0].code;
    const std::string_view ptx(reinterpret_cast<const char*>(code.data()), code.size());
    EXPECT_TRUE(ptx.contains(".target " + target.name() + "\n")) << ptx;
    EXPECT_TRUE(ptx.contains(fmt::format(".version {}.{}\n", target.ptxIsa / 10, target.ptxIsa % 10))) << ptx;
  }
}

TEST(GpuTargets, TheNewestPtxFollowsFromTheRelease) {
  EXPECT_EQ(ptxIsaOfCuda(130), 90);
  EXPECT_EQ(ptxIsaOfCuda(126), 85);
  EXPECT_EQ(ptxIsaOfCuda(118), 78);
  EXPECT_EQ(ptxIsaOfCuda(92), std::nullopt);
}

}  // namespace
}  // namespace hilo
