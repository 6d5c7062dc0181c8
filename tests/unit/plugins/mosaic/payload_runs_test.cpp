// Code of the kernels in tests/data/mosaic/payloads: those of sm_90 run on the simulated GPU, and nothing is
// found; those of sm_100 become PTX alone; those that were lowered to operations of threads are refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "core/compiler/toolchain/assemble_ptx.h"
#include "core/workspace/kernels/found_kernels.h"
#include "core/workspace/kernels/inferred_kernel.h"
#include "core/workspace/kernels/warpgroup_run.h"

namespace hilo {
namespace {

using testing::HasSubstr;

Result<InferredKernel> inferred(const std::string& name) {
  TRY(const auto found, findKernels("tests/data/mosaic/payloads/" + name + ".hlo"));
  if (found.size() != 1) return fail("test", "no kernel");
  return inferPayload(found[0].bytes, found[0].path());
}

std::vector<std::string> namesOf(const std::function<bool(const std::string&)>& isWanted) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator("tests/data/mosaic/payloads"))
    if (const std::string name = entry.path().stem().string(); isWanted(name)) names.push_back(name);
  std::ranges::sort(names);
  return names;
}

bool isLowered(const std::string& name) { return name.starts_with("lowered_version"); }
bool isOfBlackwell(const std::string& name) { return name.starts_with("tensor_cores"); }

// Where ptxas is not there, only that there is PTX.
void expectAssembled(const InferredKernel& kernel, const std::string& gpu) {
  const auto ptx = kernelPtx(kernel.kernel, kernel.layouts, gpu);
  ASSERT_TRUE(ptx) << toString(ptx.error());
  const Tool ptxas = findTool(ToolId::Ptxas, toolSearchHere());
  if (!ptxas.isUsable()) return;
  const auto made = assemblePtx(ptxas, *ptx, gpu);
  EXPECT_TRUE(made) << toString(made.error());
}

TEST(PayloadRuns, KernelsOfHopperRunAndNothingIsFound) {
  const auto names =
      namesOf([](const std::string& name) { return !isLowered(name) && !isOfBlackwell(name); });
  EXPECT_EQ(names.size(), 26u);
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    const auto kernel = inferred(name);
    ASSERT_TRUE(kernel) << toString(kernel.error());
    const auto made = runMadeUp(kernel->kernel, kernel->layouts, 1, true);
    ASSERT_TRUE(made) << toString(made.error());
    for (const Diagnostic& finding : made->run.findings)
      EXPECT_EQ(finding.severity, Severity::kNote) << toString(finding);
    expectAssembled(*kernel, "sm_90a");
  }
}

TEST(PayloadRuns, KernelsOfBlackwellAreCompiledAlone) {
  const auto names = namesOf(isOfBlackwell);
  EXPECT_EQ(names.size(), 3u);
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    const auto kernel = inferred(name);
    ASSERT_TRUE(kernel) << toString(kernel.error());
    expectAssembled(*kernel, "sm_100a");
    const auto run = runMadeUp(kernel->kernel, kernel->layouts, 1, true);
    ASSERT_FALSE(run);
    EXPECT_EQ(run.error().kind, "kernel-run");
    EXPECT_THAT(run.error().message, HasSubstr("mosaic_gpu.tmem_alloc is of sm_100a"));
  }
}

TEST(PayloadRuns, LoweredKernelsAreRefused) {
  const auto names = namesOf(isLowered);
  EXPECT_EQ(names.size(), 4u);
  for (const std::string& name : names) EXPECT_FALSE(inferred(name)) << name;
}

}  // namespace
}  // namespace hilo
