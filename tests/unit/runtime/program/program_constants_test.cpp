// Constants of saved programs: mapped, at multiples of 64, and looked at before they are used.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "core/runtime/program/program_file.h"

namespace hilo {
namespace {

std::vector<std::byte> noise(size_t size) {
  std::mt19937 random(static_cast<uint32_t>(size));
  std::vector<std::byte> bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

class ProgramConstants : public testing::Test {
 protected:
  void SetUp() override {
    path_ = std::filesystem::temp_directory_path() / "hilo_program_constants.program";
    program_.name = "constants";
    program_.result = Shape::array(ElementType::U8, {3});
    program_.resultNames = {"r"};
    for (const size_t size : {size_t{3}, size_t{0}, size_t{100}, size_t{4096}}) {
      program_.allocations.push_back({AllocationKind::Constant, static_cast<int64_t>(size),
                                      static_cast<uint32_t>(program_.constants.size())});
      program_.constants.emplace_back(noise(size));
    }
    program_.resultSlices = {ReadSlice({0, 0, 3})};
    program_.sequences.resize(1);
    ASSERT_TRUE(saveProgram(program_, path_));
  }
  void TearDown() override { std::filesystem::remove(path_); }

  std::filesystem::path path_;
  Program program_;
};

TEST_F(ProgramConstants, LieInTheFileAtMultiplesOf64) {
  const auto loaded = loadProgram(path_);
  ASSERT_TRUE(loaded) << toString(loaded.error());
  ASSERT_EQ(loaded->constants.size(), 4u);
  for (size_t i = 0; i < 4; ++i) {
    const ConstantBytes& constant = loaded->constants[i];
    EXPECT_THAT(constant.bytes(), testing::ElementsAreArray(program_.constants[i].bytes()));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(program_.constants[i].data()) % 64, 0u);
    if (constant.size() > 0) EXPECT_EQ(reinterpret_cast<uintptr_t>(constant.data()) % 64, 0u);
    if (constant.size() > 0) EXPECT_NE(constant.file(), nullptr);
  }
  EXPECT_TRUE(checkConstants(*loaded));
  EXPECT_EQ(serialize(*loaded), serialize(program_));
}

TEST_F(ProgramConstants, ADamagedOneIsToldByWhoUsesItAndNotByWhoLooks) {
  {
    std::fstream file(path_, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(-1, std::ios::end);
    file.put(static_cast<char>(~std::to_integer<int>(program_.constants[3].bytes().back())));
  }
  const auto loaded = loadProgram(path_);
  ASSERT_TRUE(loaded) << toString(loaded.error());
  const Status checked = checkConstants(*loaded);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().kind, "damaged-file");
  EXPECT_THAT(checked.error().message, testing::HasSubstr("constant 3"));
  // Saved again it is no better.
  EXPECT_FALSE(deserialize(serialize(*loaded)));
}

TEST_F(ProgramConstants, AFileThatEndsEarlyOrLateIsRefused) {
  const auto size = std::filesystem::file_size(path_);
  for (const auto wrong : {size - 1, size - 4096, size + 1}) {
    std::filesystem::resize_file(path_, wrong);
    EXPECT_FALSE(loadProgram(path_)) << wrong;
    std::filesystem::resize_file(path_, size);
  }
}

TEST_F(ProgramConstants, AreHandedOnWithTheFileTheyLieIn) {
  const auto loaded = loadProgram(path_);
  ASSERT_TRUE(loaded);
  const auto inFile = constantsInFile(*loaded);
  ASSERT_TRUE(inFile);
  const auto again = deserialize(serializeHead(*loaded), inFile->file, inFile->constantsAt);
  ASSERT_TRUE(again) << toString(again.error());
  EXPECT_EQ(again->constants[3].data(), loaded->constants[3].data());
  EXPECT_FALSE(constantsInFile(program_));
  Program changed = *loaded;
  changed.constants.pop_back();
  EXPECT_FALSE(constantsInFile(changed));
}

}  // namespace
}  // namespace hilo
