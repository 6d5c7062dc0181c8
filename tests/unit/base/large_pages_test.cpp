// Memory that is to be in large pages, as the system sees it.
#include "core/base/large_pages.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <fstream>

namespace hilo {
namespace {

// What the system keeps about the memory at `place`; empty where it does not tell.
std::string flagsAt(const void* place) {
  std::ifstream file("/proc/self/smaps");
  const auto address = reinterpret_cast<uintptr_t>(place);
  bool isThere = false;
  for (std::string line; std::getline(file, line);) {
    uintptr_t from = 0, to = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &from, &to) == 2) isThere = from <= address && address < to;
    if (isThere && line.starts_with("VmFlags:")) return line;
  }
  return "";
}

class Mapped {
 public:
  explicit Mapped(size_t bytes)
      : bytes_(bytes),
        start_(static_cast<std::byte*>(
            mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {}
  ~Mapped() { munmap(start_, bytes_); }
  std::byte* at(size_t place) { return start_ + place; }

 private:
  size_t bytes_;
  std::byte* start_;
};

TEST(LargePages, AreAskedForWithinLargeMemoryAlone) {
  if (!std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled")) GTEST_SKIP() << "there are none";
  constexpr size_t kMega = 1 << 20;
  Mapped large(16 * kMega), small(3 * kMega);
  preferLargePages(large.at(100), 12 * kMega);
  preferLargePages(small.at(0), 3 * kMega);
  EXPECT_TRUE(flagsAt(large.at(6 * kMega)).contains(" hg")) << flagsAt(large.at(6 * kMega));
  EXPECT_FALSE(flagsAt(large.at(15 * kMega)).contains(" hg"));
  EXPECT_FALSE(flagsAt(small.at(kMega)).contains(" hg"));
  *large.at(6 * kMega) = std::byte{1};
  EXPECT_EQ(*large.at(6 * kMega + 1), std::byte{});
}

}  // namespace
}  // namespace hilo
