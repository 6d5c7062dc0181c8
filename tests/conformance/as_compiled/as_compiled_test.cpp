// Modules as XLA:GPU compiled them, run on the simulated device in check mode: each as a whole, and each
// kernel on the values that it gets, are what the evaluator says, and no fault is found.
#include <gtest/gtest.h>

#include "core/runtime/program/program.h"
#include "core/workspace/compiled/compiled_by_xla.h"
#include "core/workspace/path/open_path.h"
#include "core/workspace/run/runs.h"
#include "tests/conformance/corpus_files.h"

namespace hilo {
namespace {

class AsCompiled : public testing::Test {
 protected:
  void SetUp() override {
    const char* corpus = std::getenv("HILO_CORPUS");
    const std::filesystem::path folder =
        corpus == nullptr ? std::filesystem::path() : std::filesystem::path(corpus) / "xla_gpu_ptx";
    if (corpus == nullptr || !std::filesystem::exists(folder))
      GTEST_SKIP() << "HILO_CORPUS has no xla_gpu_ptx";
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.is_directory()) dumps.push_back(entry.path());
    }
    std::ranges::sort(dumps);
  }
  std::vector<std::filesystem::path> dumps;
};

// The worst of what the two gave.
void expectAgreement(const CompiledByXla& compiled) {
  const JobContext context;
  const auto arguments = settleArguments(*compiled.module, {.seed = 7}, context);
  ASSERT_TRUE(arguments) << toString(arguments.error());
  const std::vector<RunRequest> requests = {
      {.module = compiled.module, .engine = "reference", .arguments = *arguments},
      {.program = compiled.program,
       .engine = "cuda-sim",
       .arguments = *arguments,
       .checks = {.isChecked = true}}};
  auto runs = executeInTurns(requests, context);
  ASSERT_TRUE(runs) << toString(runs.error());
  for (const Diagnostic& finding : (*runs)[1].findings)
    EXPECT_EQ(finding.severity, Severity::kNote) << toString(finding);
  const RunComparison comparison = compareRuns(std::move((*runs)[0]), std::move((*runs)[1]));
  EXPECT_TRUE(comparison.comparable) << comparison.notComparable;
  EXPECT_NE(comparison.verdict, Verdict::Differs);
  EXPECT_FALSE(comparison.hasNaNsAlone);
}

TEST_F(AsCompiled, ModulesGiveWhatTheEvaluatorDoes) {
  size_t modules = 0;
  for (const auto& path : dumps) {
    const auto dump = openDump(path.string());
    ASSERT_TRUE(dump) << toString(dump.error());
    for (size_t m = 0; m < (*dump)->modules.size(); ++m, ++modules) {
      SCOPED_TRACE((*dump)->modules[m].name);
      const auto compiled = compiledByXla(**dump, m, {.seed = 7});
      ASSERT_TRUE(compiled) << toString(compiled.error());
      expectAgreement(*compiled);
    }
  }
  EXPECT_GT(modules, 0u);
  printRows(modules);
}

// Every instruction that the whole program runs a kernel for.
TEST_F(AsCompiled, KernelsGiveWhatTheEvaluatorDoesOfTheirFusion) {
  size_t kernels = 0;
  for (const auto& path : dumps) {
    const auto dump = openDump(path.string());
    ASSERT_TRUE(dump) << toString(dump.error());
    for (size_t m = 0; m < (*dump)->modules.size(); ++m) {
      const auto whole = compiledByXla(**dump, m);
      ASSERT_TRUE(whole) << toString(whole.error());
      for (const Kernel& kernel : whole->program->kernels) {
        SCOPED_TRACE((*dump)->modules[m].name + " " + kernel.name);
        const auto alone = compiledByXla(**dump, m, {.instruction = kernel.name});
        ASSERT_TRUE(alone) << toString(alone.error());
        expectAgreement(*alone);
        ++kernels;
      }
    }
  }
  EXPECT_GT(kernels, 0u);
  printRows(kernels);
}

}  // namespace
}  // namespace hilo
