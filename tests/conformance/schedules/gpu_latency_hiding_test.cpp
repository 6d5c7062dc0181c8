// What XLA's tests of its latency-hiding scheduler for GPU assert, on modules of our own.
#include "core/analysis/backend.h"
#include "core/analysis/cost/profile_coverage.h"
#include "tests/conformance/schedules/order_checks.h"

namespace hilo {
namespace {

class GpuLatencyHidingConformance : public testing::Test {
 protected:
  void SetUp() override {
    test_ = testing::UnitTest::GetInstance()->current_test_info()->name();
    module_ = moduleNamed(test_);
    ASSERT_NE(module_, nullptr);
  }
  void TearDown() override { noteConformance(test_, HasFailure() ? "does not hold" : "holds"); }

  static LatencyProfile profileOf(std::string_view instruction) {
    LatencyProfile profile;
    if (!instruction.empty()) profile.costUs[std::string(instruction)] = 100;
    return profile;
  }
  // An order that needs little memory, and then the scheduler with XLA's settings for GPU.
  void schedule(int64_t collectives, bool early = false, bool selective = false, bool pipelined = false) {
    if (!module_->isScheduled()) ASSERT_TRUE(scheduleForMemory(*module_, MemorySchedulerKind::Best, {}));
    LatencyHidingRequest request{.config = gpuSchedulerConfig()};
    request.config.parallelCollectiveOverlapLimit = collectives;
    request.config.collectiveStartAsEarlyAsPossible = early;
    request.config.enableSelectiveResources = selective;
    request.config.maxHopsToClosestSelectiveOverlap = selective ? 1 : 0;
    request.config.forceDelayOverMemoryPressure = selective;
    request.config.pipelineParallelism = pipelined;
    request.config.collectiveMultiStreaming = multiStreaming_;
    request.config.topDownScheduling = topDown_;
    const GpuUniformLatencyEstimator uniform;
    const ProfileLatencyEstimator measured(profile_, uniform);
    request.estimator = &measured;
    const auto result = scheduleToHideLatency(*module_, request);
    ASSERT_TRUE(result) << toString(result.error());
    expectValidOrders(*module_);
  }
  Computation& entry() const { return *module_->entry(); }
  Instruction* named(std::string_view name) const { return module_->findInstruction(name); }
  bool isWithin(std::string_view work, std::string_view start, std::string_view done) const {
    return at(entry(), start) < at(entry(), work) && at(entry(), work) < at(entry(), done);
  }

