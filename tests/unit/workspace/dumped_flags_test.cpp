// Fast math as a dump's debug options ask for it.
#include "core/workspace/run/dumped_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/compiler/codegen/emit/fast_math.h"
#include "core/workspace/open/opened.h"
#include "core/workspace/path/open_path.h"
#include "core/workspace/run/runs.h"
#include "core/workspace/values/first_divergence.h"

namespace hilo {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(DumpedFlags, EveryOptionGivesItsFlag) {
  for (const FastMathFlag& flag : kFastMathFlags) {
    const std::string line = fmt::format("{}: {}\n", flag.option, flag.takenBy);
    const std::string text = flag.needsFastMath ? "xla_cpu_enable_fast_math: true\n" + line : line;
    EXPECT_THAT(fastMathFlagsIn(text), Contains(flag.name)) << text;
    EXPECT_THAT(fastMathFlagsIn(fmt::format("{}: {}\n", flag.option, !flag.takenBy)), IsEmpty());
  }
}

TEST(DumpedFlags, WhatGoesWithFastMathIsNothingWithoutIt) {
  EXPECT_THAT(fastMathFlagsIn("xla_cpu_fast_math_honor_nans: false\nxla_cpu_enable_fast_min_max: true\n"),
              ElementsAre("fast-min-max"));
}

TEST(DumpedFlags, OfAConfigTheOptionsWithinIt) {
  EXPECT_THAT(fastMathFlagsIn("replica_count: 1\ndebug_options {\n  xla_cpu_enable_fast_math: true\n"
                              "  xla_dump_to: \"xla_cpu_enable_fast_min_max: true\"\n}\n"),
              ElementsAre("fast-math"));
}

class DumpedFlagsTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / "hilo_dumped_flags_test";
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    write("module_0001.jit_f.before_optimizations.txt",
          "HloModule jit_f\nENTRY e {\n  a = f32[4] parameter(0)\n  ROOT b = f32[4] add(a, a)\n}\n");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void write(const char* name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  Result<RunRecord> run(const std::string& engine) const {
    const std::string path = folder_ / "module_0001.jit_f.before_optimizations.txt";
    const auto file = openFile(path);
    return execute({.module = (*file)->module, .source = path, .engine = engine}, JobContext());
  }
  std::filesystem::path folder_;
};

TEST_F(DumpedFlagsTest, ARunIsKeptWithTheFlagsThatItTook) {
  write("module_0001.jit_f.debug_options",
        "xla_cpu_enable_fast_math: true\nxla_cpu_fast_math_honor_infs: false\n");
  const auto record = run("cpu:no-cache+as-dumped");
  ASSERT_TRUE(record) << toString(record.error());
  EXPECT_EQ(record->flags, "no-cache fast-math fast-math-no-infs");
  EXPECT_THAT(record->notes, Contains("flags as dumped in module_0001.jit_f.debug_options: fast-math, "
                                      "fast-math-no-infs"));
}

TEST_F(DumpedFlagsTest, OptionsThatAskForNothingGiveNoFlags) {
  write("module_0001.jit_f.debug_options", "xla_cpu_enable_fast_math: false\n");
  const auto record = run("cpu:no-cache+as-dumped");
  ASSERT_TRUE(record) << toString(record.error());
  EXPECT_EQ(record->flags, "no-cache");
  EXPECT_THAT(record->notes, Contains(HasSubstr(": none")));
}

TEST_F(DumpedFlagsTest, WithoutOptionsBesideItAModuleIsRefused) {
  write("module_0002.jit_g.debug_options", "xla_cpu_enable_fast_math: true\n");
  const auto record = run("cpu:no-cache+as-dumped");
  ASSERT_FALSE(record);
  EXPECT_EQ(record.error().kind, "no-debug-options");
}

TEST_F(DumpedFlagsTest, SearchesRefuseTheFlagOnEitherSide) {
  write("module_0001.jit_f.debug_options", "xla_cpu_enable_fast_math: true\n");
  const auto file = openFile(folder_ / "module_0001.jit_f.before_optimizations.txt");
  ASSERT_TRUE(file);
  const auto kindOf = [&](const char* truth, const char* engine) {
    const DivergenceRequest request{.truth = {.module = (*file)->module, .engine = truth}, .engine = engine};
    const auto found = findFirstDivergence(request, JobContext());
    return found ? "none" : found.error().kind;
  };
  EXPECT_EQ(kindOf("reference", "cpu:as-dumped"), "unsupported-flag");
  EXPECT_EQ(kindOf("cpu:as-dumped", "reference"), "unsupported-flag");
}

}  // namespace
}  // namespace hilo
