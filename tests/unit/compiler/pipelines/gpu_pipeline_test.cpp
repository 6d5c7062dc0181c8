#include "core/compiler/pipelines/gpu_pipeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/compiler/pass/pass_runner.h"
#include "core/compiler/passes/table/all_passes.h"
#include "core/compiler/passes/table/xla_passes.h"
#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

Pipeline pipelineWith(std::string_view flags, std::string_view capability = "9.0", int64_t partitions = 1) {
  GpuCompile compile = defaultGpuCompile();
  compile.flags = *XlaFlags::parse(flags);
  compile.device.computeCapability = capability;
  compile.partitions = partitions;
  return gpuPipeline(compile);
}

size_t timesOf(const Pipeline& pipeline, std::string_view pass) {
  return static_cast<size_t>(std::ranges::count(pipeline.passes, pass, &ConfiguredPass::name));
}

TEST(XlaPasses, TheTableIsSortedAndNamesPassesThereAre) {
  EXPECT_TRUE(std::ranges::is_sorted(xlaPasses(), {}, &XlaPass::name));
  for (const XlaPass& pass : xlaPasses()) {
    EXPECT_TRUE(pass.ours.empty() || findPass(pass.ours) != nullptr) << pass.name;
    EXPECT_TRUE(pass.rank >= 'A' && pass.rank <= 'C') << pass.name;
  }
}

TEST(GpuPipeline, StepsGoByXlasNames) {
  const Pipeline pipeline = pipelineWith("");
  EXPECT_GT(timesOf(pipeline, "algsimp"), 5u);
  EXPECT_EQ(timesOf(pipeline, "algebraic-simplifier"), 0u);
  EXPECT_EQ(pipeline.phases.front().name, "annotate-host-compute");
  EXPECT_EQ(pipeline.phaseOf(pipeline.passes.size() - 1), "post-scheduling-passes");
}

TEST(GpuPipeline, PartitionsTargetAndFlagsChooseSteps) {
  EXPECT_EQ(timesOf(pipelineWith(""), "spmd-partitioning"), 0u);
  EXPECT_EQ(timesOf(pipelineWith("", "9.0", 4), "spmd-partitioning"), 1u);
  EXPECT_EQ(timesOf(pipelineWith("", "9.0", 4), "sharding-remover"), 0u);
  EXPECT_EQ(timesOf(pipelineWith("", "9.0"), "triton-gemm-rewriter"), 1u);
  EXPECT_EQ(timesOf(pipelineWith("", "7.0"), "triton-gemm-rewriter"), 0u);
  EXPECT_EQ(timesOf(pipelineWith("--xla_gpu_enable_triton_gemm=false"), "triton-gemm-rewriter"), 0u);
}

TEST(GpuPipeline, TheMonthOfXlaChoosesWhatItHadThen) {
  const auto of = [](std::string_view month, std::string_view flags = "") {
    GpuCompile compile = defaultGpuCompile();
    compile.flags = *XlaFlags::parse(flags);
    compile.date = *XlaDate::parse(month);
    return gpuPipeline(compile);
  };
  const auto gemms = [](const Pipeline& pipeline) {
    const auto& passes = pipeline.passes;
    return passText(
        *std::ranges::find(passes.rbegin(), passes.rend(), "cublas-gemm-rewriter", &ConfiguredPass::name));
  };
  EXPECT_EQ(timesOf(of("2025-04"), "horizontal_loop_fusion"), 1u);
  EXPECT_EQ(timesOf(of("2025-10"), "horizontal_loop_fusion"), 0u);
  EXPECT_EQ(
      timesOf(of("2025-04", "--xla_disable_hlo_passes=horizontal_loop_fusion"), "horizontal_loop_fusion"),
      0u);
  EXPECT_NE(gemms(of("2026-03")).find("cublaslt=false"), std::string::npos);
  EXPECT_EQ(gemms(of("2026-03", "--xla_gpu_enable_cublaslt=true")).find("cublaslt=false"), std::string::npos);
  EXPECT_EQ(gemms(of("2026-08")).find("cublaslt=false"), std::string::npos);
  const std::string_view slices = "dynamic-slice-fusion-rewriter-v2";
  EXPECT_EQ(timesOf(of("2026-07"), slices), 0u);
  EXPECT_EQ(timesOf(of("2026-07", "--xla_gpu_enable_dynamic_slice_fusion=true"), slices), 1u);
  EXPECT_EQ(timesOf(of("2026-08"), slices), 1u);
  for (const char* bad : {"", "2025", "2025-13", "2023-01", "2025-1x", "-2025-01"})
    EXPECT_EQ(XlaDate::parse(bad).error().kind, "bad-date") << bad;
}

