// Tests of XLA's latency-hiding scheduler that ask for the order of named instructions.
#include "tests/conformance/schedules/order_checks.h"

namespace hilo {
namespace {

constexpr const char* kFile = "xla/service/latency_hiding_scheduler_test.cc";

struct OrderCase {
  const char* test;
  const char* settings;  // "NAME=VALUE,NAME=VALUE"
  const char* order;     // as expectOrders has it
};

// With the uniform latency model.
constexpr OrderCase kUniform[] = {
    {"AllGatherAsyncSimple", "", "all-gather-done@ag0 << a2"},
    {"AllGatherAsyncBalance", "",
     "convolution@c0 < all-gather-done@ag0; all-gather-start@ag0 < convolution@c0; convolution@c1 < "
     "all-gather-done@ag1; all-gather-start@ag1 < convolution@c1"},
    {"AllGatherAsyncReshaped", "", "all-gather-done@ag0 << bitcast@ag0 << a2"},
    {"AllGatherAsyncOverlapped", "",
     "all-gather-done@ag0 < all-gather-start@ag1; all-gather-start@ag0 < all-gather-done@ag0; "
     "all-gather-start@ag1 < all-gather-done@ag1"},
    {"AllGatherAsyncOverlapped2", "",
     "all-gather-done@ag0 < all-gather-start@ag1; all-gather-start@ag0 < all-gather-done@ag0; "
     "all-gather-start@ag1 < all-gather-done@ag1"},
    {"AllGatherAsyncOverlapped3", "",
     "all-gather-done@ag0 < all-gather-start@ag1; all-gather-start@ag0 < all-gather-done@ag0; "
     "all-gather-start@ag1 < all-gather-done@ag1"},
    {"DelayDoneOfForceDelayedAsyncStart", "schedule_send_recvs=true",
     "send@s2 < send@s1; send-done@s2 < send-done@s1"},
    {"AllReduceAsyncBalance", "",
     "convolution@c0 < all-reduce-done@ar0; all-reduce-start@ar0 < convolution@c0; convolution@c1 < "
     "all-reduce-done@ar1; all-reduce-start@ar1 < convolution@c1"},
    {"ForceDelayAsyncAllGather", "",
     "all-gather-start@ag0 < all-gather-start@ag1; all-gather-done@ag0 < all-gather-done@ag1"},
    {"ForceDelayAsyncAllGather", "top_down_scheduling=true",
     "all-gather-start@ag0 < all-gather-start@ag1; all-gather-done@ag0 < all-gather-done@ag1"},
    {"ForceDelayAsyncAllGatherWithPriority", "", "all-gather-start@ag0 < all-gather-start@ag1"},
    {"ForceDelayAsyncAllGatherWithPriority", "top_down_scheduling=true",
     "all-gather-start@ag0 < all-gather-start@ag1"},
    {"ForceDelayAsyncForcesEarlyDone", "", "all-gather-done@ag1 < all-gather-done@ag0"},
    {"ForceDelayAsyncForcesEarlyDone", "top_down_scheduling=true",
     "all-gather-done@ag1 < all-gather-done@ag0"},
    {"ForceDelayOnAsyncOpDelaysBothStartAndDone", "",
     "all-gather-start@ag0 < all-gather-start@ag1; all-gather-done@ag0 < all-gather-done@ag1"},
    {"TwoCollectivePermuteTypesOverlap", "",
     "collective-permute-start@cp0 < c0; collective-permute-start@cp2 < c0; collective-permute-start@cp4 < "
     "c0 < collective-permute-done@cp0; c0 < collective-permute-done@cp2; c0 < collective-permute-done@cp4; "
     "collective-permute-start@cp1 < c1; collective-permute-start@cp3 < c1; collective-permute-start@cp5 < "
     "c1 < collective-permute-done@cp1; c1 < collective-permute-done@cp3; c1 < collective-permute-done@cp5"},
    {"ExistingSingleCollectivePermuteAsyncTest", "",
     "collective-permute-start@cp0 < c0 < collective-permute-done@cp0"},
    {"BalanceChainExtended", "",
     "collective-permute-start@cp0 < c0; collective-permute-start@cp1 < c0 < collective-permute-done@cp0; c0 "
     "< collective-permute-done@cp1; collective-permute-start@cp2 < c1; collective-permute-start@cp3 < c1 < "
     "collective-permute-done@cp2; c1 < collective-permute-done@cp3"},
    {"MoveCentainConv", "",
     "collective-permute-start < c1; collective-permute-start.1 < c1 < collective-permute-done; c1 < "
     "collective-permute-done.1; collective-permute-start.2 < c0; collective-permute-start.3 < c0 < "
     "collective-permute-done.2; c0 < collective-permute-done.3"},
    {"MoveCentainConv2", "",
     "collective-permute-start < c0; collective-permute-start.1 < c0 < collective-permute-done; c0 < "
     "collective-permute-done.1; collective-permute-start.2 < c1; collective-permute-start.3 < c1 < "
     "collective-permute-done.2; c1 < collective-permute-done.3"},
    {"WhileOverlapLimit", "collective_permute_overlap_limit=1", "cpd.3 < while | while < cps.3"},
    {"WhileOverlapLimit", "collective_permute_overlap_limit=2", "cps.3 < while < cpd.3"},
    {"WhileNestedOverlapLimit", "collective_permute_overlap_limit=1", "while < collective-permute-start.2"},
    {"WhileOverlapUnderLimit", "collective_permute_overlap_limit=3", "collective-permute-start.2 < while"},
    {"WhileOverlapLimitAllGather", "collective_permute_overlap_limit=2", "while < all-gather-start.1"},
    {"WhileOverlapUnderLimitAllGather", "collective_permute_overlap_limit=2,all_gather_overlap_limit=2",
     "all-gather-start.1 < while"},
    {"AllToAllAsyncBalance", "",
     "convolution@c0 < async-done@ata0; async-start@ata0 < convolution@c0; convolution@c1 < async-done@ata1; "
     "async-start@ata1 < convolution@c1"},
    {"DepthPressureReduction", "memory_limit=0,depth_based_memory_pressure_reduction=true", "g < h < f"},
    {"CopyScheduling", "", "copy-start < convolution < copy-done"},
    {"MaxCopyScheduling", "", "copy-start2 < convolution < copy-done2; copy-start < copy-done2"},
    {"ScheduleLoopPeeledSendDoneBeforeWhile", "collective_permute_overlap_limit=2,all_gather_overlap_limit=2",
     "send-done < while"},
    {"RaggedAllToAll", "", "ra2a-start < d < ra2a-done"},
    {"AllGatherAsyncSimpleTopDownScheduling", "top_down_scheduling=true,aggressive_scheduling_policies=true",
     "ag-start < c0 < ag-done"},
    {"AllGatherAsyncHeightTopDownScheduling", "top_down_scheduling=true,aggressive_scheduling_policies=true",
     "ag-start.1 < c0 < ag-done.1; ag-start < c1 < ag-done"},
    {"ScheduleRecvAfterWhileInTopDownScheduling",
     "top_down_scheduling=true,aggressive_scheduling_policies=true,schedule_send_recvs=true", "while < recv"},
};
// With latencies by numbers of elements.
constexpr OrderCase kByElements[] = {
    {"ConditionalOverlapLimit", "aggressive_scheduling_policies=true,all_gather_overlap_limit=1",
     "agd.2 < cond | cond < ags.2"},
    {"ConditionalOverlapLimit", "aggressive_scheduling_policies=true,all_gather_overlap_limit=2",
     "ags.2 < cond < agd.2"},
    {"ReleaseOneThatStallsLessFirst", "collective_permute_overlap_limit=2,all_gather_overlap_limit=2",
     "cp2s < cp1s"},
    {"ReleaseStartWhenLatencyDue", "aggressive_scheduling_policies=true,enable_release_start_policy=true",
     "cp2s < c0 < cp2d < cp3s < c1 < cp3d"},
    {"AnnotationFirstDataIndependentConv", "aggressive_scheduling_policies=true", "cp2s < c0 < cp2d"},
    {"AnnotationSecondDataIndependentConv", "aggressive_scheduling_policies=true", "cp2s < c1 < cp2d"},
    {"AnnotationBothDataIndependentConvs", "aggressive_scheduling_policies=true",
     "cp2s < c0; cp2s < c1; c0 < cp2d; c1 < cp2d"},
    {"AnnotationFirstDataDependentConv", "aggressive_scheduling_policies=true", "cp2s < c0 < cp2d"},
    {"AnnotationSecondDataDependentConv", "aggressive_scheduling_policies=true", "cp2s < c1 < cp2d"},
    {"AnnotationBothDataDependentConvs", "aggressive_scheduling_policies=true",
     "cp2s < c0; cp2s < c1; c0 < cp2d; c1 < cp2d"},
    {"AnnotationWithTwoAsyncOps", "aggressive_scheduling_policies=true",
     "cp1s < c0; cp2s < c0 < cp1d; c0 < cp2d"},
    {"SchedulingAnnotationMakesAnotherGroupReady", "aggressive_scheduling_policies=true",
     "cp0s < f0 < cp0d; cp1s < f1 < cp1d"},
    {"AnnotatedRoot", "aggressive_scheduling_policies=true", "cp0s < f0 < cp0d"},
    {"AnnotatedNoOp", "", "cps < fusion; gte < cpd"},
    {"SchedulingAnnotationCrossesOverlapLimit", "collective_permute_overlap_limit=1", "cp1d < cp2s"},
    {"CrossComputationAnnotation", "", "ags0 < c0 < agd0; cps1 < c1 < cpd1"},
    {"AnnotatedProducerOpNotReady", "aggressive_scheduling_policies=true", "cp2s < c0; a0 < cp2d"},
    {"WhileWithCompleteResourceList",
     "aggressive_scheduling_policies=true,collective_permute_overlap_limit=1", "cpd2 < while"},
    {"KeepOriginalSequenceOrderInAnnotationGroup", "aggressive_scheduling_policies=true",
     "cp1s < cp1d < cp2s < c0 < cp2d"},
    {"ResourceCacluationWithKeepOriginalSequenceOrderAttributeNonOverlappingCPs",
     "aggressive_scheduling_policies=true,collective_permute_overlap_limit=1",
     "cp1s < cp1d < cp2s < c0 < cp2d"},
    {"FlexibleSchedulingAnnotationScheduling",
     "flexible_scheduling_annotation_scheduling=true,aggressive_scheduling_policies=true",
     "cp1s < c1 < c0; cp1s < cp1d < cp2s < c0 < cp2d"},
    {"FlexibleAggressiveSchedulingAnnotationScheduling",
     "flexible_scheduling_annotation_scheduling=true,aggressive_flexible_annotation_scheduling=true,"
     "aggressive_scheduling_policies=true",
     "cp1s < c1 < c0; cp1s < cp1d; c0 < cp1d"},
};
// With synchronous collectives left as they are.
constexpr OrderCase kSynchronous[] = {
    {"SyncAllGatherResource", "track_sync_op_resource_usage=true",
     "all-gather.2 < all-gather-start.1 | all-gather-done.1 < all-gather.2"},
    {"SyncAllGatherResourceLimitOfTwo", "track_sync_op_resource_usage=true,all_gather_overlap_limit=2",
     "all-gather-start.1 < all-gather.2 < all-gather-done.1"},
    {"SyncAllGatherResourceAnnotationGroup", "track_sync_op_resource_usage=true",
     "all-gather.2 < all-gather-start.1 | all-gather-done.1 < all-gather.2"},
    {"SyncAllGatherResourceLimitOfTwoAnnotationGroup",
     "track_sync_op_resource_usage=true,all_gather_overlap_limit=2",
     "all-gather-start.1 < all-gather.2 < all-gather-done.1"},
};

void check(const OrderCase& c, const LatencyEstimator* estimator, bool split) {
  const std::string text = textOfXlaTest(kFile, c.test);
  if (text.empty()) GTEST_SKIP() << "no module: set HILO_XLA_SOURCE or HILO_CORPUS";
  const auto module = parseXlaModule(text);
  ASSERT_NE(module, nullptr);
  LatencyHidingRequest request{.config = testConfig()};
  request.estimator = estimator;
  request.shapeBytes = sumOfParts;
  for (const std::string& setting : partsOf(c.settings, ",")) {
    const size_t equals = setting.find('=');
    ASSERT_TRUE(setSchedulerOption(request.config, setting.substr(0, equals), setting.substr(equals + 1)));
  }
  const auto result = runScheduler(*module, request, {}, split);
  ASSERT_TRUE(result) << toString(result.error());
  const bool before = testing::Test::HasFailure();
  expectOrders(*module, c.order);
  noteConformance(c.test, !before && testing::Test::HasFailure() ? "does not hold" : "holds");
}

class OrderConformance : public testing::TestWithParam<OrderCase> {};
class OrderConformanceByElements : public OrderConformance {};
class OrderConformanceSynchronous : public OrderConformance {};

TEST_P(OrderConformance, Holds) { check(GetParam(), nullptr, true); }
TEST_P(OrderConformanceByElements, Holds) {
  const ElementLatencyEstimator byElements;
  check(GetParam(), &byElements, true);
}
TEST_P(OrderConformanceSynchronous, Holds) { check(GetParam(), nullptr, false); }

std::string nameOf(const testing::TestParamInfo<OrderCase>& c) {
  return fmt::format("{}_{}", c.param.test, c.index);
}
INSTANTIATE_TEST_SUITE_P(Xla, OrderConformance, testing::ValuesIn(kUniform), nameOf);
INSTANTIATE_TEST_SUITE_P(Xla, OrderConformanceByElements, testing::ValuesIn(kByElements), nameOf);
INSTANTIATE_TEST_SUITE_P(Xla, OrderConformanceSynchronous, testing::ValuesIn(kSynchronous), nameOf);

}  // namespace
}  // namespace hilo
