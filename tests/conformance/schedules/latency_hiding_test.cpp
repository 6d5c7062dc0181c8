// What XLA's tests of its latency-hiding scheduler ask for beside the order of named instructions, on modules
// of our own.
#include "tests/conformance/schedules/order_checks.h"

namespace hilo {
namespace {

class LatencyHidingConformance : public testing::Test {
 protected:
  void SetUp() override {
    test_ = testing::UnitTest::GetInstance()->current_test_info()->name();
    module_ = moduleNamed(test_);
    ASSERT_NE(module_, nullptr);
    request_.config = testConfig();
    request_.shapeBytes = sumOfParts;
  }
  void TearDown() override {
    if (module_ != nullptr) noteConformance(test_, HasFailure() ? "does not hold" : "holds");
  }

  LatencyHidingResult run(const SchedulingAnnotationRules& rules = {}) {
    before_ = sequenceOf(*module_->entry());
    auto result = runScheduler(*module_, request_, rules);
    EXPECT_TRUE(result) << toString(result.error());
    return result ? *std::move(result) : LatencyHidingResult();
  }
  Computation& entry() const { return *module_->entry(); }
  Computation& body() const { return computationNamed(*module_, "while_body"); }
  int64_t entryAt(std::string_view name) const { return at(entry(), name); }

  // The start comes right behind its operand, the done right in front of a user.
  void expectTight(const Instruction* done) const {
    ASSERT_EQ(done->opcode(), Opcode::CollectivePermuteDone);
    const Instruction* start = done->operand(0);
    EXPECT_EQ(at(entry(), start->operand(0)) + 1, at(entry(), start));
    const bool leadsUser = std::ranges::any_of(
        done->users(), [&](const Instruction* user) { return at(entry(), done) + 1 == at(entry(), user); });
    EXPECT_TRUE(leadsUser);
    for (const Instruction* user : done->users()) EXPECT_LT(at(entry(), done), at(entry(), user));
  }
  std::vector<Instruction*> dones() const {
    std::vector<Instruction*> found;
    for (Instruction* i : entry().instructions()) {
      if (i->opcode() == Opcode::CollectivePermuteDone) found.push_back(i);
    }
    return found;
  }

