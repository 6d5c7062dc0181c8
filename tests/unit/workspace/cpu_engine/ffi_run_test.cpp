// Handlers of XLA's FFI in modules that are run: in a worker that may die of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "core/hlo/text/parse.h"
#include "core/workspace/run/runs.h"

namespace hilo {
namespace {

using testing::HasSubstr;

const bool kFfiIsSet =
    setenv("HILO_FFI_LIBRARIES", HILO_FFI_HANDLERS, 1) == 0 &&
    setenv("HILO_FFI_HANDLERS",
           "stages=stages,stages@prepare=stagesPrepare,stages@initialize=stagesInitialize", 1) == 0;

Result<RunRecord> runText(const std::string& engine, const std::string& text) {
  auto module = parseModuleStrictly(text);
  EXPECT_TRUE(module.has_value()) << toString(module.error());
  return execute({.module = *std::move(module),
                  .engine = engine,
                  .worker = WorkerOptions{.command = {HILO_LOADER, "worker"}}},
                 JobContext());
}

Result<RunRecord> runFfi(const std::string& engine, const std::string& target) {
  return runText(engine, fmt::format(R"(HloModule m
ENTRY e {{ a = f32[3] constant({{1, 2, 3}})
  n = f32[3] negate(a)
  c = f32[3] custom-call(n), custom_call_target="{}", api_version=API_VERSION_TYPED_FFI,
      backend_config={{scale = 2.0 : f32, inner = {{shift = -7 : i16}}}}
  ROOT r = f32[3] add(c, c) }})",
                                     target));
}

TEST(FfiRun, RunsInAWorker) {
  ASSERT_TRUE(kFfiIsSet);
  const auto run = runFfi("cpu:no-cache", "scaleShift");
  ASSERT_TRUE(run.has_value()) << toString(run.error());
  const auto values = run->output->data<float>();
  EXPECT_THAT(std::vector<float>(values.begin(), values.end()), testing::ElementsAre(-18, -22, -26));
}

TEST(FfiRun, ACrashEndsTheWorkerAndIsToldWithTheCall) {
  const auto run = runFfi("cpu:no-cache", "dies");
  ASSERT_FALSE(run.has_value());
  EXPECT_EQ(run.error().kind, "worker-crashed");
  EXPECT_THAT(toString(run.error()), HasSubstr("c"));
  const auto after = runFfi("cpu:no-cache", "scaleShift");
  EXPECT_TRUE(after.has_value());
}

// The second is in a loop, whose thunks have a sequence of their own.
TEST(FfiRun, AllCallsArePreparedThenInitializedBeforeTheFirstExecutes) {
  const auto run = runText("cpu:no-cache", R"(HloModule m
body { t = (s64[], s64[]) parameter(0)
  i = s64[] get-tuple-element(t), index=0
  v = s64[] get-tuple-element(t), index=1
  one = s64[] constant(1)
  next = s64[] add(i, one)
  c = s64[] custom-call(v), custom_call_target="stages", api_version=API_VERSION_TYPED_FFI
  ROOT r = (s64[], s64[]) tuple(next, c) }
condition { t = (s64[], s64[]) parameter(0)
  i = s64[] get-tuple-element(t), index=0
  one = s64[] constant(1)
  ROOT more = pred[] compare(i, one), direction=LT }
ENTRY e { zero = s64[] constant(0)
  first = s64[] custom-call(zero), custom_call_target="stages", api_version=API_VERSION_TYPED_FFI
  start = (s64[], s64[]) tuple(zero, first)
  w = (s64[], s64[]) while(start), condition=condition, body=body
  ROOT r = s64[] get-tuple-element(w), index=1 })");
  ASSERT_TRUE(run.has_value()) << toString(run.error());
  EXPECT_EQ(run->output->data<int64_t>()[0], 2);
}

TEST(FfiRun, WhatWasBuiltForAnotherVersionIsRefusedBeforeItRuns) {
  const auto run = runFfi("cpu:no-cache", "fromTheFuture");
  ASSERT_FALSE(run.has_value());
  EXPECT_EQ(run.error().kind, "ffi-version");
}

}  // namespace
}  // namespace hilo
