// Kernels kept on disk are found again whole or not at all, and a cache that cannot be used says why.
#include "core/compiler/codegen/emit/kernel_cache.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "core/base/files.h"

namespace hilo {
namespace {

class KernelCacheTest : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / fmt::format("hilo_kernel_cache_{}", ::getpid());
  std::string file_ = (folder_ / "key.o").string();
};

TEST_F(KernelCacheTest, FindsWhatWasKept) {
  KernelCache cache(folder_.string());
  EXPECT_EQ(cache.find("key"), std::nullopt);
  cache.keep("key", "machine code");
  EXPECT_EQ(cache.find("key"), "machine code");
  EXPECT_EQ(cache.problem(), "");
}

TEST_F(KernelCacheTest, DamagedEntriesAreMissesAndReplaced) {
  KernelCache cache(folder_.string());
  cache.keep("key", "machine code");
  const std::string whole = *readBytes(file_);
  for (const std::string& damaged :
       {std::string(), whole.substr(0, 5), whole.substr(1), "M" + whole.substr(1)}) {
    ASSERT_TRUE(writeBytes(file_, damaged).has_value());
    EXPECT_EQ(cache.find("key"), std::nullopt) << damaged.size();
  }
  cache.keep("key", "machine code");
  EXPECT_EQ(cache.find("key"), "machine code");
}

TEST_F(KernelCacheTest, AFolderInAnEntrysPlaceIsAMissAndNamed) {
  KernelCache cache(folder_.string());
  std::filesystem::create_directory(file_);
  EXPECT_EQ(cache.find("key"), std::nullopt);
  cache.keep("key", "machine code");
  EXPECT_NE(cache.problem().find("key.o"), std::string::npos) << cache.problem();
}

TEST_F(KernelCacheTest, AFileInTheFoldersPlaceIsNamed) {
  ASSERT_TRUE(writeBytes(folder_.string(), "no folder").has_value());
  KernelCache cache(folder_.string());
  EXPECT_NE(cache.problem().find("Not a directory"), std::string::npos) << cache.problem();
  cache.keep("key", "machine code");
  EXPECT_EQ(cache.find("key"), std::nullopt);
}

TEST_F(KernelCacheTest, WithoutAFolderNothingIsKept) {
  KernelCache cache("");
  cache.keep("key", "machine code");
  EXPECT_EQ(cache.find("key"), std::nullopt);
  EXPECT_EQ(cache.problem(), "");
}

}  // namespace
}  // namespace hilo