  std::string test_;
  std::unique_ptr<Module> module_;
  LatencyProfile profile_;
  bool multiStreaming_ = false, topDown_ = false;
};

TEST_F(GpuLatencyHidingConformance, GPUProfileStatisticsAggregatorDoesNotCountMissingNoops) {
  const ProfileCoverage coverage = profileCoverage({}, *module_);
  EXPECT_TRUE(coverage.missing.empty());
  EXPECT_EQ(coverage.found, 0);
}
TEST_F(GpuLatencyHidingConformance, GPUProfileStatisticsAggregatorDoesNotCountCopies) {
  EXPECT_TRUE(profileCoverage({}, *module_).missing.empty());
}
TEST_F(GpuLatencyHidingConformance, GPUProfileStatisticsAggregatorCountsMissingInstruction) {
  const ProfileCoverage coverage = profileCoverage(profileOf("dot0"), *module_);
  ASSERT_EQ(coverage.missing.size(), 1U);
  EXPECT_EQ(coverage.missing[0]->opcode(), Opcode::Add);
  EXPECT_EQ(coverage.found, 0);
}
TEST_F(GpuLatencyHidingConformance, GPUProfileStatisticsAggregatorCountsMissingAsyncPairs) {
  const ProfileCoverage coverage = profileCoverage({}, *module_);
  std::set<Opcode> opcodes;
  for (const Instruction* i : coverage.missing) opcodes.insert(i->opcode());
  EXPECT_EQ(coverage.missing.size(), 3U);
  EXPECT_EQ(opcodes, (std::set{Opcode::AllReduceStart, Opcode::AsyncStart, Opcode::AllGatherStart}));
}
TEST_F(GpuLatencyHidingConformance, ScheduleGpuModuleErrorsOutOnMissingInstrucitonsForAWhileLoopBody) {
  EXPECT_FALSE(requireFullProfile(profileOf("dot0"), *module_));
}
TEST_F(GpuLatencyHidingConformance, ScheduleGpuModuleErrorsOutOnMissingInstrucitonsForAnEntryComputation) {
  EXPECT_FALSE(requireFullProfile(profileOf("dot0"), *module_));
}
TEST_F(GpuLatencyHidingConformance, ScheduleGpuModulePassesOnFullFDOProfile) {
  profile_ = profileOf("add0");
  const Status full = requireFullProfile(profile_, *module_);
  EXPECT_TRUE(full) << toString(full.error());
  schedule(1);
}

TEST_F(GpuLatencyHidingConformance, SchedulePipelinedSendRecvsLate) {
  schedule(2, false, false, true);
  const Computation& body = computationNamed(*module_, "while_body");
  expectOrder(body, {"recv_ctx", "recv_done", "recv_ctx_", "some_res"});
  expectOrder(body, {"send_ctx", "send_done", "send_ctx_", "some_res"});
}

TEST_F(GpuLatencyHidingConformance, DynamicSliceStartDoneCheck) {
  const GpuAsyncTracker tracker{SchedulerConfig()};
  const Instruction &start = *named("dynamic-slice-start"), &done = *named("dynamic-slice-done");
  EXPECT_TRUE(tracker.isSupportedAsyncStart(start));
  EXPECT_FALSE(tracker.isSupportedAsyncDone(start));
  EXPECT_TRUE(tracker.isSupportedAsyncDone(done));
  EXPECT_FALSE(tracker.isSupportedAsyncStart(done));
}

// One resource, released by the start and occupied by the done (the other way round from the top down).
void expectResource(const AsyncTracker& tracker, const Instruction& start, const Instruction& done,
                    Resource resource, bool topDown = false) {
  EXPECT_TRUE(tracker.isSupportedAsyncStart(start));
  EXPECT_TRUE(tracker.isSupportedAsyncDone(done));
  const auto release = ResourceUsage::Release, occupy = ResourceUsage::Occupy;
  EXPECT_EQ(tracker.resourcesOf(start), (ResourcesVector{{resource, topDown ? occupy : release}}));
  EXPECT_EQ(tracker.resourcesOf(done), (ResourcesVector{{resource, topDown ? release : occupy}}));
}

TEST_F(GpuLatencyHidingConformance, CopyStartDoneUsesComputeResource) {
  const GpuAsyncTracker tracker{SchedulerConfig()};
  expectResource(tracker, *named("copy-start"), *named("copy-done"), Resource::GpuAsyncStreamComputes);
  EXPECT_EQ(resourceName(Resource::GpuAsyncStreamComputes), "kGpuAsyncStreamComputes");
}

TEST_F(GpuLatencyHidingConformance, ExplicitCollectivesGroupUsesCollectiveResource) {
  const GpuAsyncTracker tracker{SchedulerConfig()};
  const Instruction &start = *named("group-start"), &done = *named("group-done");
  expectResource(tracker, start, done, Resource::GpuAsyncStreamCollectives);
  EXPECT_FALSE(tracker.isSupportedAsyncDone(start));
  EXPECT_FALSE(tracker.isSupportedAsyncStart(done));
  EXPECT_EQ(tracker.countOf(Resource::GpuAsyncStreamCollectives, start), 0);
  EXPECT_EQ(tracker.countOf(Resource::GpuAsyncStreamCollectives, done), 1);
  EXPECT_TRUE(tracker.countsOf(start).empty());
  ASSERT_EQ(tracker.countsOf(done).size(), 1U);
  EXPECT_EQ(tracker.countsOf(done)[0].count, 1);
}

TEST_F(GpuLatencyHidingConformance, NestedCollectivesGroupUsesOneResource) {
  const GpuAsyncTracker tracker{SchedulerConfig()};
  for (const char* name : {"nested-call", "nested-while"}) {
    const Instruction& i = *named(name);
    EXPECT_EQ(tracker.countOf(Resource::GpuAsyncStreamCollectives, i), 1) << name;
    const ResourceCounts counts = tracker.countsOf(i);
    ASSERT_EQ(counts.size(), 1U) << name;
    EXPECT_EQ(counts[0].resource, Resource::GpuAsyncStreamCollectives);
    EXPECT_EQ(counts[0].count, 1);
  }
}

TEST_F(GpuLatencyHidingConformance, ExplicitCollectivesGroupOverlapsNativeWithOneSharedRank) {
  profile_.costUs["add"] = 100000;
  multiStreaming_ = true;
  schedule(2);
  EXPECT_TRUE(isWithin("native-start", "group-start", "group-done") ||
              isWithin("group-start", "native-start", "native-done"));
  EXPECT_TRUE(isWithin("add", "group-start", "group-done") || isWithin("add", "native-start", "native-done"));
}

TEST_F(GpuLatencyHidingConformance, ScheduleDynamicSliceCopyFusionAsMemcpy) {
  for (const bool topDown : {false, true}) {
    SchedulerConfig config;
    config.topDownScheduling = topDown;
    const GpuAsyncTracker tracker(config);
    expectResource(tracker, *named("dynamic-slice-start"), *named("dynamic-slice-done"),
                   Resource::GpuAsyncStreamMemcpy, topDown);
  }
  EXPECT_EQ(resourceName(Resource::GpuAsyncStreamMemcpy), "kGpuAsyncStreamMemcpy");
  schedule(2);
  expectOrder(entry(), {"dynamic-slice-start", "add", "dynamic-slice-done"});
}

TEST(GpuTracker, SelectiveMemcpyOverlapChangesOnlyMemcpyHazard) {
  SchedulerConfig selective;
  selective.enableSelectiveResources = true;
  const GpuAsyncTracker plain{SchedulerConfig()}, tracker(selective);
  EXPECT_EQ(plain.hazard(Resource::GpuAsyncStreamMemcpy), ResourceHazard::Unshareable);
  EXPECT_EQ(tracker.hazard(Resource::GpuAsyncStreamMemcpy), ResourceHazard::Selective);
  EXPECT_EQ(tracker.hazard(Resource::GpuAsyncStreamCollectives), ResourceHazard::Unshareable);
  noteConformance("SelectiveMemcpyOverlapChangesOnlyMemcpyHazard", HasFailure() ? "does not hold" : "holds");
}

TEST_F(GpuLatencyHidingConformance, SelectiveMemcpyOverlapUsesModelBeforeOpcodeFallback) {
  const auto setCost = [&](std::string_view name, std::string_view cost) {
    named(name)->set<Attr::BackendConfig>(
        fmt::format(R"({{"reification_cost":[{{"exec_time_us":10{}}}]}})", cost));
  };
  setCost("memory_heavy_dot", R"(,"compute_time_us":1,"memory_access_time_us":9)");
  setCost("compute_heavy_loop", R"(,"compute_time_us":9,"memory_access_time_us":1)");
  setCost("zero_cost_transpose", R"(,"compute_time_us":0,"memory_access_time_us":0)");
  setCost("tie_unknown", R"(,"compute_time_us":5,"memory_access_time_us":5)");
  setCost("exec_only_dot", "");
  const auto alias = AliasAnalysis::run(*module_, backendOf(*module_));
  ASSERT_TRUE(alias);
  for (const bool selective : {true, false}) {
    SchedulerConfig config;
    config.enableSelectiveResources = selective;
    const GpuAsyncTracker tracker(config);
    const auto order = sequenceOf(entry());
    ScheduleGraph graph(order, GpuUniformLatencyEstimator(), tracker, *alias);
    tracker.postProcess(graph);
    const auto valuable = [&](std::string_view name) {
      return graph.node(graph.indexOf(*named(name))).valuableForSelectiveOverlap;
    };
    for (const char* name : {"compute_heavy_loop", "tie_unknown", "exec_only_dot", "cublas", "cudnn", "p0"})
      EXPECT_TRUE(valuable(name)) << name;
    for (const char* name : {"memory_heavy_dot", "zero_cost_transpose", "unknown_call"})
      EXPECT_EQ(valuable(name), !selective) << name;
  }
}

TEST_F(GpuLatencyHidingConformance, SelectiveMemcpyOverlapKeepsOnlyComputeInsideBottomUpWindow) {
  schedule(2, false, true);
  for (const char* name : {"transpose_fusion", "add"})
    EXPECT_LT(at(entry(), name), at(entry(), "dynamic_slice_start"));
  expectOrder(entry(), {"dynamic_slice_start", "dot_fusion", "dynamic_slice_done"});
}
TEST_F(GpuLatencyHidingConformance, SelectiveMemcpyOverlapKeepsOnlyComputeInsideTopDownWindow) {
  topDown_ = true;
  schedule(2, false, true);
  for (const char* name : {"transpose_fusion", "add"})
    EXPECT_GT(at(entry(), name), at(entry(), "dynamic_slice_done"));
  expectOrder(entry(), {"dynamic_slice_start", "dot_fusion", "dynamic_slice_done"});
}

TEST_F(GpuLatencyHidingConformance, SelectiveMemcpyOverlapWithCompetingAsyncStart) {
  schedule(2, true, true);
  expectOrder(entry(), {"transpose_fusion", "dynamic_slice_start", "dynamic_slice_done"});
}

TEST_F(GpuLatencyHidingConformance, ParallelThreadsShouldBeScheduled) { schedule(1); }

TEST_F(GpuLatencyHidingConformance, MultipleParallelAsyncsExtendedOverAllComputes) {
  schedule(16, true);
  for (const char* work : {"add_2", "add_3"}) EXPECT_TRUE(isWithin(work, "ar_0", "ar_1")) << work;
  for (const char* work : {"add_0", "div_0", "mul_0"}) {
    EXPECT_TRUE(isWithin(work, "ar_0", "ar_1")) << work;
    EXPECT_TRUE(isWithin(work, "rs_0", "rs_1")) << work;
  }
}

TEST_F(GpuLatencyHidingConformance, MultipleParallelResourceShouldOverlapCollectives) {
  profile_.costUs = {{"add_0", 100000}, {"ar_0", 10}, {"rs_0", 10}};
  schedule(2);
  expectOrders(*module_, "ar_0 < rs_1; rs_0 < ar_1; ar_0 < add_0 < ar_1; rs_0 < add_0 < rs_1");
}

TEST_F(GpuLatencyHidingConformance, AllToAllAndGemmOverlapWithSolCostModel) {
  schedule(1);
  expectOrders(*module_, "a2a < compute < a2a_done");
}

TEST_F(GpuLatencyHidingConformance, OverlappingRanksPreventOverlappingCollectives) {
  profile_.costUs = {{"add_0", 100000}, {"ar_0", 10}, {"rs_0", 10}};
  multiStreaming_ = true;
  schedule(2);
  expectOrders(*module_, "ar_1 < rs_0 | rs_1 < ar_0; ar_0 < add_0 < ar_1 | rs_0 < add_0 < rs_1");
}

TEST_F(GpuLatencyHidingConformance, ScheduleAnnotatedCollectivesOnP2PResource) {
  profile_.costUs = {{"ar_start", 1000000}};
  schedule(1, false, false, true);
  expectOrders(*module_,
               "send_start < send_done < ar_start < recv_start < recv_done < recv_data < cp_start < cp_done "
               "< ar_done < tuple");
}

constexpr const char* kOneTransferAfterTheOther =
    "send_start < add_0 < send_done < cp_start < add_1 < cp_done < recv_start < add_2 < recv_done";

TEST_F(GpuLatencyHidingConformance, ScheduleP2PWithMultipliers) {
  profile_.costUs = {{"add_0", 5120000}, {"add_1", 100000}, {"add_2", 30000}};
  schedule(1, false, false, true);
  expectOrders(*module_, kOneTransferAfterTheOther);
}

TEST_F(GpuLatencyHidingConformance, ScheduleP2P32PartitionsWithMultipliers) {
  profile_.costUs = {{"add_0", 5120000}, {"add_1", 160000}, {"add_2", 30000}};
  schedule(1, false, false, true);
  expectOrders(*module_, kOneTransferAfterTheOther);
}

TEST_F(GpuLatencyHidingConformance, ScheduleMultipleParallelResourcesShouldNotCrash) {
  profile_.costUs = {{"add_0", 5120000}, {"add_1", 160000}, {"add_2", 30000}};
  schedule(4, false, false, true);
  expectOrders(
      *module_,
      "all-reduce-start < cp_done; all-reduce-start < ag_done; cp_start < all-reduce-done; cp_start < "
      "ag_done; ag_start < cp_done; all-reduce-start < all-reduce-done");
}

TEST_F(GpuLatencyHidingConformance, ScheduleDynamicSliceIfMemcpy) {
  schedule(2);
  expectOrders(*module_, "dynamic-slice-start < add | add < dynamic-slice-done");
}

constexpr const char* kGroupsTakeTurns =
    "group-done < native-start | native-done < group-start; "
    "group-start < add < group-done | native-start < add < native-done";

TEST_F(GpuLatencyHidingConformance, ExplicitCollectivesGroupSerializesWithNativeCollective) {
  profile_ = profileOf("add");
  multiStreaming_ = true;
  schedule(2);
  expectOrders(*module_, kGroupsTakeTurns);
}

TEST_F(GpuLatencyHidingConformance, ExplicitCollectivesGroupWithImplicitReplicaGroupsSerializes) {
  profile_ = profileOf("add");
  multiStreaming_ = true;
  schedule(2);
  expectOrders(*module_, kGroupsTakeTurns);
}

TEST_F(GpuLatencyHidingConformance, DelayMoveToHostAsyncStart) {
  schedule(1);
  expectOrders(*module_, "dynamic-update-slice-start.18 < all-to-all-start.4");
}

TEST_F(GpuLatencyHidingConformance, CollectiveStreamAnnotatedOpShouldBeScheduled) {
  schedule(1);
  expectOrders(*module_, "call-done < ar_0");
}

}  // namespace
}  // namespace hilo
