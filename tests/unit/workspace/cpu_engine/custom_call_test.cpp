// Custom calls of a plug-in: what it is given, what it says when it refuses, and targets nobody has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "core/hlo/text/parse.h"
#include "core/workspace/open/plugins.h"
#include "core/workspace/run/runs.h"

namespace hilo {
namespace {

using testing::HasSubstr;

// Before anything looks for plug-ins.
const bool kSearchPathIsSet = setenv("HILO_PLUGIN_PATH", HILO_SCALED_ADD_PLUGIN, 1) == 0;

Result<RunRecord> runCall(const std::string& target, const std::string& attributes,
                          const char* shape = "f32[3]") {
  auto module = parseModuleStrictly(fmt::format(R"(HloModule m
ENTRY e {{ a = f32[3] constant({{1, 2, 3}})
  b = f32[3] constant({{10, 20, 30}})
  n = f32[3] negate(a)
  c = {} custom-call(n, b), custom_call_target="{}", api_version=API_VERSION_TYPED_FFI{}
  ROOT r = {} add(c, c) }})",
                                                shape, target, attributes, shape));
  EXPECT_TRUE(module.has_value()) << toString(module.error());
  return execute({.module = *std::move(module), .engine = "cpu:no-cache"}, JobContext());
}

TEST(CustomCall, RunsWithItsAttributes) {
  ASSERT_TRUE(kSearchPathIsSet);
  const auto run = runCall("hilo.example.scaled_add", ", backend_config={scale = 2.0 : f32}");
  ASSERT_TRUE(run.has_value()) << toString(run.error());
  const auto values = run->output->data<float>();
  EXPECT_THAT(std::vector<float>(values.begin(), values.end()), testing::ElementsAre(16, 32, 48));
}

TEST(CustomCall, WhatAHandlerRefusesIsSaid) {
  const auto run = runCall("hilo.example.scaled_add", ", backend_config={shift = 1 : i64}");
  ASSERT_FALSE(run.has_value());
  EXPECT_EQ(run.error().kind, "wrong-custom-call");
  EXPECT_EQ(run.error().message, "custom call \"hilo.example.scaled_add\" of c: has no attribute but scale");
}

TEST(CustomCall, UnknownTargetsAndBrokenAttributesAreRefusedBeforeAnythingRuns) {
  const auto unknown = runCall("no.such.target", "");
  ASSERT_FALSE(unknown.has_value());
  EXPECT_EQ(unknown.error().kind, "not-runnable");
  EXPECT_THAT(unknown.error().notes, testing::Contains(HasSubstr("no.such.target")));
  const auto broken = runCall("hilo.example.scaled_add", ", backend_config={scale = }");
  ASSERT_FALSE(broken.has_value());
  EXPECT_EQ(broken.error().kind, "not-runnable");
}

TEST(CustomCall, IsListedWithItsPlugin) {
  const auto plugins = listPlugins();
  ASSERT_EQ(plugins.size(), 1u);
  ASSERT_EQ(plugins[0].customCalls.size(), 1u);
  EXPECT_EQ(plugins[0].customCalls[0].first, "hilo.example.scaled_add");
}

}  // namespace
}  // namespace hilo
