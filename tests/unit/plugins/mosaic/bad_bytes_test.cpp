// Input from a stranger: damaged kernels are refused, and nothing else happens.
#include <gtest/gtest.h>

#include <random>

#include "core/base/files.h"
#include "core/workspace/kernels/found_kernels.h"
#include "core/workspace/kernels/studied_kernel.h"

namespace hilo {
namespace {

std::string kernelBytes() {
  const auto found = findKernels("tests/data/mosaic/payloads/pointwise_f32.hlo");
  return found && found->size() == 1 ? (*found)[0].bytes : "";
}

// Either it reads, or it says why not.
void expectAnswer(const std::string& bytes) {
  const auto kernel = studyKernel(bytes, "kernel");
  if (!kernel) EXPECT_FALSE(kernel.error().kind.empty());
}

TEST(BadBytes, ChangedBytecodeIsSurvived) {
  const std::string whole = kernelBytes();
  ASSERT_FALSE(whole.empty());
  std::mt19937 random(7);
  for (int turn = 0; turn < 60; ++turn) {
    std::string bytes = whole;
    for (int n = 0; n < 4; ++n) bytes[4 + random() % (bytes.size() - 4)] = static_cast<char>(random());
    expectAnswer(bytes);
  }
}

TEST(BadBytes, CutBytecodeIsSurvived) {
  const std::string whole = kernelBytes();
  ASSERT_FALSE(whole.empty());
  for (size_t part = 1; part < 16; ++part)
    expectAnswer(whole.substr(0, whole.size() * part / 16) + "mosaic_gpu");
}

TEST(BadBytes, ChangedTextIsSurvived) {
  const auto kernel = studyKernel(kernelBytes(), "kernel");
  ASSERT_TRUE(kernel);
  std::mt19937 random(11);
  const std::string characters = "(){}<>[]%#!\"x0:,=";
  for (int turn = 0; turn < 60; ++turn) {
    std::string text = kernel->text;
    for (int n = 0; n < 3; ++n) text[random() % text.size()] = characters[random() % characters.size()];
    expectAnswer(text);
  }
}

TEST(BadBytes, DeepNestingIsSurvived) {
  const std::string deep(200'000, '[');
  const auto kernel = studyKernel("module attributes {mosaic_gpu.x = " + deep + "} {}", "kernel");
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.error().kind, "damaged");
}

TEST(BadBytes, BytesOfNoKernelAreSaidToBeNone) {
  const auto kernel = studyKernel("nothing of the kind", "kernel");
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.error().kind, "no-kernel-plugin");
}

}  // namespace
}  // namespace hilo
