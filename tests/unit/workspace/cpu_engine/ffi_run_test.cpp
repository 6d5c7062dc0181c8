// Handlers of XLA's FFI in modules that are run: in a worker that may die of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "core/hlo/text/parse.h"
#include "core/workspace/run/runs.h"

namespace hilo {
namespace {

using testing::HasSubstr;

const bool kFfiIsSet = setenv("HILO_FFI_LIBRARIES", HILO_FFI_HANDLERS, 1) == 0;

Result<RunRecord> runFfi(const std::string& engine, const std::string& target) {
  auto module = parseModuleStrictly(fmt::format(R"(HloModule m
ENTRY e {{ a = f32[3] constant({{1, 2, 3}})
  n = f32[3] negate(a)
  c = f32[3] custom-call(n), custom_call_target="{}", api_version=API_VERSION_TYPED_FFI,
      backend_config={{scale = 2.0 : f32, inner = {{shift = -7 : i16}}}}
  ROOT r = f32[3] add(c, c) }})",
                                                target));
  EXPECT_TRUE(module.has_value()) << toString(module.error());
  return execute({.module = *std::move(module),
                  .engine = engine,
                  .worker = WorkerOptions{.command = {HILO_LOADER, "worker"}}},
                 JobContext());
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

TEST(FfiRun, WhatWasBuiltForAnotherVersionIsRefusedBeforeItRuns) {
  const auto run = runFfi("cpu:no-cache", "fromTheFuture");
  ASSERT_FALSE(run.has_value());
  EXPECT_EQ(run.error().kind, "ffi-version");
}

}  // namespace
}  // namespace hilo
