// cuda-sim in a worker: what breaks, hangs or takes too much ends that process, is told, and the
// next run goes well.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "core/workspace/run/runs.h"
#include "tests/support/module_text.h"
#include "tests/unit/runtime/executor/device/grid_programs.h"

namespace hilo {
namespace {

using testing::Contains;
using testing::HasSubstr;

WorkerOptions inHilo(double seconds = 0, int64_t bytes = 0) {
  return {.command = {HILO_PROGRAM, "worker"},
          .timeLimitNs = static_cast<int64_t>(seconds * 1e9),
          .memoryLimitBytes = bytes};
}

// One kernel of 8e9 products.
const std::string kLongKernel = R"(ENTRY e { a = f64[] parameter(0)
  b = f64[2000,2000] broadcast(a), dimensions={}
  ROOT d = f64[2000,2000] dot(b, b), lhs_contracting_dims={1}, rhs_contracting_dims={0} })";

TEST(SimulatedWorker, EndsARunWithinAKernel) {
  const auto run =
      execute({.module = moduleOf(kLongKernel), .engine = "cuda-sim", .worker = inHilo(1)}, JobContext());
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().kind, "time-limit");
  EXPECT_THAT(run.error().notes, Contains(HasSubstr("(kernel)")));
}

TEST(SimulatedWorker, IsEndedWhenTheRunIsCancelled) {
  const CancelToken cancel;
  std::jthread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    cancel.cancel();
  });
  const auto run = execute({.module = moduleOf(kLongKernel), .engine = "cuda-sim", .worker = inHilo()},
                           JobContext(cancel));
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().kind, "cancelled");
}

TEST(SimulatedWorker, KeepsToItsMemory) {
  const auto module = moduleOf(R"(less { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = pred[] compare(a, b), direction=LT, type=TOTALORDER }
ENTRY e { a = f32[] parameter(0)
  b = f32[100000000] broadcast(a), dimensions={}
  c = f32[100000000] sort(b), dimensions={0}, to_apply=less
  ROOT s = f32[1] slice(c), slice={[5:6]} })");
  const auto run =
      execute({.module = module, .engine = "cuda-sim", .worker = inHilo(0, 100'000'000)}, JobContext());
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().kind, "out-of-memory");
}

// Adds far past its arrays.
std::shared_ptr<const Program> wild() {
  Program program = gridProgram();
  program.sequences[0] = {copyThunk("start", 0, 1), addThunk("wild", 0, 1)};
  program.kernels[0].launch.gridX = 1 << 26;
  return std::make_shared<const Program>(std::move(program));
}
RunRequest wildRun(bool isChecked) {
  return {.program = wild(), .engine = "cuda-sim", .worker = inHilo(), .checks = {.isChecked = isChecked}};
}

TEST(SimulatedWorker, CrashesAlone) {
  const auto run = execute(wildRun(false), JobContext());
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().kind, "worker-crashed");
  EXPECT_THAT(run.error().message, HasSubstr("SIGSEGV"));
  EXPECT_THAT(run.error().message, HasSubstr("wild (kernel)"));
}

TEST(SimulatedWorker, SaysWhereAKernelLeavesItsArrays) {
  const auto run = execute(wildRun(true), JobContext());
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().kind, "out-of-bounds");
  EXPECT_EQ(run.error().place.file, "add.ptx");
  EXPECT_GT(run.error().place.line, 0u);
  EXPECT_EQ(run.error().place.instruction, "wild");
  EXPECT_THAT(run.error().message, HasSubstr("argument 0 of wild"));
}

TEST(SimulatedWorker, RefusesChecksOfEnginesThatDoNotCheck) {
  const auto run = execute({.module = moduleOf("ENTRY e { ROOT a = f32[4] parameter(0) }"),
                            .engine = "cpu",
                            .checks = {.isChecked = true}},
                           JobContext());
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().kind, "unsupported-check");
}

// Two arrays of the entry and one between: no more is planned, and no more is held.
TEST(SimulatedWorker, TellsWhatTheDeviceHeldBesideThePlan) {
  const auto module = moduleOf(R"(ENTRY e { a = f32[1000,100] parameter(0)
  t = f32[100,1000] transpose(a), dimensions={1,0}
  ROOT d = f32[1000,1000] dot(a, t), lhs_contracting_dims={1}, rhs_contracting_dims={0} })");
  const auto run = execute({.module = module, .engine = "cuda-sim", .worker = inHilo()}, JobContext());
  ASSERT_TRUE(run) << toString(run.error());
  EXPECT_GE(run->plannedBytes, 4 * (100'000 + 1'000'000));
  EXPECT_EQ(run->mostHeldBytes, run->plannedBytes);
}

}  // namespace
}  // namespace hilo
