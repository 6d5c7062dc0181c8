// XLA's files of what its autotuner chose: read, found by XLA's key, written.
#include "core/workspace/tune/autotune_results.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

std::string fileOf(const std::string& name, const std::string& text = "") {
  const auto path = std::filesystem::temp_directory_path() / ("hilo_autotune_" + name);
  if (!text.empty()) std::ofstream(path) << text;
  return path.string();
}

// A product of f16 with a converted operand, and XLA's key of it: names in order, shapes of operands.
constexpr const char* kFusion = R"(HloModule m
gemm {
  p0 = f16[16,51]{1,0} parameter(0)
  p1 = s8[51,16]{0,1} parameter(1)
  wide = f16[51,16]{0,1} convert(p1)
  ROOT d = f16[16,16]{1,0} dot(p0, wide), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
ENTRY e {
  a = f16[16,51]{1,0} parameter(0)
  b = s8[51,16]{0,1} parameter(1)
  ROOT f = f16[16,16]{1,0} fusion(a, b), kind=kCustom, calls=gemm
}
)";
constexpr const char* kKey =
    "{\n  tmp_0 = f16[16,51]{1,0} parameter(0)\n  tmp_1 = s8[51,16]{0,1} parameter(1)\n"
    "  tmp_2 = f16[51,16]{0,1} convert(s8[51,16]{0,1} tmp_1)\n"
    "  ROOT tmp_3 = f16[16,16]{1,0} dot(f16[16,51]{1,0} tmp_0, f16[51,16]{0,1} tmp_2), "
    "lhs_contracting_dims={1}, "
    "rhs_contracting_dims={0}\n}";

std::string escaped(std::string text) {
  std::string out;
  for (const char c : text) out += c == '\n' ? "\\n" : std::string(c == '"' ? 1 : 0, '\\') + c;
  return out;
}

class AutotuneResultsTest : public testing::Test {
 protected:
  std::shared_ptr<const Module> module = *parseModuleStrictly(kFusion);
  const Instruction& fusion = *module->entry()->root();
  DeviceDescription a100 = *findDevice("a100"), h100 = *findDevice("h100");
};

TEST_F(AutotuneResultsTest, HasXlasKey) {
  EXPECT_EQ(xlaAutotuneKey(fusion), kKey);
  EXPECT_TRUE(
      xlaDeviceKey(h100).starts_with("CUDA: 9.0, Cores: 132, GPU clock: 1.83 GHz, Memory bandwidth: 3350 "
                                     "GB/s, L2 cache: 50 MB, DNN version: "));
}

TEST_F(AutotuneResultsTest, ReadsWhatXlaChose) {
  const std::string path = fileOf("read.textproto", R"(version: 3
results {
  device: "CUDA: 8.0, Cores: 108, GPU clock: 1.41 GHz, Memory bandwidth: 1555 GB/s, L2 cache: 40 MB"
  hlo: ")" + escaped(kKey) + R"("
  result {
    run_time { nanos: 31744 }
    triton { block_m: 32 block_n: 32 block_k: 32 num_stages: 1 num_warps: 4 num_ctas: 1 }
  }
}
)");
  const auto results = AutotuneResults::read(path);
  ASSERT_TRUE(results.has_value()) << toString(results.error());
  const auto choice = results->find(a100, fusion);
  ASSERT_TRUE(choice.has_value());
  EXPECT_EQ(choice->text, "triton 32x32x32, 4 warps, 1 stages");
  EXPECT_EQ(toString(*choice->kernel), "tensor dot 64x64");
  EXPECT_EQ(choice->runNs, 31744);
  EXPECT_FALSE(results->find(h100, fusion).has_value()) << "it is of another architecture";
}

TEST_F(AutotuneResultsTest, WritesTextAndBinaryThatReadBack) {
  for (const char* name : {"written.pbtxt", "written.pb"}) {
    const std::string path = fileOf(name);
    for (const char* kernel : {"tensor dot 128x128", "library call", "rows"}) {
      AutotuneResults results;
      results.set(h100, fusion, parseGpuKernelChoice(kernel), 2'500'000'001, 4096);
      ASSERT_TRUE(results.write(path).has_value());
      const auto back = AutotuneResults::read(path);
      ASSERT_TRUE(back.has_value()) << toString(back.error());
      const auto choice = back->find(h100, fusion);
      ASSERT_TRUE(choice && choice->kernel) << kernel;
      EXPECT_EQ(toString(*choice->kernel), kernel);
      EXPECT_EQ(choice->runNs, 2'500'000'001);
      EXPECT_EQ(choice->scratchBytes, 4096);
    }
  }
}

TEST_F(AutotuneResultsTest, KeepsOtherEntries) {
  AutotuneResults before, now;
  before.set(a100, fusion, parseGpuKernelChoice("rows"), 1, 0);
  before.set(h100, fusion, parseGpuKernelChoice("rows"), 1, 0);
  now.set(h100, fusion, parseGpuKernelChoice("library call"), 2, 0);
  now.addFrom(before);
  EXPECT_EQ(now.size(), 2u);
  EXPECT_EQ(toString(*now.find(h100, fusion)->kernel), "library call");
  EXPECT_EQ(toString(*now.find(a100, fusion)->kernel), "rows");
}

TEST_F(AutotuneResultsTest, RefusesOtherFiles) {
  EXPECT_EQ(AutotuneResults::read("/nonexistent/file.pbtxt").error().kind, "read-failed");
  EXPECT_EQ(AutotuneResults::read(fileOf("old.pbtxt", "version: 2\n")).error().kind, "wrong-version");
  EXPECT_EQ(AutotuneResults::read(fileOf("bad.pbtxt", "results {\n")).error().kind, "text-proto-syntax");
}

}  // namespace
}  // namespace hilo
