#include "ui/canvas/layout/layout_files.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <fstream>

#include "tests/support/random_graph.h"
#include "ui/canvas/layout/layered_layout.h"

namespace hilo {
namespace {

namespace fs = std::filesystem;

class LayoutFilesTest : public testing::Test {
 protected:
  void SetUp() override { fs::remove_all(folder); }
  void TearDown() override { fs::remove_all(folder); }

  fs::path onlyFile() const { return fs::directory_iterator(folder)->path(); }

  const fs::path folder = fs::temp_directory_path() / fmt::format("hilo-layout-files-{}", getpid());
  const LayoutInput input = randomGraph(20, 0.1, 1);
  const LayoutResult result = layoutLayered(input, CancelToken()).value();
  const LayoutKey key = layoutKey(input, LayoutEngine::kAuto);
};

TEST_F(LayoutFilesTest, givesBackWhatWasWritten) {
  const LayoutFiles files(folder);
  EXPECT_FALSE(files.read(key, input).has_value());
  files.write(key, result);
  const auto kept = files.read(key, input);
  ASSERT_TRUE(kept.has_value());
  EXPECT_EQ(kept->centres, result.centres);
  EXPECT_EQ(kept->points, result.points);
  EXPECT_EQ(kept->lineStart, result.lineStart);
  EXPECT_EQ(kept->width, result.width);
  EXPECT_FALSE(files.read(key, randomGraph(21, 0.1, 1)).has_value());  // of another size
}

TEST_F(LayoutFilesTest, damagedFilesAreAsIfNotThere) {
  const LayoutFiles files(folder);
  files.write(key, result);
  const auto size = fs::file_size(onlyFile());
  for (uintmax_t place : {uintmax_t{0}, uintmax_t{20}, size / 2, size - 1}) {
    files.write(key, result);
    std::fstream file(onlyFile(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(place));
    const char old = static_cast<char>(file.get());
    file.seekp(static_cast<std::streamoff>(place));
    file.put(static_cast<char>(old ^ 0x55));
    file.close();
    EXPECT_FALSE(files.read(key, input).has_value()) << place;
  }
  files.write(key, result);
  fs::resize_file(onlyFile(), size - 3);
  EXPECT_FALSE(files.read(key, input).has_value());
}

TEST_F(LayoutFilesTest, theOldestGo) {
  const LayoutFiles files(folder, 10);
  for (uint64_t i = 0; i < 30; ++i) files.write({i, i}, result);
  size_t count = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder)) ++count;
  EXPECT_LE(count, 10u);
  EXPECT_TRUE(files.read({29, 29}, input).has_value());
  EXPECT_FALSE(files.read({0, 0}, input).has_value());
}

TEST_F(LayoutFilesTest, theCacheReadsThemInTheNextRun) {
  auto files = std::make_shared<const LayoutFiles>(folder);
  LayoutCache first, second;
  first.setFiles(files);
  second.setFiles(files);
  const auto drawn = layoutCached(first, input, LayoutEngine::kDot, CancelToken()).value();
  if (drawn->engine != LayoutEngine::kDot) GTEST_SKIP() << "dot is not installed";
  CancelToken cancelled;
  cancelled.cancel();  // nothing is drawn any more
  const auto kept = layoutCached(second, input, LayoutEngine::kDot, cancelled);
  ASSERT_TRUE(kept.has_value());
  EXPECT_EQ((*kept)->centres, drawn->centres);
}

}  // namespace
}  // namespace hilo
