// Whole files: what cannot be read or written says why, and nothing takes a device's place.
#include "core/base/files.h"

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

namespace hilo {
namespace {

class Files : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directory(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const char* name) const { return (folder_ / name).string(); }
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / fmt::format("hilo_files_{}", ::getpid());
};

TEST_F(Files, WhatWasWrittenIsRead) {
  const std::string bytes("one\0two", 7);
  ASSERT_TRUE(writeBytes(path("a"), "longer than what follows").has_value());
  ASSERT_TRUE(writeBytes(path("a"), bytes).has_value());
  const auto read = readBytes(path("a"));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(*read, bytes);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
  EXPECT_EQ(readBytes(path("a"), {}, 6).error().kind, "file-too-large");
}

TEST_F(Files, ReadingSaysWhyNot) {
  EXPECT_EQ(readBytes(path("nothing")).error().kind, "file-not-found");
  EXPECT_EQ(readBytes(folder_.string()).error().kind, "is-a-directory");
}

TEST_F(Files, WritingSaysWhyNotAndLeavesNothingBehind) {
  std::filesystem::create_directory(path("folder"));
  for (const std::string& target : {path("no/such"), path("folder")}) {
    const Status written = writeBytes(target, "x");
    ASSERT_FALSE(written.has_value()) << target;
    EXPECT_EQ(written.error().kind, "not-writable");
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(Files, ADeviceIsWrittenToAndStays) {
  if (!std::filesystem::is_character_file("/dev/full")) GTEST_SKIP() << "there is no /dev/full";
  const Status written = writeBytes("/dev/full", "x");
  ASSERT_FALSE(written.has_value());
  EXPECT_NE(written.error().message.find("No space left"), std::string::npos) << written.error().message;
  EXPECT_TRUE(writeBytes("/dev/null", "x").has_value());
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

}  // namespace
}  // namespace hilo
