#include "core/hlo/dump/dump_directory.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/hlo/dump/framed_dump.h"
#include "core/hlo/dump/load.h"

namespace hilo {
namespace {

namespace fs = std::filesystem;

constexpr const char* kModule =
    "HloModule m\n\nENTRY %e (p: f32[]) -> f32[] {\n  ROOT %p = f32[] parameter(0)\n}\n";

class DumpDirectoryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) /
              (std::string("hilo_dump_") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void add(const std::string& name, const std::string& text = kModule) {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }
  DumpDirectory scan() {
    auto dump = scanDumpDirectory(folder_.string());
    EXPECT_TRUE(dump) << toString(dump.error());
    return dump ? *std::move(dump) : DumpDirectory{};
  }

  fs::path folder_;
};

std::vector<std::string> stageNames(const DumpModule& module) {
  std::vector<std::string> names;
  for (size_t i : module.stages()) names.push_back(module.files[i].meaning.stage);
  return names;
}

TEST_F(DumpDirectoryTest, StagesInTheOrderOfTheCompiler) {
  add("module_0001.f.sm_8.0_gpu_after_optimizations.txt");
  add("module_0001.f.0001.opt.after_b.before_c.txt");
  add("module_0001.f.0000.opt.after_a.before_b.txt");
  add("module_0001.f.0010.opt.after_c.before_pipeline-end.txt");
  add("module_0001.f.before_optimizations.txt");
  add("module_0001.f.before_optimizations.hlo.pb");
  add("module_0001.f.after_spmd_partitioner.txt");
  const DumpDirectory dump = scan();
  ASSERT_EQ(dump.modules.size(), 1u);
  EXPECT_EQ(stageNames(dump.modules[0]),
            (std::vector<std::string>{"before_optimizations", "0000.opt.after_a.before_b",
                                      "0001.opt.after_b.before_c", "0010.opt.after_c.before_pipeline-end",
                                      "after_spmd_partitioner", "sm_8.0_gpu_after_optimizations"}));
  EXPECT_TRUE(dump.modules[0].files[dump.modules[0].stages()[0]].name.ends_with(".txt"));
  EXPECT_EQ(dump.modules[0].files.size(), 7u);
}

TEST_F(DumpDirectoryTest, ModulesProcessesAndOthers) {
  add("module_0001.f.before_optimizations.txt");
  add("module_0002.f.before_optimizations.txt");
  add("module_0002.metadata.textproto", "canonical_module_id: 2");
  add("module_0001.f.fusion.kernel.ir-no-opt.ll", "; ModuleID = 'x'");
  add("host_12/module_0001.f.before_optimizations.txt");
  add("1700000000000000.module_0001.f.before_optimizations.txt");
  add("jit_g.before_optimizations.txt");
  add("README", "hello");
  const DumpDirectory dump = scan();
  std::vector<std::string> modules;
  for (const DumpModule& m : dump.modules)
    modules.push_back(fmt::format("{}|{}|{}|{}", m.process, m.number, m.name, m.files.size()));
  EXPECT_EQ(modules, (std::vector<std::string>{"|-1|jit_g|1", "|1|f|2", "|2|f|2", "1700000000000000|1|f|1",
                                               "host_12|1|f|1"}));
  ASSERT_EQ(dump.others.size(), 1u);
  EXPECT_EQ(dump.others[0].name, "README");
  EXPECT_EQ(dump.others[0].sizeBytes, 5u);
  EXPECT_EQ(dump.modules[1].find(DumpPart::LlvmIr)->meaning.detail, "fusion.kernel");
}

TEST_F(DumpDirectoryTest, UnnumberedFilesJoinTheirModule) {
  add("module_0001.f.before_optimizations.txt");
  add("f.schedule.txt", "");
  add("module_f.execution_0000.hlo_snapshot.pb", "");
  const DumpDirectory dump = scan();
  ASSERT_EQ(dump.modules.size(), 1u);
  EXPECT_NE(dump.modules[0].find(DumpPart::Schedule), nullptr);
  EXPECT_NE(dump.modules[0].find(DumpPart::Snapshot), nullptr);
}

TEST_F(DumpDirectoryTest, MissingPartsNameTheFlag) {
  add("module_0001.f.sm_8.0_gpu_after_optimizations.txt");
  add("module_0001.f.thunk_sequence.txt", "");
  const DumpDirectory dump = scan();
  std::map<std::string, std::string> flags;
  for (const MissingPart& part : missingParts(dump.modules[0])) flags[part.part] = part.flag;
  EXPECT_EQ(flags["module before optimizations"], "--xla_dump_to=DIR");
  EXPECT_EQ(flags["pass series"], "--xla_dump_hlo_pass_re=.*");
  EXPECT_EQ(flags["PTX"], "--xla_dump_emitter_re=.*");
  EXPECT_EQ(flags["pass metadata"], "--xla_dump_module_metadata=true");
  EXPECT_FALSE(flags.contains("thunk sequence"));
  EXPECT_FALSE(flags.contains("module after optimizations"));
}

TEST_F(DumpDirectoryTest, AProtoOfTheResultHasTheBuffersInside) {
  add("module_0001.f.cpu_after_optimizations.hlo.pb", "");
  const DumpDirectory dump = scan();
  for (const MissingPart& part : missingParts(dump.modules[0])) {
    EXPECT_NE(part.part, "buffer assignment");
    EXPECT_NE(part.part, "thunk sequence");  // a CPU has none
  }
}

TEST_F(DumpDirectoryTest, EmptyAndWrong) {
  EXPECT_TRUE(scan().modules.empty());
  add("file.txt");
  EXPECT_EQ(scanDumpDirectory((folder_ / "file.txt").string()).error().kind, "not-a-directory");
  EXPECT_EQ(scanDumpDirectory((folder_ / "none").string()).error().kind, "file-not-found");
  CancelToken cancel;
  cancel.cancel();
  EXPECT_EQ(scanDumpDirectory(folder_.string(), cancel).error().kind, "cancelled");
}

// Each is a module of its own, as no numbered one has its name; telling so must not cost a look
// at all others.
TEST(DumpNames, ManyUnnumberedModulesAreArrangedInLinearTime) {
  std::vector<DumpFile> files;
  for (int i = 0; i < 50'000; ++i) {
    const std::string name = fmt::format("jit_{}.before_optimizations.txt", i);
    files.push_back({.path = "dump/" + name, .name = name, .sizeBytes = 1, .meaning = {}});
  }
  EXPECT_EQ(arrangeDumpFiles("dump", std::move(files)).modules.size(), 50'000u);
}

TEST(FramedDump, FilesOfStandardOutput) {
  const std::string text =
      std::string("noise\n*** Begin module_0000.m.before_optimizations.txt ***\n") + kModule +
      "*** End module_0000.m.before_optimizations.txt ***\nnoise\n*** Begin x.txt ***\nabc\n";
  const auto files = splitFramedDump(text);
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0].name, "module_0000.m.before_optimizations.txt");
  EXPECT_EQ(files[0].text, kModule);
  EXPECT_EQ(files[0].firstLine, 3u);
  EXPECT_EQ(files[1].text, "abc\n");
  EXPECT_EQ(splitFramedDump(text, 1).size(), 1u);
  EXPECT_EQ(splitFramedDump(text, 1)[0].text, kModule);
  const auto loaded = loadBytes(text, "log.txt");
  ASSERT_TRUE(loaded) << toString(loaded.error());
  EXPECT_NE(loaded->module, nullptr);
}

}  // namespace
}  // namespace hilo