  std::string test_;
  std::unique_ptr<Module> module_;
  LatencyHidingRequest request_;
  std::vector<Instruction*> before_;
  const ElementLatencyEstimator byElements_;
};

TEST_F(LatencyHidingConformance, TargetSchedulingRuleReceivesLiveSchedulingState) {
  int asked = 0;
  request_.everyComputation = true;
  request_.rule = [&](const ScheduleNode& a, const ScheduleNode& b) {
    ++asked;
    EXPECT_TRUE(!a.isScheduled && !b.isScheduled);
    return 0;
  };
  run();
  EXPECT_GT(asked, 0);
}

TEST_F(LatencyHidingConformance, MemoryPressureTakesPriorityOverTargetSchedulingRule) {
  bool asked = false;
  request_.everyComputation = true;
  request_.config.memoryLimit = 1;
  request_.rule = [&](const ScheduleNode& a, const ScheduleNode& b) {
    const auto is = [](const ScheduleNode& node, std::string_view name) {
      return node.instruction->name() == name;
    };
    if (!(is(a, "small") && is(b, "large")) && !(is(a, "large") && is(b, "small"))) return 0;
    asked = true;
    return is(a, "small") ? 1 : -1;
  };
  run();
  EXPECT_FALSE(asked);
  EXPECT_LT(entryAt("small"), entryAt("large"));
}

TEST_F(LatencyHidingConformance, WhileLoopAliasingBug) {
  run();
  const Instruction* start = body().root()->operand(0)->operand(0);
  ASSERT_EQ(start->opcode(), Opcode::CollectivePermuteStart);
  EXPECT_LT(at(body(), "add0"), at(body(), start));
}

TEST_F(LatencyHidingConformance, WhileLoopAliasingBug2) {
  run();
  const Instruction* second = body().root()->operand(0)->operand(0);
  const Instruction* first = body().root()->operand(1)->operand(0);
  ASSERT_EQ(second->opcode(), Opcode::CollectivePermuteStart);
  ASSERT_EQ(first->opcode(), Opcode::CollectivePermuteDone);
  EXPECT_LT(at(body(), first), at(body(), second));
}

TEST_F(LatencyHidingConformance, ForceDelayCustomCall) {
  request_.keepLog = true;
  EXPECT_EQ(run().logs.size(), 1U);
}

TEST_F(LatencyHidingConformance, SingleCollectivePermuteTest) {
  run();
  const auto order = sequenceOf(entry());
  ASSERT_EQ(order.size(), 3U);
  EXPECT_EQ(order[1]->opcode(), Opcode::CollectivePermuteStart);
  EXPECT_EQ(order[2]->opcode(), Opcode::CollectivePermuteDone);
}

TEST_F(LatencyHidingConformance, InplaceUpdateCPTest) {
  run();
  EXPECT_EQ(sequenceOf(entry()).size(), before_.size() + 1);
}
TEST_F(LatencyHidingConformance, InplaceUpdateCPTest2) {
  run();
  EXPECT_EQ(sequenceOf(entry()).size(), before_.size() + 4);
}

TEST_F(LatencyHidingConformance, SerialCollectivePermutesTest) {
  run();
  const auto order = sequenceOf(entry());
  ASSERT_EQ(order.size(), 8U);
  EXPECT_LT(at(entry(), before_[0]), at(entry(), before_[2]));
  EXPECT_LT(at(entry(), before_[2]), at(entry(), before_[3]));
  EXPECT_LT(at(entry(), before_[3]), at(entry(), before_[4]));
  expectTight(dones()[0]);
  EXPECT_EQ(order[7]->opcode(), Opcode::CollectivePermuteDone);
  EXPECT_GT(at(entry(), order[7]->operand(0)), at(entry(), dones()[0]));
}

TEST_F(LatencyHidingConformance, BackToBackCollectivePerGmutesTest) {
  run();
  const auto order = sequenceOf(entry());
  ASSERT_EQ(order.size(), 5U);
  expectTight(dones()[0]);
  EXPECT_EQ(order[4]->opcode(), Opcode::CollectivePermuteDone);
  EXPECT_GT(at(entry(), order[4]->operand(0)), at(entry(), dones()[0]));
}

TEST_F(LatencyHidingConformance, ParallelCollectivePermutesTest) {
  run();
  int64_t last = -1;
  for (const size_t i : {0, 2, 3, 4, 6}) {
    EXPECT_GT(at(entry(), before_[i]), last);
    last = at(entry(), before_[i]);
  }
  ASSERT_EQ(before_[0]->users().size(), 2U);
  const int64_t a = at(entry(), before_[0]->users()[0]), b = at(entry(), before_[0]->users()[1]);
  EXPECT_EQ(std::abs(a - b), 1);
}

TEST_F(LatencyHidingConformance, MaxConcurrentCollectivePermutesTest) {
  run();
  int now = 0, most = 0;
  for (const Instruction* i : entry().instructions()) {
    now += (i->opcode() == Opcode::CollectivePermuteStart) - (i->opcode() == Opcode::CollectivePermuteDone);
    most = std::max(most, now);
  }
  EXPECT_LE(most, 5);
}

TEST_F(LatencyHidingConformance, BalanceChainedCollectivePermutesNoOverlap) { run(); }

// The permutes of each step hide behind the fusion of that step.
constexpr const char* kEachStepHidesItsPermutes =
    "left0s < first < left0d; right0s < first < right0d; left1s < second < left1d; right1s < second < "
    "right1d";

TEST_F(LatencyHidingConformance, BalanceChainedCollectivePermutesLoopedEinsum) {
  run();
  expectOrders(*module_, kEachStepHidesItsPermutes);
}
TEST_F(LatencyHidingConformance, BalanceChainedCollectivePermutesLoopedEinsum2) {
  run();
  expectOrders(*module_, kEachStepHidesItsPermutes);
}
TEST_F(LatencyHidingConformance, BalanceChainedCollectivePermutesLoopedEinsum3) {
  run();
  expectOrders(*module_, kEachStepHidesItsPermutes);
}

TEST_F(LatencyHidingConformance, RerunWithSmallerMemoryLimit) {
  request_.config.memoryLimit = 110;
  request_.config.rerun = 1;
  EXPECT_EQ(run().reruns, 1);
  const Instruction* start = findOpcode(entry(), Opcode::CollectivePermuteStart);
  EXPECT_LT(entryAt("s"), at(entry(), start));
}

TEST_F(LatencyHidingConformance, MultipleAsyncDoneOperationsDoNotCreateLoop) { run(); }

// All-gathers that only work marked for it hides, and that are to end as soon as they can.
class SelectiveGathers : public AsyncTracker {
 public:
  using AsyncTracker::AsyncTracker;
  ResourceHazard hazard(Resource resource) const override {
    if (resource == Resource::AllGather) return ResourceHazard::Selective;
    if (resource == Resource::Target0) return ResourceHazard::Nonextendable;
    return AsyncTracker::hazard(resource);
  }
  ResourcesVector computeResources(const Instruction& i) const override {
    ResourcesVector all = AsyncTracker::computeResources(i);
    if (i.opcode() == Opcode::AllGatherStart) all.push_back({Resource::Target0, ResourceUsage::Release});
    if (i.opcode() == Opcode::AllGatherDone) all.push_back({Resource::Target0, ResourceUsage::Occupy});
    return all;
  }
  ResourceTable limits() const override {
    ResourceTable all = AsyncTracker::limits();
    all[static_cast<size_t>(Resource::AllGather)] = all[static_cast<size_t>(Resource::Target0)] = 1;
    return all;
  }
  void postProcess(ScheduleGraph& graph) const override {
    for (ScheduleNode& node : graph.nodes())
      node.valuableForSelectiveOverlap = node.instruction->name() != "c2";
  }
};

TEST_F(LatencyHidingConformance, AllGatherWithSelectiveOverlap) {
  request_.config.enableSelectiveResources = true;
  SelectiveGathers tracker(request_.config);
  request_.tracker = &tracker;
  run();
  expectOrder(entry(), {"c0", "ag-start", "c1", "c2", "ag-done"});
}

TEST_F(LatencyHidingConformance, DeannotateUnsupportedGroups) {
  request_.config.aggressiveSchedulingPolicies = true;
  request_.estimator = &byElements_;
  SchedulingAnnotationRules rules;
  rules.dropGroupsWithGaps = true;
  run(rules);
  const auto has = [&](std::string_view name) {
    return frontendAttribute(*entry().find(name), "_scheduling_group_id").has_value();
  };
  EXPECT_FALSE(has("cp1s"));
  EXPECT_TRUE(has("cp2s"));
  EXPECT_FALSE(has("cp3s"));
}

TEST_F(LatencyHidingConformance, OutOfOrderStartAndDone) {
  request_.config.scheduleSendRecvs = true;
  request_.config.sendRecvHostOverlapLimit = 2;
  request_.estimator = &byElements_;
  run();
}

TEST_F(LatencyHidingConformance, ResourceLimitWithinAnnotationGroup) {
  request_.config.allGatherOverlapLimit = 1;
  request_.estimator = &byElements_;
  run();
  EXPECT_TRUE(entryAt("agd0") < entryAt("ags1") || entryAt("agd1") < entryAt("ags0"));
}

TEST_F(LatencyHidingConformance, WhileLoopImpossibleScheduleSend) {
  request_.config.sendRecvOverlapLimit = 1;
  request_.config.scheduleSendRecvs = true;
  run();
}

TEST_F(LatencyHidingConformance, ResourceCacluationWithKeepOriginalSequenceOrderAttributeOverlappingCPs) {
  request_.config.aggressiveSchedulingPolicies = true;
  request_.config.collectivePermuteOverlapLimit = 1;
  request_.estimator = &byElements_;
  EXPECT_FALSE(runScheduler(*module_->clone(), request_));
  request_.config.collectivePermuteOverlapLimit = 2;
  run();
  expectOrder(entry(), {"cp1s", "cp2s", "c0", "cp1d", "cp2d"});
}

TEST_F(LatencyHidingConformance, ValidScheduleWithRandomPreferences) {
  PassContext context;
  ASSERT_TRUE(createAsyncCollectives(*module_, context));
  uint64_t state = 1;
  for (size_t i = 0; i < entry().instructionCount(); ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    request_.entryPreferences.push_back(static_cast<double>(state >> 33));
  }
  run();  // checks the order
}

TEST_F(LatencyHidingConformance, MultipleAttemptsConsistentResults) {
  PassContext context;
  ASSERT_TRUE(createAsyncCollectives(*module_, context));
  for (size_t i = 0; i < entry().instructionCount(); ++i)
    request_.entryPreferences.push_back(static_cast<double>((i * 7919) % 101));
  const auto again = module_->clone();
  const LatencyHidingResult first = run();
  const auto second = runScheduler(*again, request_);
  ASSERT_TRUE(second);
  EXPECT_EQ(first.peakBytes, second->peakBytes);
  const auto a = sequenceOf(entry()), b = sequenceOf(*again->entry());
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a[i]->id(), b[i]->id());
}

TEST_F(LatencyHidingConformance, HostOffloadComputationsWithoutSchedule) { run(); }

TEST_F(LatencyHidingConformance, MemoryPressureTrackingWithChainedCallsNegate) {
  request_.config.memoryLimit = 40000;
  EXPECT_LE(run().peakBytes, 32784);
}
TEST_F(LatencyHidingConformance, MemoryPressureTrackingWithDeepChainedCalls) {
  request_.config.memoryLimit = 100000;
  run();
}
TEST_F(LatencyHidingConformance, MemoryPressureTrackingWithFusedChainedCalls) {
  request_.config.memoryLimit = 40000;
  EXPECT_LE(run().peakBytes, 32784);
}
TEST_F(LatencyHidingConformance, MemoryPressureTrackingWithAsyncCollective) {
  request_.config.memoryLimit = 20000;
  // XLA's figure has eight bytes more, for a table of one pointer.
  EXPECT_EQ(run().peakBytes + 8, 20496);
}

TEST_F(LatencyHidingConformance, NopBypassPreferenceInteraction) {
  request_.adjustGraph = [](ScheduleGraph& graph) {
    for (ScheduleNode& node : graph.nodes()) {
      const std::string_view name = node.instruction->name();
      if (name != "bitcast.0" && name != "negate.0") continue;
      node.hasPreference = true;
      node.preference = name == "bitcast.0" ? -2 : -1;
    }
  };
  EXPECT_TRUE(run().changed);
  EXPECT_LT(entryAt("bitcast.0"), entryAt("negate.0"));
}

// 200,000 values, and 40,000 computations that are called.
TEST(LatencyHidingScale, NoOOMWithManyComputationsAndBuffers) {
  Module module("m");
  const Shape scalar = Shape::scalar(ElementType::F32);
  std::vector<Computation*> called;
  for (int i = 0; i < 40000; ++i) {
    Computation* c = module.createComputation(fmt::format("sub_{}", i));
    c->setRoot(c->create(Opcode::Negate, scalar, {c->createParameter(0, scalar, fmt::format("sp_{}", i))},
                         fmt::format("sn_{}", i)));
    called.push_back(c);
  }
  Computation* entry = module.createComputation("entry");
  module.setEntry(entry);
  Instruction* at =
      entry->create(Opcode::CustomCall, scalar, {entry->createParameter(0, scalar, "p")}, "call");
  at->set<Attr::CustomCallTarget>("dummy_target");
  const FrontendAttribute hint{"scheduler_hint", "force_delay"};
  at->set<Attr::FrontendAttributes>({&hint, 1});
  for (int i = 0; i < 200000; ++i) at = entry->create(Opcode::Negate, scalar, {at}, fmt::format("n_{}", i));
  for (Computation* c : called) {
    at = entry->create(Opcode::Call, scalar, {at}, fmt::format("c_{}", at->id().value));
    at->set<Attr::ToApply>(c);
  }
  entry->setRoot(at);
  module.set<Attr::IsScheduled>(true);
  const auto result = scheduleToHideLatency(module, {.config = testConfig()});
  EXPECT_TRUE(result) << toString(result.error());
  noteConformance("NoOOMWithManyComputationsAndBuffers", HasFailure() ? "does not hold" : "holds");
}

}  // namespace
}  // namespace hilo
