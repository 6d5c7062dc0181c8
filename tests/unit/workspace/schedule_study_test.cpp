// Scenarios over one small module: two matrix products, of which one is independent of a gather.
#include "core/workspace/schedule/schedule_study.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"
#include "core/workspace/schedule/schedule_compare.h"
#include "core/workspace/schedule/schedule_export.h"
#include "core/workspace/schedule/schedule_why.h"

namespace hilo {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kModule = R"(HloModule m, is_scheduled=true, num_partitions=2
ENTRY e {
  x = bf16[512,1024]{1,0} parameter(0)
  w = bf16[1024,1024]{1,0} parameter(1)
  start = (bf16[512,1024]{1,0}, bf16[1024,1024]{1,0}) all-gather-start(x), replica_groups={{0,1}}, dimensions={0}
  done = bf16[1024,1024]{1,0} all-gather-done(start)
  independent = bf16[512,1024]{1,0} dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  needs = bf16[1024,1024]{1,0} dot(done, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT t = (bf16[512,1024]{1,0}, bf16[1024,1024]{1,0}) tuple(independent, needs)
}
)";

class ScheduleStudyTest : public testing::Test {
 protected:
  void SetUp() override {
    auto parsed = parseModuleStrictly(kModule);
    ASSERT_TRUE(parsed) << toString(parsed.error());
    module_ = std::move(*parsed);
    auto study = ScheduleStudy::open(module_, true, JobContext());
    ASSERT_TRUE(study);
    study_ = *std::move(study);
  }
  ScheduleOutcome run(const ScheduleScenario& scenario) {
    auto outcome = study_->run(scenario, JobContext());
    EXPECT_TRUE(outcome) << (outcome ? "" : toString(outcome.error()));
    return outcome ? *std::move(outcome) : ScheduleOutcome{};
  }
  static std::vector<std::string> names(const ScheduleOutcome& outcome) {
    std::vector<std::string> list;
    for (const Instruction* i : outcome.module->entry()->instructions()) list.emplace_back(i->name());
    return list;
  }
  std::shared_ptr<const Module> module_;
  std::shared_ptr<const ScheduleStudy> study_;
};

TEST_F(ScheduleStudyTest, TheOriginalStaysAndTheSchedulerHides) {
  const ScheduleOutcome original = run({.preset = "original"});
  EXPECT_THAT(names(original), ElementsAre("x", "w", "start", "done", "independent", "needs", "t"));
  const auto rows = overlapRows(original);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].what, "all-gather of 2 devices");
  EXPECT_EQ(rows[0].workNs, 0);
  EXPECT_DOUBLE_EQ(rows[0].exposedNs, rows[0].latencyNs);
  const ScheduleOutcome ours = run({.preset = "gpu"});
  const auto after = overlapRows(ours);
  EXPECT_GT(after[0].workNs, 0);
  EXPECT_DOUBLE_EQ(after[0].exposedNs, after[0].latencyNs - after[0].workNs);
  EXPECT_DOUBLE_EQ(ours.metrics.exposedNs, after[0].exposedNs);
}

TEST_F(ScheduleStudyTest, AMoveGoesAsFarAsItMay) {
  const ScheduleOutcome moved = run({.preset = "original", .moves = {{"done", "needs"}}});
  EXPECT_THAT(names(moved), ElementsAre("x", "w", "start", "independent", "done", "needs", "t"));
  EXPECT_TRUE(moved.notes.empty());
  const ScheduleOutcome tooFar = run({.preset = "original", .moves = {{"done", "t"}}});
  EXPECT_EQ(names(tooFar), names(moved));
  ASSERT_EQ(tooFar.notes.size(), 1u);
  EXPECT_EQ(tooFar.notes[0], "done cannot come after needs: it is moved as near to t as it may");
  const ScheduleOutcome back =
      run({.preset = "original", .moves = {{"done", "needs"}, {"done", "independent"}}});
  EXPECT_EQ(names(back), names(run({.preset = "original"})));
  EXPECT_THAT(run({.moves = {{"nobody", "t"}}}).notes, ElementsAre(HasSubstr("nobody was not moved")));
}

TEST_F(ScheduleStudyTest, APinHoldsAgainstTheScheduler) {
  const ScheduleOutcome held =
      run({.preset = "gpu", .pins = {{.instruction = "independent", .after = "done", .before = ""}}});
  const auto order = names(held);
  EXPECT_LT(std::ranges::find(order, "done"), std::ranges::find(order, "independent"));
  // The pin is the study's, not the module's.
  EXPECT_FALSE(held.module->findInstruction("independent")->has(Attr::ControlPredecessors));
  const ScheduleOutcome cycle =
      run({.preset = "gpu", .pins = {{.instruction = "needs", .after = "", .before = "done"}}});
  EXPECT_THAT(cycle.notes, ElementsAre("needs cannot be held before done, which it depends on"));
}

