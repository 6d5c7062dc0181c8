// What XLA writes to standard output with --xla_dump_to=-, opened like the dump directory it would have been.
#include <gtest/gtest.h>

#include <fstream>

#include "core/workspace/open/opened.h"
#include "core/workspace/passes/pass_series.h"
#include "core/workspace/path/open_path.h"

namespace hilo {
namespace {

const std::string kLog =
    "I0000 compiling\n"
    "*** Begin module_0003.jit_f.before_optimizations.txt ***\n"
    "HloModule jit_f\n\nENTRY e {\n  a = f32[4] parameter(0)\n  ROOT n = f32[4] negate(a)\n}\n"
    "*** End module_0003.jit_f.before_optimizations.txt ***\n"
    "noise between\n"
    "*** Begin module_0003.jit_f.cpu_after_optimizations.txt ***\n"
    "HloModule jit_f\n\nENTRY e {\n  ROOT a = f32[4] parameter(0)\n}\n"
    "*** End module_0003.jit_f.cpu_after_optimizations.txt ***\n"
    "*** Begin notes ***\nno module\n*** End notes ***\n";

// A file of this content for the length of a test.
class TestFile {
 public:
  TestFile(const std::string& name, const std::string& content) : path_(testing::TempDir() + name) {
    std::ofstream(path_, std::ios::binary) << content;
  }
  ~TestFile() { std::remove(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST(FramedDump, OpensAsADumpWithItsModulesAndStages) {
  const TestFile file("framed_dump_opens.txt", kLog);
  const auto opened = openItem(file.path());
  ASSERT_TRUE(opened) << toString(opened.error());
  const auto* dump = std::get_if<std::shared_ptr<const OpenedDump>>(&*opened);
  ASSERT_NE(dump, nullptr);
  ASSERT_EQ((*dump)->modules.size(), 1u);
  const DumpModuleInfo& module = (*dump)->modules[0];
  EXPECT_EQ(module.name, "jit_f");
  EXPECT_EQ(module.moduleId, 3);
  EXPECT_EQ(module.process, "");
  ASSERT_EQ(module.stages.size(), 2u);
  EXPECT_EQ(module.stages[0].name, "before_optimizations");
  EXPECT_EQ(module.stages[1].name, "cpu_after_optimizations");
  ASSERT_EQ((*dump)->otherFiles.size(), 1u);
  EXPECT_EQ((*dump)->otherFiles[0].name, "notes");
}

TEST(FramedDump, StagesAreReadFromTheirFrame) {
  const TestFile file("framed_dump_stages.txt", kLog);
  const auto dump = openDump(file.path());
  ASSERT_TRUE(dump) << toString(dump.error());
  const auto before = loadStage(**dump, 0, 0);
  ASSERT_TRUE(before) << toString(before.error());
  EXPECT_EQ((*before)->module->entry()->instructionCount(), 2u);
  // The path says where the frame's text begins.
  EXPECT_EQ((*before)->path, file.path() + "/module_0003.jit_f.before_optimizations.txt:3");
  const PassSeries series = seriesFromDump(*dump, 0);
  ASSERT_EQ(series.steps.size(), 2u);
  const auto after = series.steps[1].module();
  ASSERT_TRUE(after) << toString(after.error());
  EXPECT_EQ((*after)->entry()->instructionCount(), 1u);
}

TEST(FramedDump, IsNoSingleFile) {
  const auto opened = openBytes(kLog, "log.txt");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, "is-a-dump");
}

TEST(FramedDump, FramesOfNoModuleAreNoDump) {
  const TestFile file("framed_dump_notes.txt", "*** Begin notes ***\nx\n*** End notes ***\n");
  const auto opened = openItem(file.path());
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, "no-module");
}

}  // namespace
}  // namespace hilo
