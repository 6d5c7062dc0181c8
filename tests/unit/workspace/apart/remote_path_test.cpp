// Files and dumps of another machine, which is this one behind a script in the place of ssh: copied, copied
// again only where they changed, whole wherever the line breaks on the way.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "core/workspace/path/open_path.h"
#include "core/workspace/path/remote_path.h"

namespace hilo {
namespace {

namespace fs = std::filesystem;

class RemotePathTest : public testing::Test {
 protected:
  void SetUp() override {
    base_ = testing::TempDir() + "hilo_remote_path_" + std::to_string(getpid());
    fs::remove_all(base_);
    fs::create_directories(base_ + "/dump/below it");
    state_ = base_ + "/cut";
    std::ofstream(state_).close();
    setenv("HILO_SSH", HILO_CUTTING_SSH, 1);
    setenv("HILO_CUTTING_STATE", state_.c_str(), 1);
    setenv("HILO_REMOTE_CACHE", (base_ + "/cache").c_str(), 1);
  }
  void TearDown() override { fs::remove_all(base_); }

  static std::string moduleText(int n) {
    return "HloModule m" + std::to_string(n) + "\nENTRY e { ROOT p = f32[" + std::to_string(n + 1) +
           "] parameter(0) }\n";
  }
  void writeDump(int files) {
    for (int n = 0; n < files; ++n) {
      char name[64];
      std::snprintf(name, sizeof(name), "/dump/module_%04d.m%d.before_optimizations.txt", n, n);
      std::ofstream(base_ + name) << moduleText(n);
    }
    std::ofstream(base_ + "/dump/below it/it's.txt") << "more\n";
  }
  void cutAfter(unsigned bytes) { std::ofstream(state_) << bytes; }
  std::string there(const std::string& path) const { return "machine:" + base_ + path; }
  static std::string contentOf(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::string base_, state_;
};

TEST_F(RemotePathTest, OpensADumpOfManyFiles) {
  writeDump(500);
  const auto dump = openDump(there("/dump"));
  ASSERT_TRUE(dump.has_value()) << toString(dump.error());
  EXPECT_EQ((*dump)->modules.size(), 500u);
  const auto file = openFile(there("/dump/module_0007.m7.before_optimizations.txt"));
  ASSERT_TRUE(file.has_value()) << toString(file.error());
  EXPECT_EQ((*file)->module->name(), "m7");
}

TEST_F(RemotePathTest, CopiesAgainWhatChanged) {
  writeDump(3);
  const auto first = copyFromRemote(there("/dump"), JobContext());
  ASSERT_TRUE(first.has_value()) << toString(first.error());
  const fs::path kept = *first + "/module_0001.m1.before_optimizations.txt";
  const auto before = fs::last_write_time(kept);
  std::ofstream(base_ + "/dump/module_0000.m0.before_optimizations.txt") << moduleText(100);
  const auto second = copyFromRemote(there("/dump"), JobContext());
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(*first, *second);
  EXPECT_EQ(contentOf(*first + "/module_0000.m0.before_optimizations.txt"), moduleText(100));
  EXPECT_EQ(fs::last_write_time(kept), before);
  EXPECT_EQ(contentOf(*first + "/below it/it's.txt"), "more\n");
}

TEST_F(RemotePathTest, LosesNothingWhereTheLineBreaks) {
  writeDump(40);
  std::mt19937 random(3);
  const int cuts = std::getenv("HILO_ALL_CUTS") != nullptr ? 100 : 8;
  for (int i = 0; i < cuts; ++i) {
    fs::remove_all(base_ + "/cache");
    // The list of files, then a bundle of half a KiB and more a file.
    const unsigned bytes = std::uniform_int_distribution<unsigned>(1, 60000)(random);
    cutAfter(bytes);
    const auto copy = copyFromRemote(there("/dump"), JobContext());
    ASSERT_TRUE(copy.has_value()) << "cut after " << bytes << ": " << toString(copy.error());
    for (const auto& entry : fs::recursive_directory_iterator(base_ + "/dump")) {
      if (!entry.is_regular_file()) continue;
      const fs::path below = fs::relative(entry.path(), base_ + "/dump");
      ASSERT_EQ(contentOf(fs::path(*copy) / below), contentOf(entry.path()))
          << below << ", cut after " << bytes;
    }
  }
}

TEST_F(RemotePathTest, SaysWhatIsNotThere) {
  const auto kindOf = [](const std::string& path) {
    const auto copy = copyFromRemote(path, JobContext());
    return copy ? "none" : copy.error().kind;
  };
  EXPECT_EQ(kindOf(there("/nothing")), "file-not-found");
  EXPECT_EQ(kindOf("-oProxyCommand=x:/tmp"), "bad-host");
  setenv("HILO_SSH", "/nowhere/ssh", 1);
  EXPECT_EQ(kindOf(there("/dump")), "no-worker");
  EXPECT_TRUE(isRemotePath("user@gpu7:/tmp/dump"));
  EXPECT_FALSE(isRemotePath("/tmp/a:/b"));
  EXPECT_FALSE(isRemotePath("a:b"));
}

}  // namespace
}  // namespace hilo
