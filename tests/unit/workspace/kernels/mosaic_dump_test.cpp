#include "core/workspace/kernels/mosaic_dump.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "core/base/files.h"
#include "core/workspace/kernels/found_kernels.h"
#include "core/workspace/kernels/studied_kernel.h"

namespace hilo {
namespace {

namespace fs = std::filesystem;

constexpr char kKernel[] =
    "module @k {\n  func.func @f() {\n    \"mosaic_gpu.tma_gather_supported\"() : () -> ()\n    return\n  "
    "}\n}\n";

class MosaicDump : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("hilo_mosaic_dump_" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(writeBytes((folder_ / name).string(), text));
  }
  fs::path folder_;
};

TEST_F(MosaicDump, FilesOfLayoutInferenceAreParts) {
  write("matmul_0.sass_ctrl", "");
  write("matmul_0.ptx", "");
  write("matmul_0.before_layout_inference.txt", kKernel);
  write("matmul_0.after_layout_inference.txt", kKernel);
  write("matmul_0.mlir-passes.log", "");
  write("other.ptx", "");  // of XLA
  const auto kernels = scanMosaicDump(folder_.string());
  ASSERT_TRUE(kernels);
  ASSERT_EQ(kernels->size(), 1u);
  EXPECT_EQ((*kernels)[0].name, "matmul_0");
  std::vector<std::string_view> parts;
  for (const MosaicDumpFile& file : (*kernels)[0].files) parts.push_back(mosaicDumpPartName(file.part));
  EXPECT_EQ(parts, (std::vector<std::string_view>{"before layout inference", "after layout inference",
                                                  "passes", "PTX", "SASS with control codes"}));
}

TEST_F(MosaicDump, AKernelIsReadFromTheEarliestPart) {
  write("a_0.mlir-passes.log",
        "// -----// IR Dump Before CSE (cse) ('builtin.module' operation) //----- //\n" +
            std::string(kKernel) +
            "\n// -----// IR Dump After CSE (cse) ('builtin.module' operation) //----- //\nmodule {}\n");
  const auto found = findKernels(folder_.string());
  ASSERT_TRUE(found) << toString(found.error());
  ASSERT_EQ(found->size(), 1u);
  const auto kernel = studyKernel((*found)[0].bytes, "a_0");
  ASSERT_TRUE(kernel) << toString(kernel.error());
  EXPECT_EQ(kernel->description.name, "k");
  EXPECT_TRUE(kernel->problems.empty());
}

TEST(MosaicPassLog, IsCutAtItsMarks) {
  const auto dumps = splitPassLog(
      "// -----// IR Dump Before Canonicalizer (canonicalize) //----- //\nmodule {}\n\n"
      "// -----// IR Dump After Canonicalizer (canonicalize) //----- //\nmodule @b {}\n");
  ASSERT_EQ(dumps.size(), 2u);
  EXPECT_EQ(dumps[0].pass, "before Canonicalizer (canonicalize)");
  EXPECT_EQ(dumps[0].text, "module {}\n\n");
  EXPECT_EQ(dumps[1].text, "module @b {}\n");
  EXPECT_TRUE(splitPassLog("no marks").empty());
}

TEST_F(MosaicDump, TheTextShownEndsInWhatIsWrong) {
  const auto kernel = studyKernel(kKernel, "k.mlir");
  ASSERT_TRUE(kernel);
  EXPECT_EQ(annotatedText(*kernel).substr(0, 9), "module @k");
  const auto faulty = studyKernel("module {\n  \"mosaic_gpu.nothing\"() : () -> ()\n}\n", "k.mlir");
  ASSERT_TRUE(faulty);
  EXPECT_NE(annotatedText(*faulty).find("// line 2: unknown-operation: "), std::string::npos)
      << annotatedText(*faulty);
}

}  // namespace
}  // namespace hilo
