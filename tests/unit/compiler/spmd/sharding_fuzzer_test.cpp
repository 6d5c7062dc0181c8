// A bounded run of the fuzzer of shardings. HILO_SPMD_FUZZ_MODULES and HILO_SPMD_FUZZ_SEED make it longer.
#include <gtest/gtest.h>

#include "core/hlo/text/print.h"
#include "tests/support/spmd/fuzz_shardings.h"

namespace hilo::fuzz {
namespace {

int64_t numberFrom(const char* variable, int64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::atoll(text);
}

Plan planOfEnvironment() {
  return {.firstSeed = static_cast<uint64_t>(numberFrom("HILO_SPMD_FUZZ_SEED", 1)),
          .modules = numberFrom("HILO_SPMD_FUZZ_MODULES", 150)};
}

void expectNoFindings(const Report& report) {
  for (const Finding& finding : report.findings)
    ADD_FAILURE() << "seed " << finding.seed << ": " << finding.why << "\n"
                  << printModule(*finding.whole.module);
  EXPECT_LE(report.refused, report.modules / 3) << (report.refusals.empty() ? "" : report.refusals[0]);
  testing::Test::RecordProperty("modules", std::to_string(report.modules));
  testing::Test::RecordProperty("refused", std::to_string(report.refused));
}

TEST(ShardingFuzzer, PartitionedModulesComputeWhatWholeOnesDo) {
  expectNoFindings(fuzzShardings(planOfEnvironment()));
}

TEST(ShardingFuzzer, SoDoThoseWhoseDotsAreLoops) {
  expectNoFindings(fuzzShardingsWithLoops(planOfEnvironment()));
}

TEST(ShardingFuzzer, SoDoThoseThatMoveFewestBytes) {
  expectNoFindings(fuzzShardingsByBytes(planOfEnvironment()));
}

TEST(ShardingFuzzer, SoDoThoseThatShardySpreads) {
  expectNoFindings(fuzzShardyShardings(planOfEnvironment()));
}

}  // namespace
}  // namespace hilo::fuzz
