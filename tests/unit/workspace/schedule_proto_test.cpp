// Schedules as XLA writes them: what is written reads back to the same order, and wrong ones are refused
// with XLA's words.
#include "core/workspace/schedule/schedule_proto.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/hlo/proto/schema/dump.pb.h"
#include "core/hlo/text/parse.h"
#include "core/workspace/schedule/schedule.h"

namespace hilo {
namespace {

constexpr const char* kModule = R"(HloModule m, is_scheduled=true
add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT z = f32[] add(x, y)
}
ENTRY e {
  p = f32[1024] parameter(0)
  s = f32[1024] all-reduce-start(p), replica_groups={{0,1}}, to_apply=add
  d = f32[1024] all-reduce-done(s)
  n = f32[1024] exponential(p)
  m = f32[1024] tanh(n)
  ROOT t = (f32[1024], f32[1024]) tuple(d, m), control-predecessors={n}
}
)";

std::vector<std::string> names(const Computation& computation) {
  std::vector<std::string> all;
  for (const Instruction* i : computation.instructions()) all.emplace_back(i->name());
  return all;
}

class ScheduleProtoFile : public testing::Test {
 protected:
  void SetUp() override {
    auto parsed = parseModuleStrictly(kModule);
    ASSERT_TRUE(parsed) << toString(parsed.error());
    module_ = std::move(*parsed);
    ScheduleRequest request{.module = module_, .scenario = {.device = "uniform"}};
    auto report = scheduleModule(request, JobContext());
    ASSERT_TRUE(report) << toString(report.error());
    scheduled_ = report->scheduled;
    const auto bytes = writeScheduleProto(*scheduled_.module, *scheduled_.timeline);
    ASSERT_TRUE(bytes);
    ASSERT_TRUE(proto_.ParseFromString(*bytes));
  }
  void TearDown() override { std::filesystem::remove(path_); }

  pb::ScheduleProto::ComputationScheduleProto& entry() {
    return *proto_.mutable_computation_schedules(proto_.computation_schedules_size() - 1);
  }
  void write() { std::ofstream(path_, std::ios::binary) << proto_.SerializeAsString(); }
  Result<std::shared_ptr<const Module>> readBack() {
    write();
    return moduleInOrderOf(path_);
  }
  // The faults of the module scheduled by the file's order.
  std::vector<std::string> faults() {
    write();
    const auto order = orderTextOf(path_);
    if (!order) return {order.error().message};
    const auto report =
        scheduleModule({.module = module_, .scenario = {.device = "uniform", .order = *order}}, JobContext());
    if (!report) return {report.error().message};
    std::vector<std::string> messages;
    for (const ScheduleFault& fault : report->scheduled.faults) messages.push_back(fault.message);
    if (messages.empty())
      EXPECT_EQ(names(*report->scheduled.module->entry()), names(*scheduled_.module->entry()));
    return messages;
  }
  std::string refusal() {
    const auto read = readBack();
    return read ? "accepted" : read.error().message;
  }

  std::shared_ptr<const Module> module_;
  ScheduleOutcome scheduled_;
  pb::ScheduleProto proto_;
  const std::string path_ = testing::TempDir() + "schedule_proto_test.schedule.pb";
};

TEST_F(ScheduleProtoFile, ReadsBackAsTheSameOrder) {
  const auto expected = names(*scheduled_.module->entry());
  ASSERT_NE(expected, names(*module_->entry())) << "nothing moved: the test says little";
  const auto own = readBack();
  ASSERT_TRUE(own) << toString(own.error());
  EXPECT_EQ(names(*(*own)->entry()), expected);
  EXPECT_TRUE((*own)->isScheduled());
}

TEST_F(ScheduleProtoFile, ItsOrderIsTakenForTheModuleItWasMadeFrom) {
  EXPECT_EQ(faults(), std::vector<std::string>());
  *entry().add_instructions() = entry().instructions(2);
  EXPECT_EQ(faults(),
            (std::vector<std::string>{fmt::format("Instruction {} appears more than once in the schedule",
                                                  names(*scheduled_.module->entry())[2])}));
}

TEST_F(ScheduleProtoFile, HasTimesAndMemory) {
  EXPECT_EQ(entry().cycles_per_microsecond(), 1000);
  EXPECT_EQ(entry().scheduler_statistics().total_cycles(), scheduled_.metrics.makespanNs);
  EXPECT_EQ(entry().scheduler_statistics().all_reduce_wasted_cycles(), scheduled_.metrics.exposedNs);
  double before = 0;
  for (const auto& step : entry().instructions()) {
    EXPECT_GE(step.start_timestamp_cycles(), before);
    EXPECT_GE(step.end_timestamp_cycles(), step.start_timestamp_cycles());
    before = step.start_timestamp_cycles();
  }
  EXPECT_EQ(entry().scheduler_statistics().memory_pressure_peak(), scheduled_.metrics.peakBytes);
}

TEST_F(ScheduleProtoFile, WrongOrdersAreRefused) {
  const auto all = entry();
  entry().mutable_instructions()->SwapElements(0, 1);
  EXPECT_EQ(refusal(), fmt::format("Instruction {} is not scheduled after its operand p",
                                   names(*scheduled_.module->entry())[1]));
  entry() = all;
  *entry().add_instructions() = all.instructions(2);
  EXPECT_EQ(refusal(), fmt::format("Instruction {} appears more than once in the schedule",
                                   names(*scheduled_.module->entry())[2]));
  entry() = all;
  entry().mutable_instructions()->RemoveLast();
  EXPECT_EQ(refusal(), "Schedule for computation e has 5 instructions, expected 6");
  entry() = all;
  entry().mutable_instructions(0)->set_id(12345);
  EXPECT_EQ(refusal(), "the schedule names an instruction of id 12345, which is not in e");
}

TEST_F(ScheduleProtoFile, OtherFilesAreRefused) {
  std::ofstream(path_) << kModule;
  const auto read = moduleInOrderOf(path_);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().kind, "no-schedule");
}

}  // namespace
}  // namespace hilo
