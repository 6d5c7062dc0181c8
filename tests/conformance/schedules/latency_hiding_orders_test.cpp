// What XLA's tests of its latency-hiding scheduler ask of the order of named instructions, on modules
// of our own.
#include "tests/conformance/schedules/order_checks.h"

namespace hilo {
namespace {

struct OrderCase {
  const char* test;
  const char* settings;  // "NAME=VALUE,NAME=VALUE"
  const char* order;     // as expectOrders has it
};

// With the uniform latency model.
constexpr OrderCase kUniform[] = {
    {"AllGatherAsyncSimple", "", "ag0d << a2"},
    {"AllGatherAsyncBalance", "", "ag0s < c0 < ag0d; ag1s < c1 < ag1d"},
    {"AllGatherAsyncReshaped", "", "ag0d << b << a2"},
    {"AllGatherAsyncOverlapped", "", "ag0s < ag0d < ag1s < ag1d"},
    {"AllGatherAsyncOverlapped2", "", "ag0s < ag0d < ag1s < ag1d"},
    {"AllGatherAsyncOverlapped3", "", "ag0s < ag0d < ag1s < ag1d"},
    {"DelayDoneOfForceDelayedAsyncStart", "schedule_send_recvs=true", "s2 < s1; s2d < s1d"},
    {"AllReduceAsyncBalance", "", "ar0s < c0 < ar0d; ar1s < c1 < ar1d"},
    {"ForceDelayAsyncAllGather", "", "ag0s < ag1s; ag0d < ag1d"},
    {"ForceDelayAsyncAllGather", "top_down_scheduling=true", "ag0s < ag1s; ag0d < ag1d"},
    {"ForceDelayAsyncAllGatherWithPriority", "", "ag0s < ag1s"},
    {"ForceDelayAsyncAllGatherWithPriority", "top_down_scheduling=true", "ag0s < ag1s"},
    {"ForceDelayAsyncForcesEarlyDone", "", "ag1d < ag0d"},
    {"ForceDelayAsyncForcesEarlyDone", "top_down_scheduling=true", "ag1d < ag0d"},
    {"ForceDelayOnAsyncOpDelaysBothStartAndDone", "", "ag0s < ag1s; ag0d < ag1d"},
    {"TwoCollectivePermuteTypesOverlap", "",
     "cp0s < c0; cp2s < c0; cp4s < c0; c0 < cp0d; c0 < cp2d; c0 < cp4d; "
     "cp1s < c1; cp3s < c1; cp5s < c1; c1 < cp1d; c1 < cp3d; c1 < cp5d"},
    {"ExistingSingleCollectivePermuteAsyncTest", "", "cps < c0 < cpd"},
    {"BalanceChainExtended", "", "cp0s < c0 < cp0d; cp1s < c0 < cp1d; cp2s < c1 < cp2d; cp3s < c1 < cp3d"},
    {"MoveCentainConv", "", "cp0s < c1 < cp0d; cp1s < c1 < cp1d; cp2s < c0 < cp2d; cp3s < c0 < cp3d"},
    {"MoveCentainConv2", "", "cp0s < c0 < cp0d; cp1s < c0 < cp1d; cp2s < c1 < cp2d; cp3s < c1 < cp3d"},
    {"WhileOverlapLimit", "collective_permute_overlap_limit=1", "cpd.3 < while | while < cps.3"},
    {"WhileOverlapLimit", "collective_permute_overlap_limit=2", "cps.3 < while < cpd.3"},
    {"WhileNestedOverlapLimit", "collective_permute_overlap_limit=1", "while < cps.2 | cpd.2 < while"},
    {"WhileNestedOverlapLimit", "collective_permute_overlap_limit=2", "cps.2 < while < cpd.2"},
    {"WhileOverlapUnderLimit", "collective_permute_overlap_limit=3", "cps.2 < while < cpd.2"},
    {"WhileOverlapLimitAllGather", "collective_permute_overlap_limit=2", "while < ags.1 | agd.1 < while"},
    {"WhileOverlapUnderLimitAllGather", "collective_permute_overlap_limit=2,all_gather_overlap_limit=2",
     "ags.1 < while < agd.1"},
    {"AllToAllAsyncBalance", "", "async-start < c0 < async-done; async-start.1 < c1 < async-done.1"},
    {"DepthPressureReduction", "memory_limit=0,depth_based_memory_pressure_reduction=true", "g < h < f"},
    {"CopyScheduling", "", "copy-start < c < copy-done"},
    {"MaxCopyScheduling", "", "copy-start2 < c < copy-done2; copy-start < copy-done2"},
    {"ScheduleLoopPeeledSendDoneBeforeWhile", "collective_permute_overlap_limit=2,all_gather_overlap_limit=2",
     "send-done < while"},
    {"RaggedAllToAll", "", "ra2a-start < d < ra2a-done"},
    {"AllGatherAsyncSimpleTopDownScheduling", "top_down_scheduling=true,aggressive_scheduling_policies=true",
     "ags < c0 < agd"},
    {"AllGatherAsyncHeightTopDownScheduling", "top_down_scheduling=true,aggressive_scheduling_policies=true",
     "ags.1 < c0 < agd.1; ags < c1 < agd"},
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
  const auto module = moduleNamed(c.test);
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