TEST_F(ScheduleStudyTest, ALatencyIsWhatItIsSaidToBe) {
  const ScheduleOutcome slow = run({.preset = "original", .latenciesUs = {{"start", 250}}});
  EXPECT_DOUBLE_EQ(overlapRows(slow)[0].latencyNs, 250'000);
}

TEST_F(ScheduleStudyTest, WrongOrdersAreToldInXlasWords) {
  const auto faultsOf = [&](const std::string& order) {
    std::vector<std::string> messages;
    for (const ScheduleFault& fault : run({.order = order}).faults) messages.push_back(fault.message);
    return messages;
  };
  EXPECT_THAT(faultsOf("x\nw\ndone\nstart\nindependent\nneeds\nt\n"),
              ElementsAre("Instruction done is not scheduled after its operand start"));
  EXPECT_THAT(faultsOf("x\nw\nstart\ndone\nneeds\nt\n"),
              ElementsAre("Schedule for computation e has 6 instructions, expected 7",
                          "Instruction independent is not in schedule",
                          "Instruction t is not scheduled after its operand independent"));
  EXPECT_THAT(faultsOf("x\nw\nstart\ndone\ndone\nindependent\nneeds\nt\n"),
              ElementsAre("Instruction done appears more than once in the schedule"));
  EXPECT_THAT(
      faultsOf("ENTRY %e () -> f32[] {\n  %w = parameter\n  %x = p\n  %start = s\n  %independent = d\n  "
               "%done = d\n  %needs = n\n  ROOT %t = (f32[]) tuple(%x)\n}\n"),
      ElementsAre());
}

TEST_F(ScheduleStudyTest, AnOrderThatWasRefusedInItsFileIsNone) {
  const InstructionId done = module_->findInstruction("done")->id();
  const auto study = ScheduleStudy::open(module_, true, JobContext(), {{done, "refused"}});
  const auto original = (*study)->run({.preset = "original"}, JobContext());
  ASSERT_EQ(original->faults.size(), 1u);
  EXPECT_EQ(original->faults[0].instruction, done);
  EXPECT_TRUE((*study)->run({.preset = "gpu"}, JobContext())->faults.empty());
  EXPECT_EQ(exportSchedule(**study, *original, ScheduleExport::Module).error().message, "refused");
}

TEST_F(ScheduleStudyTest, AnAnswerNamesWhatHidesAndWhatWouldHelp) {
  const ScheduleOutcome original = run({.preset = "original"});
  const auto answer =
      explainPlace(*study_, original, original.module->findInstruction("start")->id(), JobContext());
  ASSERT_TRUE(answer);
  const std::string text = answerText(*answer);
  EXPECT_THAT(text, HasSubstr("Why not overlapped?"));
  EXPECT_THAT(text, HasSubstr("%independent"));
  ASSERT_EQ(answer->suggestions.size(), 1u);
  EXPECT_EQ(answer->suggestions[0].move, (ScheduleMove{"done", "needs"}));
  // Taken, it does what it says.
  const ScheduleOutcome helped = run({.preset = "original", .moves = {answer->suggestions[0].move}});
  EXPECT_LT(helped.metrics.exposedNs, original.metrics.exposedNs);
  const ScheduleOutcome ours = run({.preset = "gpu"});
  const auto why = explainPlace(*study_, ours, ours.module->findInstruction("done")->id(), JobContext());
  EXPECT_THAT(answerText(*why), HasSubstr("(kScheduleDone)"));
}

TEST_F(ScheduleStudyTest, AComparisonSaysWhatMovedAndWhy) {
  const auto compared =
      compareSchedules(*study_, run({.preset = "original"}), run({.preset = "gpu"}), JobContext());
  ASSERT_TRUE(compared);
  ASSERT_EQ(compared->overlaps.size(), 1u);
  EXPECT_LT(compared->overlaps[0].changeNs(), 0);
  ASSERT_GE(compared->movedCount, 1u);
  EXPECT_THAT(comparisonText(*compared, 5), HasSubstr("kScheduleDone"));
  const auto same =
      compareSchedules(*study_, run({.preset = "original"}), run({.preset = "original"}), JobContext());
  EXPECT_EQ(same->movedCount, 0u);
  EXPECT_THAT(comparisonText(*same, 5), HasSubstr("nothing moved"));
}

TEST_F(ScheduleStudyTest, ExportsAreKeptByAScheduler) {
  const ScheduleOutcome held = run({.preset = "original", .moves = {{"done", "needs"}}});
  const auto control = exportSchedule(*study_, held, ScheduleExport::Control);
  ASSERT_TRUE(control);
  EXPECT_EQ(control->added, 1u);  // behind the independent work; the product behind it uses it already
  const auto predecessors = control->module->findInstruction("done")->get<Attr::ControlPredecessors>();
  ASSERT_EQ(predecessors.size(), 1u);
  EXPECT_EQ(predecessors[0]->name(), "independent");
  EXPECT_FALSE(control->module->isScheduled());
  const auto groups = exportSchedule(*study_, held, ScheduleExport::Annotations);
  EXPECT_EQ(groups->added, 1u);
  for (const char* member : {"start", "independent", "done"})
    EXPECT_TRUE(groups->module->findInstruction(member)->has(Attr::FrontendAttributes)) << member;
  EXPECT_FALSE(groups->module->findInstruction("needs")->has(Attr::FrontendAttributes));
  EXPECT_EQ(exportSchedule(*study_, held, ScheduleExport::Module)->module, held.module);
  // Groups that are there stay.
  const auto again = ScheduleStudy::open(groups->module, true, JobContext());
  const auto kept = exportSchedule(**again, *(*again)->run({.preset = "original"}, JobContext()),
                                   ScheduleExport::Annotations);
  EXPECT_EQ(kept->added, 0u);
  EXPECT_EQ(kept->notes.size(), 1u);
}

TEST_F(ScheduleStudyTest, TheGpuPresetKeepsToTheMemoryOfTheDevice) {
  const auto limitOf = [](const ScheduleOutcome& outcome) {
    const auto found =
        std::ranges::find(outcome.settings, "memory_limit", &std::pair<std::string, std::string>::first);
    return found == outcome.settings.end() ? "none" : found->second;
  };
  // 80% of 85,899,345,920 bytes, less parameters of 1 and 2 MiB, results of 1 and 2 MiB and a table of two
  // pointers; of that 95%.
  EXPECT_EQ(limitOf(run({.preset = "gpu", .device = "a100"})), "65277526000");
  EXPECT_EQ(limitOf(run({.preset = "gpu", .settings = {{"memory_limit", "5"}}, .device = "a100"})), "5");
  EXPECT_EQ(limitOf(run({.preset = "gpu", .device = "uniform"})), "none");
  EXPECT_EQ(limitOf(run({.preset = "default", .device = "a100"})), "none");
}

TEST(ScheduleStudy, TheGpuPresetDropsTheGroupsThatXlaDrops) {
  auto parsed = parseModuleStrictly(R"(HloModule m, is_scheduled=true
ENTRY e {
  a = f32[8,8]{1,0} parameter(0)
  h = f32[8,8]{1,0} custom-call(a, a), custom_call_target="__cublas$gemm", frontend_attributes={_scheduling_group_id="2"}
  ROOT n = f32[8,8]{1,0} negate(h)
}
)");
  ASSERT_TRUE(parsed) << toString(parsed.error());
  const auto study = ScheduleStudy::open(*std::move(parsed), true, JobContext());
  ASSERT_TRUE(study) << toString(study.error());
  const auto notesOf = [&](const char* preset) {
    const auto outcome = (*study)->run({.preset = preset}, JobContext());
    EXPECT_TRUE(outcome) << (outcome ? "" : toString(outcome.error()));
    return outcome ? outcome->notes : std::vector<std::string>();
  };
  const std::string dropped =
      "scheduling groups: 1 dropped; %h: nothing in its scheduling group is asynchronous";
  EXPECT_THAT(notesOf("gpu"), testing::Contains(dropped));
  EXPECT_THAT(notesOf("default"), testing::Not(testing::Contains(dropped)));
}

TEST(ScheduleStudy, SharedCallsAreFlattenedWithANote) {
  auto parsed = parseModuleStrictly(R"(HloModule m
helper {
  x = f32[4] parameter(0)
  ROOT r = f32[4] negate(x)
}
ENTRY e {
  p = f32[4] parameter(0)
  one = f32[4] call(p), to_apply=helper
  ROOT two = f32[4] call(one), to_apply=helper
})");
  ASSERT_TRUE(parsed);
  const std::shared_ptr<const Module> module = std::move(*parsed);
  const auto study = ScheduleStudy::open(module, true, JobContext());
  ASSERT_TRUE(study) << toString(study.error());
  const auto outcome = (*study)->run({.preset = "original"}, JobContext());
  ASSERT_TRUE(outcome) << toString(outcome.error());
  ASSERT_EQ(outcome->notes.size(), 1u);
  EXPECT_THAT(outcome->notes[0], HasSubstr("each caller is given its own copy"));
  const Instruction* copy = outcome->module->findInstruction("r.1");
  ASSERT_NE(copy, nullptr);
  EXPECT_EQ((*study)->ofModule(copy->id()), module->findInstruction("r")->id());
}

TEST(ScheduleScenario, TextReadsBackAsItWas) {
  const ScheduleScenario scenario{.name = "A",
                                  .preset = "gpu-overlap",
                                  .settings = {{"rerun", "2"}},
                                  .device = "h100",
                                  .latenciesUs = {{"start", 1.5}},
                                  .pins = {{"a", "b", "c"}},
                                  .moves = {{"x", "y"}}};
  const auto read = parseScenario(scenarioText(scenario), "s.json");
  ASSERT_TRUE(read) << toString(read.error());
  EXPECT_EQ(*read, scenario);
  EXPECT_EQ(parseScenario("[]", "s.json").error().kind, "bad-scenario");
  EXPECT_EQ(parseScenario(R"({"moves": [{"instruction": 3}]})", "s.json").error().message,
            "'moves' is not of the right type");
  EXPECT_EQ(parseScenario(R"({"colour": 3})", "s.json").error().message,
            "'colour' is not a field of a scenario");
}

}  // namespace
}  // namespace hilo