TEST(GpuPipeline, FlagsCallALayoutAssignmentByXlasName) {
  EXPECT_EQ(timesOf(pipelineWith(""), "gpu-layout-assignment"), 1u);
  EXPECT_EQ(timesOf(pipelineWith("--xla_disable_hlo_passes=layout-assignment"), "gpu-layout-assignment"), 0u);
}

TEST(GpuPipeline, FlagsSetPasses) {
  const Pipeline pipeline = pipelineWith("--xla_gpu_all_reduce_combine_threshold_bytes=7");
  const auto combiner = std::ranges::find(pipeline.passes, "gpu-all-reduce-combiner", &ConfiguredPass::name);
  ASSERT_NE(combiner, pipeline.passes.end());
  EXPECT_EQ(passText(*combiner),
            "gpu-all-reduce-combiner{combine_threshold_in_bytes=7,combine_threshold_count=2048}");
}

TEST(GpuPipeline, PassesAndPipelinesAreDisabledByName) {
  EXPECT_EQ(timesOf(pipelineWith("--xla_disable_hlo_passes=algsimp"), "algsimp"), 0u);
  const Pipeline unfused = pipelineWith("--xla_disable_hlo_passes=fusion");
  EXPECT_EQ(timesOf(unfused, "priority-fusion"), 0u);
  EXPECT_EQ(timesOf(unfused, "fusion-wrapper"), timesOf(pipelineWith(""), "fusion-wrapper"));
  EXPECT_EQ(timesOf(pipelineWith("--xla_disable_hlo_passes=simplification"), "simplify-sorts"), 0u);
  const Pipeline only = pipelineWith("--xla_enable_hlo_passes_only=cse,dce");
  EXPECT_EQ(only.passes.size(), timesOf(only, "cse") + timesOf(only, "dce"));
  EXPECT_TRUE(pipelineWith("--xla_disable_all_hlo_passes").passes.empty());
}

TEST(GpuPipeline, WhatIsNotThereIsAStepThatSaysSo) {
  const Pipeline pipeline = pipelineWith("");
  const auto absent = absentPasses(pipeline);
  ASSERT_FALSE(absent.empty());
  auto module = parseModuleStrictly("HloModule m\nENTRY e { ROOT x = f32[] parameter(0) }");
  ASSERT_TRUE(module.has_value());
  const PassRun run = runPasses(*std::move(module), pipeline.passes, {.fixpoints = pipeline.fixpoints});
  EXPECT_TRUE(run.completed());
  for (const std::string_view name : absent) {
    const auto step = std::ranges::find(run.steps, name, &PassStep::pass);
    ASSERT_NE(step, run.steps.end()) << name;
    EXPECT_EQ(step->outcome, PassOutcome::Absent) << name;
  }
}

TEST(PassRunner, AFixpointRunsUntilARoundChangesNothing) {
  // Each round of dce uncovers nothing; tuple-simplifier makes work for it once.
  auto module = parseModuleStrictly(
      "HloModule m\nENTRY e { x = f32[] parameter(0) t = (f32[]) tuple(x) ROOT y = f32[] "
      "get-tuple-element(t), index=0 }");
  ASSERT_TRUE(module.has_value());
  const std::vector<ConfiguredPass> passes = {findPass("dce"), findPass("tuple-simplifier"), findPass("cse")};
  const PassRun run = runPasses(*std::move(module), passes, {.fixpoints = {{"loop", 0, 2}}});
  std::vector<std::pair<std::string, int>> steps;
  for (const PassStep& step : run.steps) steps.emplace_back(step.pass, step.round);
  using Pairs = std::vector<std::pair<std::string, int>>;
  EXPECT_EQ(steps, (Pairs{{"dce", 1},
                          {"tuple-simplifier", 1},
                          {"dce", 2},
                          {"tuple-simplifier", 2},
                          {"dce", 3},
                          {"tuple-simplifier", 3},
                          {"cse", 1}}));
}

}  // namespace
}  // namespace hilo
