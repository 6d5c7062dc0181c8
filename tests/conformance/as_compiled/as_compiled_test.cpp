// Modules as XLA:GPU compiled them, run on the simulated device: each as a whole, and each kernel on the values that
// it gets, are what the evaluator says.
#include <gtest/gtest.h>

#include "core/workspace/compiled/compiled_by_xla.h"
#include "core/workspace/path/open_path.h"
#include "core/workspace/run/engines.h"
#include "core/workspace/run/runs.h"
#include "core/workspace/values/instruction_values.h"
#include "tests/conformance/corpus_files.h"

namespace hilo {
namespace {

class AsCompiled : public testing::Test {
 protected:
  void SetUp() override {
    const char* corpus = std::getenv("HILO_CORPUS");
    const std::filesystem::path folder =
        corpus == nullptr ? std::filesystem::path() : std::filesystem::path(corpus) / "xla_gpu_ptx";
    if (corpus == nullptr || !std::filesystem::exists(folder)) GTEST_SKIP() << "HILO_CORPUS has no xla_gpu_ptx";
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.is_directory()) dumps.push_back(entry.path());
    }
    std::ranges::sort(dumps);
  }
  std::vector<std::filesystem::path> dumps;
};

// What the whole module gives, and whether the checks of accesses and streams find anything.
TEST_F(AsCompiled, ModulesGiveWhatTheEvaluatorDoes) {
  size_t modules = 0, kernels = 0;
  for (const auto& path : dumps) {
    const auto dump = openDump(path.string());
    ASSERT_TRUE(dump) << toString(dump.error());
    for (size_t m = 0; m < (*dump)->modules.size(); ++m) {
      SCOPED_TRACE((*dump)->modules[m].name);
      const auto compiled = compiledByXla(**dump, m);
      ASSERT_TRUE(compiled) << toString(compiled.error());
      const JobContext context;
      const auto arguments = settleArguments(*compiled->file->module, {.seed = 7}, context);
      ASSERT_TRUE(arguments) << toString(arguments.error());
      const std::vector<RunRequest> requests = {
          {.module = compiled->file->module, .engine = "reference", .arguments = *arguments},
          {.program = compiled->program, .engine = "cuda-sim", .arguments = *arguments}};
      auto runs = executeInTurns(requests, context);
      ASSERT_TRUE(runs) << toString(runs.error());
      const RunComparison comparison = compareRuns(std::move((*runs)[0]), std::move((*runs)[1]));
      EXPECT_NE(comparison.verdict, Verdict::Differs);
      EXPECT_FALSE(comparison.hasNaNsAlone);
      for (const LeafComparison& leaf : comparison.leaves) EXPECT_EQ(leaf.beyondRounding, 0) << leaf.name;
      ++modules;
      kernels += compiled->program->kernels.size();
    }
  }
  EXPECT_GT(modules, 0u);
  fmt::print("{} modules, {} kernels\n", modules, kernels);
  printRows(modules);
}

}  // namespace
}  // namespace hilo
