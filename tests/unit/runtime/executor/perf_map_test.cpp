// Kernels put into memory are named for profilers, where that is asked for.
#include <gtest/gtest.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>

#include "core/runtime/device/host/perf_map.h"
#include "core/runtime/executor/executor.h"
#include "tests/unit/runtime/executor/hand_written.h"

namespace hilo {
namespace {

struct Entry {
  uint64_t start = 0, size = 0;
  std::string name;
};

class PerfMapTest : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::remove(perfMapPath()); }
  void TearDown() override {
    unsetenv("HILO_PERF_MAP");
    std::filesystem::remove(perfMapPath());
  }
  static std::vector<Entry> entries() {
    std::ifstream in(perfMapPath());
    std::vector<Entry> found;
    for (Entry e; in >> std::hex >> e.start >> e.size && std::getline(in >> std::ws, e.name);)
      found.push_back(e);
    return found;
  }
  static std::unique_ptr<Executor> load() {
    Program program = emptyProgram(4, 4);
    program.kernels.push_back({"add.2", "add_s32", 0});
    return *Executor::make(std::make_shared<const Program>(std::move(program)));
  }
};

// What the system says of the memory at `address`: "r-xp".
std::string accessOf(uint64_t address) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    uint64_t from = 0, to = 0;
    const char* end = line.data() + line.size();
    const auto dash = std::from_chars(line.data(), end, from, 16);
    const auto space = std::from_chars(dash.ptr + 1, end, to, 16);
    if (address >= from && address < to) return {space.ptr + 1, 4};
  }
  return "";
}

TEST_F(PerfMapTest, offUnlessAskedFor) {
  const auto executor = load();
  EXPECT_FALSE(std::filesystem::exists(perfMapPath()));
  setenv("HILO_PERF_MAP", "0", 1);
  const auto another = load();
  EXPECT_FALSE(std::filesystem::exists(perfMapPath()));
}

TEST_F(PerfMapTest, kernelsHaveTheirInstructionsNames) {
  setenv("HILO_PERF_MAP", "1", 1);
  const auto executor = load();
  auto found = entries();
  ASSERT_EQ(found.size(), 2u) << "two functions, one of them of two kernels";
  std::ranges::sort(found, {}, &Entry::name);
  EXPECT_EQ(found[0].name, "by_hand/add and 1 more");
  EXPECT_EQ(found[1].name, "by_hand/crash");
  for (const Entry& entry : found) {
    EXPECT_EQ(accessOf(entry.start), "r-xp") << entry.name;
    EXPECT_EQ(accessOf(entry.start + entry.size - 1), "r-xp");
    EXPECT_GT(entry.size, 0u);
  }
  EXPECT_TRUE(found[0].start + found[0].size <= found[1].start ||
              found[1].start + found[1].size <= found[0].start);
}

// What is loaded later joins the map.
TEST_F(PerfMapTest, oneMapAProcess) {
  setenv("HILO_PERF_MAP", "1", 1);
  const auto first = load(), second = load();
  EXPECT_EQ(entries().size(), 4u);
}

// A file somebody else put there through a link is left alone, and whoever asked for the map is told, once.
TEST_F(PerfMapTest, linksAreNotFollowed) {
  const auto other = std::filesystem::temp_directory_path() / "hilo_perf_map_test";
  std::ofstream(other) << "mine";
  std::filesystem::create_symlink(other, perfMapPath());
  setenv("HILO_PERF_MAP", "1", 1);
  testing::internal::CaptureStderr();
  const auto executor = load(), another = load();
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_EQ(told,
            fmt::format("hilo: note: {} cannot be written, so that profilers see no names of kernels: {}\n",
                        perfMapPath(), std::strerror(ELOOP)));
  EXPECT_EQ(std::filesystem::file_size(other), 4u);
  std::filesystem::remove(other);
}

}  // namespace
}  // namespace hilo
