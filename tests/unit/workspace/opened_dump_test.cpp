#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/workspace/open/opened.h"
#include "core/workspace/passes/pass_series.h"
#include "core/workspace/path/open_path.h"

namespace hilo {
namespace {

constexpr const char* kDump = "resources/samples/dump";

TEST(OpenedDump, ListsStagesInOrderAndWhatIsMissing) {
  const auto dump = openDump(kDump);
  ASSERT_TRUE(dump) << toString(dump.error());
  ASSERT_EQ((*dump)->modules.size(), 1u);
  const DumpModuleInfo& module = (*dump)->modules[0];
  EXPECT_EQ(module.name, "jit_step");
  ASSERT_EQ(module.stages.size(), 6u);
  EXPECT_EQ(module.stages.front().name, "before_optimizations");
  EXPECT_EQ(module.stages[3].name, "after_dce");
  EXPECT_EQ(module.stages[3].pass, "dce");
  EXPECT_EQ(module.stages[3].pipeline, "simplification");
  EXPECT_EQ(module.stages.back().name, "cpu_after_optimizations");
  EXPECT_THAT(module.missing, testing::Contains(testing::HasSubstr("--xla_dump_module_metadata")));
}

TEST(OpenedDump, BecomesASeriesReadLazily) {
  const auto dump = openDump(kDump);
  ASSERT_TRUE(dump);
  const PassSeries series = seriesFromDump(*dump, 0);
  ASSERT_EQ(series.steps.size(), 6u);
  EXPECT_EQ(series.steps[3].moduleIfLoaded(), nullptr);
  const auto diff = diffSteps(series, 2, 3);
  ASSERT_TRUE(diff) << toString(diff.error());
  EXPECT_GT(diff->removed, 0u);
  EXPECT_EQ(diff->added, 0u);
  EXPECT_NE(series.steps[3].moduleIfLoaded(), nullptr);
}

TEST(OpenedDump, OtherThingsAreRefusedByKind) {
  EXPECT_EQ(openDump("/nowhere").error().kind, "file-not-found");
  EXPECT_EQ(openDump("docs").error().kind, "no-module");
  EXPECT_EQ(openFile(kDump).error().kind, "is-a-directory");
}

TEST(OpenBytes, TextOfSeveralModulesOpensAsTheFirstWithTheRest) {
  const auto file = openBytes(
      "HloModule a\nENTRY e {\n  ROOT p = f32[] parameter(0)\n}\n// -----\nHloModule b\nENTRY e "
      "{\n  ROOT q = f32[] parameter(0)\n}\n",
      "two.hlo");
  ASSERT_TRUE(file) << toString(file.error());
  EXPECT_EQ((*file)->module->name(), "a");
  ASSERT_EQ((*file)->others.size(), 1u);
  const OpenedFile& second = *(*file)->others[0];
  EXPECT_EQ(second.module->name(), "b");
  EXPECT_EQ(placeOf(second, *second.module->findInstruction("q")).line, 8u);
}

TEST(OpenBytes, MoreModulesThanAFileHasAreRefused) {
  std::string text;
  for (int i = 0; i < 10'001; ++i) text += "HloModule a\nENTRY e { ROOT p = f32[] parameter(0) }\n// -----\n";
  const auto file = openBytes(std::move(text), "many.hlo");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().kind, "too-many-modules");
}

TEST(OpenBytes, UnknownContentIsRefusedByName) {
  const auto refused = openBytes(std::string("\x7f") + "ELF\x02\x01\x01" + std::string(60, '\0'), "thing");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, "unknown-file-kind");
  EXPECT_THAT(refused.error().message, testing::HasSubstr("ELF"));
}

TEST(OpenBytes, ABrokenInstructionLeavesTheRestToLookAt) {
  const auto file = openBytes(
      "HloModule a\nENTRY e {\n  p = f32[2] parameter(0)\n  ROOT r = f32[2] negate(nothing)\n}\n", "x");
  ASSERT_TRUE(file) << toString(file.error());
  EXPECT_TRUE(hasErrors((*file)->diagnostics));
  EXPECT_NE((*file)->module->findInstruction("p"), nullptr);
}

}  // namespace
}  // namespace hilo
