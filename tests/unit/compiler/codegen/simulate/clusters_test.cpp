// Clusters, barriers in memory, bulk copies, grids that meet: tests/data/ptx/cluster.cu.
#include <algorithm>

#include "tests/unit/compiler/codegen/simulate/simulated_run.h"

namespace hilo {
namespace {

SimulatedRun& cluster(bool isChecked) {
  static SimulatedRun& plain = *new SimulatedRun(SimulatedRun::ofFile("cluster.ptx"));
  static SimulatedRun& checked = *new SimulatedRun(SimulatedRun::ofFile("cluster.ptx", true));
  return isChecked ? checked : plain;
}

// Plain, and in check mode without a finding.
class SimulatedClusters : public testing::TestWithParam<bool> {
 protected:
  template <typename... Args>
  void run(const SimulatedLaunch& launch, Args&... args) {
    const SimulatedReport report = cluster(GetParam()).good(launch, args...);
    for (const Diagnostic& finding : report.findings) ADD_FAILURE() << toString(finding);
  }
};
INSTANTIATE_TEST_SUITE_P(Modes, SimulatedClusters, testing::Bool());

TEST_P(SimulatedClusters, ABlockReadsTheSharedMemoryOfAnother) {
  std::vector<int> out(128);
  run({.kernel = "neighbours", .grid = {4}, .block = {32}, .cluster = {2}}, out);
  for (int i = 0; i < 128; ++i) EXPECT_EQ(out[static_cast<size_t>(i)], (i / 32 ^ 1) * 100 + i % 32);
}

TEST_P(SimulatedClusters, ABarrierInMemoryHasPhases) {
  auto data = countingValues<int>(64), expected = data;
  int rounds = 3;
  run({.kernel = "phases", .block = {64}}, data, rounds);
  for (int round = 0; round < 3; ++round) {
    const auto before = expected;
    for (size_t i = 0; i < 64; ++i) expected[i] += before[(i + 1) % 64];
  }
  EXPECT_EQ(data, expected);
}

TEST_P(SimulatedClusters, ABulkCopyEndsTheBarriersPhase) {
  auto in = countingValues<int>(256, 251);
  std::vector<int> out(256);
  run({.kernel = "bulk", .block = {64}}, in, out);
  std::ranges::reverse(in);
  EXPECT_EQ(out, in);
}

TEST_P(SimulatedClusters, AGridMeetsInALoop) {
  std::vector<int> flags(6 * 32, -1), out(6 * 32);
  std::vector<unsigned> arrived(1);
  run({.kernel = "gridMeets", .grid = {6}, .block = {32}}, flags, out, arrived);
  for (size_t i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], static_cast<int>((i + 32) % out.size()));
}

TEST_P(SimulatedClusters, LanesThatAreThereAreCounted) {
  std::vector<int> counter(1, 5), places(64, -1);
  run({.kernel = "aggregated", .block = {64}}, counter, places);
  EXPECT_EQ(counter[0], 5 + 22);
  std::vector<int> taken;
  for (size_t i = 0; i < 64; i += 3) taken.push_back(places[i]);
  std::ranges::sort(taken);
  for (size_t i = 0; i < taken.size(); ++i) EXPECT_EQ(taken[i], 5 + static_cast<int>(i));
}

TEST_P(SimulatedClusters, FunctionsAreCalledThroughATable) {
  auto data = countingValues<int>(32), before = data;
  run({.kernel = "byTable", .block = {32}}, data);
  for (size_t i = 0; i < 32; ++i) EXPECT_EQ(data[i], i % 2 == 0 ? before[i] + 1 : before[i] * 2);
}

TEST_P(SimulatedClusters, KernelsPrint) {
  int value = 3;
  run({.kernel = "prints", .block = {2}}, value);
  EXPECT_EQ(cluster(GetParam()).module()->takeOutput(), "thread 0: 6 0.75 end\nthread 1: 12 0.75 end\n");
}

TEST(SimulatedLaunches, SizesThatTheKernelDoesNotTakeAreTold) {
  std::vector<int> out(64);
  const auto kind = [&](const SimulatedLaunch& launch) { return cluster(false).fault(launch, out); };
  EXPECT_EQ(kind({.kernel = "nothing"}), "unknown-kernel at 0");
  EXPECT_EQ(kind({.kernel = "neighbours", .grid = {3}, .block = {32}, .cluster = {2}}), "wrong-launch at 0");
  EXPECT_EQ(kind({.kernel = "neighbours", .grid = {2}, .block = {2048}, .cluster = {2}}),
            "wrong-launch at 0");
  EXPECT_EQ(kind({.kernel = "neighbours", .grid = {2}, .block = {32}}), "wrong-launch at 0");
}

}  // namespace
}  // namespace hilo
