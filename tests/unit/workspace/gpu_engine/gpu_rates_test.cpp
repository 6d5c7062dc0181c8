// Rates of GPUs, and what compiling for one keeps.
#include "core/workspace/run/gpu_rates.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "core/compiler/passes/table/pass_list.h"
#include "core/workspace/run/gpu_assembly.h"
#include "core/workspace/run/gpu_compile.h"
#include "tests/support/module_text.h"

namespace hilo {
namespace {

TEST(GpuRatesOf, ArchitecturesAreThoseOfTheirGreatest) {
  EXPECT_EQ(ratesOf(*findGpuTarget("sm_80")).memoryBandwidthGbps, 2039);
  EXPECT_EQ(ratesOf(*findGpuTarget("sm_90a")).coreCount, 132);
  // Between two the one before.
  EXPECT_EQ(ratesOf(*findGpuTarget("sm_103a")).f32Gflops, ratesOf(*findGpuTarget("sm_100")).f32Gflops);
}

TEST(GpuRatesOf, AGpuAreAsItsDriverSays) {
  // Half an A100: a bus of 2,560 bits at 1.215 GHz, twice a clock.
  const GpuRates rates = ratesOf({.processors = 54,
                                  .capabilityMajor = 8,
                                  .capabilityMinor = 0,
                                  .clockKilohertz = 1410000,
                                  .memoryClockKilohertz = 1215000,
                                  .memoryBusBits = 2560});
  EXPECT_EQ(rates.coreCount, 54);
  EXPECT_EQ(rates.clockMhz, 1410);
  EXPECT_EQ(rates.memoryBandwidthGbps, 777);
  EXPECT_EQ(rates.f32Gflops, 9745);
  // A driver that says nothing of clocks.
  EXPECT_EQ(ratesOf({.capabilityMajor = 8, .capabilityMinor = 0}).memoryBandwidthGbps, 2039);
}

TEST(GpuRatesOf, ThePipelineHasTheirPass) {
  const auto passes = parsePassList(passesWithRates(ratesOf(*findGpuTarget("sm_75"))));
  ASSERT_TRUE(passes) << toString(passes.error());
  ASSERT_EQ(passes->size(), 1u);
  EXPECT_EQ(passes->front().settings.size(), 4u);
}

constexpr const char* kModule = R"(p = f32[64,96] parameter(0)
  q = f32[64,96] parameter(1)
  ROOT s = f32[64,96] add(p, q))";

class GpuCompileCache : public testing::Test {
 protected:
  GpuCompileCache() {
    std::filesystem::remove_all(folder_);
    ::setenv("HILO_KERNEL_CACHE", folder_.c_str(), 1);
  }
  ~GpuCompileCache() override {
    ::unsetenv("HILO_KERNEL_CACHE");
    std::filesystem::remove_all(folder_);
  }
  const std::string folder_ = testing::TempDir() + "gpu_compile_cache";
};

TEST_F(GpuCompileCache, PtxAndCubinsAreMadeOnce) {
  const auto first = compileForGpu(moduleWithReducers(kModule), *gpuTarget("sm_80"), {});
  const auto second = compileForGpu(moduleWithReducers(kModule), *gpuTarget("sm_80"), {});
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->counts.fromCache, 0u);
  EXPECT_EQ(second->counts.fromCache, 1u);
  const auto made = assembleKernels(first->program, folder_);
  if (!made && made.error().kind == "no-assembler") GTEST_SKIP() << made.error().message;
  ASSERT_TRUE(made) << toString(made.error());
  const auto again = assembleKernels(second->program, folder_);
  ASSERT_TRUE(again);
  ASSERT_EQ(again->size(), 1u);
  EXPECT_FALSE(made->front().isFromCache);
  EXPECT_TRUE(again->front().isFromCache);
  EXPECT_EQ(again->front().made.cubin, made->front().made.cubin);
  EXPECT_EQ(again->front().made.kernels, made->front().made.kernels);
  EXPECT_EQ(toText(*again), toText(*made));
}

}  // namespace
}  // namespace hilo
