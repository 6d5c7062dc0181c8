// The modules that tests/data/mosaic/make_payloads.py writes: each kernel is found, read, valid, and nothing
// is wrong with its barriers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "core/workspace/kernels/found_kernels.h"
#include "core/workspace/kernels/studied_kernel.h"

namespace hilo {
namespace {

using testing::HasSubstr;

std::vector<std::string> payloads() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator("tests/data/mosaic/payloads"))
    paths.push_back(entry.path().string());
  std::ranges::sort(paths);
  return paths;
}

Result<StudiedKernel> study(const std::string& name) {
  TRY(const auto found, findKernels("tests/data/mosaic/payloads/" + name + ".hlo"));
  if (found.size() != 1) return fail("test", "no kernel");
  return studyKernel(found[0].bytes, found[0].path());
}

TEST(Payloads, AreFoundReadAndValid) {
  const auto paths = payloads();
  EXPECT_GE(paths.size(), 30u);
  int typed = 0;
  for (const std::string& path : paths) {
    const auto found = findKernels(path);
    ASSERT_TRUE(found) << path << ": " << toString(found.error());
    ASSERT_EQ(found->size(), 1u) << path;
    const FoundKernel& kernel = (*found)[0];
    ASSERT_TRUE(kernel.payload) << path;
    EXPECT_TRUE(kernel.payload->hashFits) << path;
    typed += kernel.payload->target == "mosaic_gpu_v2" ? 1 : 0;
    const auto studied = studyKernel(kernel.bytes, kernel.path());
    ASSERT_TRUE(studied) << path << ": " << toString(studied.error());
    for (const Diagnostic& problem : studied->problems) ADD_FAILURE() << path << ": " << toString(problem);
    for (const Diagnostic& finding : studied->findings) ADD_FAILURE() << path << ": " << toString(finding);
    EXPECT_THAT(studied->format, HasSubstr("Mosaic GPU bytecode, version ")) << path;
    EXPECT_EQ(studied->description.launches.size(), 1u) << path;
    EXPECT_EQ(studied->description.program.empty(), studied->description.name.starts_with("lowered")) << path;
  }
  EXPECT_GT(typed, 10);
  EXPECT_GT(std::ssize(paths) - typed, 10);
}

TEST(Payloads, OldAndNewSpellingsAreTheSameKernel) {
  for (const char* name :
       {"pointwise_f32", "pointwise_bf16", "matmul_f16_64x64x64_f32", "matmul_bf16_128x128x64_f32"}) {
    const auto now = study(name), before = study(std::string(name) + "_old");
    ASSERT_TRUE(now && before);
    EXPECT_EQ(now->text, before->text) << name;
    EXPECT_NE(now->format, before->format) << name;
  }
}

TEST(Payloads, ADescriptionSaysWhatIsAskedFirst) {
  const auto kernel = study("matmul_f16_64x64x64_f32");
  ASSERT_TRUE(kernel);
  const KernelDescription& is = kernel->description;
  EXPECT_EQ(is.name, "matmul_f16_64x64x64_f32");
  EXPECT_EQ(is.archMajor, 9);
  ASSERT_EQ(is.launches.size(), 1u);
  EXPECT_EQ(is.launches[0].block, (KernelSizes{256, 1, 1}));
  EXPECT_EQ(is.launches[0].sharedBytes, 2 * 2 * 8192 + 32);
  ASSERT_EQ(is.barriers.size(), 2u);
  EXPECT_EQ(is.barriers[0].count, 2);
  EXPECT_EQ(is.barriers[0].arrivals, 1);
  const auto inShared = std::ranges::count(is.arrays, "shared", &KernelArray::memory);
  EXPECT_EQ(inShared, 4);  // two tiles, two barriers
  EXPECT_THAT(is.program, HasSubstr("barrier barrier_32768 slots 2 arrivals 1\n"));
  EXPECT_THAT(is.program, HasSubstr("group warpgroup1\n"));
}

// A wait of the loop changed in the text of a kernel: the check names the slot.
TEST(Payloads, AFaultInTheTextIsFound) {
  const auto kernel = study("matmul_f16_64x64x64_f32");
  ASSERT_TRUE(kernel);
  std::string text = kernel->text;
  const size_t at = text.find("\"mosaic_gpu.arrive\"(");
  ASSERT_NE(at, text.npos);
  text.erase(at, text.find('\n', at) - at);
  const auto faulty = studyKernel(text, "kernel.mlir");
  ASSERT_TRUE(faulty);
  ASSERT_FALSE(faulty->findings.empty());
  EXPECT_EQ(faulty->findings[0].kind, "deadlock");
  EXPECT_THAT(faulty->findings[0].message, HasSubstr("warpgroup0 waits for barrier_32784[0]"));
  EXPECT_GT(faulty->findings[0].place.line, 10u);
}

TEST(Payloads, ForeignFlagsAreKept) {
  const auto found = findKernels("tests/data/mosaic/payloads/matmul_cluster.hlo");
  ASSERT_TRUE(found && found->size() == 1);
  EXPECT_EQ((*found)[0].payload->replicaIds, "0,1");
  EXPECT_EQ((*found)[0].payload->multimem, "0,1");
  const auto numbered = findKernels("tests/data/mosaic/payloads/numbered.hlo");
  ASSERT_TRUE(numbered && numbered->size() == 1);
  EXPECT_EQ((*numbered)[0].payload->hash, "");
}

}  // namespace
}  // namespace hilo
