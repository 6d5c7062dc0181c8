// XLA's plan and Hilo's of one module: where they are found, what is noted, and what they have in common.
#include "core/workspace/memory/memory_plans.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/hlo/text/parse.h"
#include "core/workspace/schedule/step_times.h"

namespace hilo {
namespace {

namespace fs = std::filesystem;

constexpr const char* kModule = R"(HloModule m, is_scheduled=true

%less (x: f32[], y: f32[]) -> pred[] {
  %x = f32[] parameter(0)
  %y = f32[] parameter(1)
  ROOT %lt = pred[] compare(f32[] %x, f32[] %y), direction=LT
}

ENTRY %e (p: f32[100]) -> f32[100] {
  %p = f32[100]{0} parameter(0)
  %a = f32[100]{0} reverse(f32[100]{0} %p), dimensions={0}
  ROOT %d = f32[100]{0} sort(f32[100]{0} %a), dimensions={0}, to_apply=%less
}
)";

// `shared` is called twice.
constexpr const char* kShared = R"(HloModule shared
helper {
  x = f32[1000] parameter(0)
  ROOT r = f32[1000] reverse(x), dimensions={0}
}
ENTRY e {
  p = f32[1000] parameter(0)
  one = f32[1000] call(p), to_apply=helper
  both = f32[1000] add(one, p)
  ROOT two = f32[1000] call(both), to_apply=helper
})";

class MemoryPlansTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("plans_" + std::to_string(getpid()));
    fs::create_directories(folder_);
    write("m.txt", kModule);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  MemoryPlans plan() {
    auto plans = planMemory((folder_ / "m.txt").string(), {});
    EXPECT_TRUE(plans) << (plans ? "" : plans.error().message);
    return plans ? std::move((*plans)[0]) : MemoryPlans{};
  }
  static bool noted(const MemoryPlans& plans, std::string_view kind) {
    return std::ranges::any_of(plans.notes, [&](const Diagnostic& note) { return note.kind == kind; });
  }
  fs::path folder_;
};

TEST_F(MemoryPlansTest, SaysThatThereIsNoPlanOfXlas) {
  const MemoryPlans plans = plan();
  EXPECT_FALSE(plans.xla);
  ASSERT_TRUE(plans.hilo);
  EXPECT_TRUE(noted(plans, "no-xla-plan"));
  EXPECT_FALSE(noted(plans, "not-scheduled"));
  EXPECT_EQ(plans.sequence.size(), 3u);
}

TEST_F(MemoryPlansTest, ReadsThePlanBesideTheTextAndTellsWhereTheyPart) {
  // Hilo sorts over a, which lies with the result; this plan has a elsewhere.
  write("m-buffer-assignment.txt", R"(BufferAssignment:
allocation 0: size 400, parameter 0, shape |f32[100]| at ShapeIndex {}:
 value: <0 p @0> (size=400,offset=0): f32[100]{0}
allocation 1: size 400, maybe-live-out:
 value: <2 d @0> (size=400,offset=0): f32[100]{0}
allocation 2: size 400, preallocated-temp:
 value: <1 a @0> (size=400,offset=0): f32[100]{0}

Total bytes used: 1200 (1.2KiB)
)");
  write("m-memory-usage-report.txt", R"(Total bytes used: 1200 (1.2KiB)

Allocations sorted by size:

cumulative_size; total_size - cumulative_size; allocation
------------------------------------------------------------------------------
      400B( 33%);       800B; allocation 0: size 400B, parameter 0, shape |f32[100]| at ShapeIndex {}:
      800B( 67%);       400B; allocation 1: size 400B, maybe-live-out:
     1.2KiB(100%);         0B; allocation 2: size 600B, preallocated-temp:
)");
  const MemoryPlans plans = plan();
  ASSERT_TRUE(plans.xla);
  EXPECT_EQ(plans.xla->profile.totals.temporaries, 400);
  EXPECT_EQ(plans.xla->profile.unknownValues, 0);
  ASSERT_EQ(plans.differences.size(), 1u);
  EXPECT_EQ(plans.differences[0].name, "a");
  EXPECT_EQ(plans.differences[0].a, PlaceKind::Temporary);
  EXPECT_EQ(plans.differences[0].b, PlaceKind::Output);
  EXPECT_TRUE(noted(plans, "report-differs"));  // allocation 2 alone
  EXPECT_EQ(plans.notes.size(), 1u);
}

// What a call runs has steps of its own, so that the call takes nothing.
TEST_F(MemoryPlansTest, StepsTakeWhatTheirInstructionsAreEstimatedTo) {
  auto parsed = parseModuleStrictly(kShared);
  ASSERT_TRUE(parsed);
  const auto plans = planMemory(std::shared_ptr<const Module>(std::move(*parsed)), nullptr, {});
  ASSERT_TRUE(plans) << plans.error().message;
  const auto times = stepTimes(*plans->module, plans->sequence, "h200");
  ASSERT_TRUE(times) << times.error().message;
  ASSERT_EQ(times->size(), plans->sequence.size());
  size_t timed = 0;
  for (size_t i = 0; i < times->size(); ++i) {
    const Opcode opcode = plans->module->instruction(plans->sequence[i])->opcode();
    const bool takes = opcode == Opcode::Reverse || opcode == Opcode::Add;
    EXPECT_EQ((*times)[i] > 0, takes) << plans->module->instruction(plans->sequence[i])->name();
    timed += takes;
  }
  EXPECT_EQ(timed, 3u) << "the helper's, for each caller, and the sum";
  EXPECT_EQ(stepTimes(*plans->module, plans->sequence, "abacus").error().kind, "unknown-device");
}

TEST_F(MemoryPlansTest, GivesEachCallerItsOwnCopyOfASharedComputation) {
  auto parsed = parseModuleStrictly(kShared);
  ASSERT_TRUE(parsed);
  const std::shared_ptr<const Module> module = std::move(*parsed);
  const auto plans = planMemory(module, nullptr, {});
  ASSERT_TRUE(plans) << plans.error().message;
  EXPECT_TRUE(noted(*plans, "calls-flattened"));
  EXPECT_NE(plans->module, module);
  for (const Instruction* instruction : module->entry()->instructions()) {
    const Instruction* same = plans->module->instruction(instruction->id());
    ASSERT_NE(same, nullptr);
    EXPECT_EQ(same->name(), instruction->name());
  }
  EXPECT_EQ(plans->sequence.size(), 8u);  // both calls' instructions
  EXPECT_TRUE(plans->hilo->problems.empty());
}

}  // namespace
}  // namespace hilo
