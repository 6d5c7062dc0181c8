// Targets as XLA:CPU writes them down: read, written, and compiled for, wherever this is.
#include "core/workspace/run/target_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/hlo/proto/message_io.h"
#include "core/hlo/text/parse.h"
#include "core/workspace/thunks/compile_report.h"
#include "tests/support/xla_executable.h"

namespace hilo {
namespace {

using testing::Contains;
using testing::Not;

std::string kindOf(const Result<ProgramTarget>& target) { return target ? "fine" : target.error().kind; }

TEST(TargetOptions, FeaturesAreAddedAndTakenAway) {
  const auto target =
      targetOf("x86_64-unknown-linux-gnu", "skylake-avx512", "+prefer-256-bit,-avx512vl,+bmi2");
  ASSERT_TRUE(target) << toString(target.error());
  EXPECT_THAT(target->features, Contains("avx512f"));
  EXPECT_THAT(target->features, Not(Contains("avx512vl")));
  EXPECT_THAT(target->features, Not(Contains("prefer-256-bit")));
  EXPECT_TRUE(std::ranges::is_sorted(target->features));
}

TEST(TargetOptions, WhatCannotBeCompiledForIsRefusedByName) {
  EXPECT_EQ(kindOf(targetOf("nvptx64-nvidia-cuda", "sm_90", "")), "unsupported-target");
  EXPECT_EQ(kindOf(targetOf("x86_64-apple-darwin", "skylake", "")), "unsupported-target");
  EXPECT_EQ(kindOf(targetOf("aarch64-unknown-linux-gnu", "skylake", "")), "unsupported-target");
  EXPECT_EQ(kindOf(targetOf("x86_64-unknown-linux-gnu", "skylake", "-fma")), "unsupported-cpu");
  EXPECT_EQ(kindOf(targetOf("x86_64-unknown-linux-gnu", "", "")), "unsupported-cpu");
  EXPECT_EQ(kindOf(targetOf("x86_64-unknown-linux-gnu", "abacus", "")), "unknown-cpu");
}

class TargetFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / "hilo_target_options_test";
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string write(const char* name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return folder_ / name;
  }
  std::filesystem::path folder_;
};

TEST_F(TargetFiles, WhatIsWrittenReadsTheSame) {
  for (const char* cpu : {"haswell", "skylake-avx512"}) {
    const auto target = targetOf("x86_64-pc-linux-gnu", cpu, "-popcnt");
    ASSERT_TRUE(target) << toString(target.error());
    for (const bool asText : {false, true}) {
      const auto again = readTarget(write("target", *writtenTarget(*target, asText)));
      ASSERT_TRUE(again) << toString(again.error());
      EXPECT_EQ(again->triple, target->triple);
      EXPECT_EQ(again->processor, target->processor);
      EXPECT_EQ(again->features, target->features);
    }
  }
}

TEST_F(TargetFiles, AnExecutableHoldsOneAndAModuleNone) {
  pb::CompilationResultProto executable = xlaExecutable();
  executable.mutable_target_machine_options()->set_triple("x86_64-unknown-linux-gnu");
  executable.mutable_target_machine_options()->set_cpu("haswell");
  executable.mutable_thunk_sequence()->add_thunks()->mutable_call_thunk();
  const auto target = readTarget(write("executable.pb", *toBinaryProto(executable)));
  ASSERT_TRUE(target) << toString(target.error());
  EXPECT_EQ(target->processor, "haswell");
  EXPECT_FALSE(readTarget(write("module.hlo", "HloModule m\n")));
  EXPECT_EQ(kindOf(readTarget(write("empty.textproto", ""))), "no-target");
}

TEST_F(TargetFiles, AModuleIsCompiledForAProcessorThatIsNotHere) {
  const auto module = parseModule(
                          "HloModule m\nENTRY e {\n  a = f32[64] parameter(0)\n"
                          "  ROOT b = f32[64] negate(a)\n}\n")
                          .module;
  const std::string out = folder_ / "out.textproto";
  const std::string in = write("in.textproto", "triple: \"aarch64-unknown-linux-gnu\" cpu: \"neoverse-v1\"");
  const auto report = compileAndReport(
      {.module = std::shared_ptr<const Module>(module->clone()), .targetPath = in, .targetOut = out});
  ASSERT_TRUE(report) << toString(report.error());
  EXPECT_THAT(report->text, testing::HasSubstr("aarch64"));
  const auto written = readTarget(out);
  ASSERT_TRUE(written) << toString(written.error());
  EXPECT_EQ(written->processor, "neoverse-v1");
}

}  // namespace
}  // namespace hilo
