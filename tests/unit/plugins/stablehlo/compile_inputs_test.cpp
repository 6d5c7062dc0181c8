// A directory of PJRT's compile inputs opens as its module on the devices the options name.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "core/workspace/path/open_path.h"
#include "tests/unit/plugins/stablehlo/open_text.h"

namespace hilo {
namespace {

class CompileInputs : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder_);
    write("module.mlir",
          "module @jit_f {\n  func.func public @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
          "    %0 = stablehlo.negate %a : tensor<4xf32>\n    return %0 : tensor<4xf32>\n  }\n}\n");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& name, const std::string& content) {
    std::ofstream(folder_ + "/" + name, std::ios::binary) << content;
  }
  const std::string folder_ =
      testing::TempDir() + "/" + testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(CompileInputs, TextOptions) {
  write("compile_options.textproto",
        "executable_build_options {\n  device_ordinal: -1\n  num_replicas: 2\n  num_partitions: 4\n"
        "  debug_options { xla_gpu_autotune_level: 4 }\n}\n");
  write("topology.textproto", "platform_name: \"cuda\"\n");
  const auto item = openItem(folder_);
  ASSERT_TRUE(item.has_value()) << toString(item.error());
  const auto* file = std::get_if<std::shared_ptr<const OpenedFile>>(&*item);
  ASSERT_NE(file, nullptr);
  EXPECT_EQ((*file)->kind, "PJRT compile inputs, StableHLO text");
  EXPECT_EQ((*file)->module->name(), "jit_f");
  EXPECT_EQ((*file)->module->replicaCount(), 2);
  EXPECT_EQ((*file)->module->partitionCount(), 4);
  ASSERT_EQ((*file)->diagnostics.size(), 2u);
  EXPECT_EQ((*file)->diagnostics[0].message, "2 replicas, 4 partitions");
}

TEST_F(CompileInputs, BinaryOptions) {
  write("compile_options.pb",
        std::string("\x1a\x06\x20\x01\x28\x08\x30\x01", 8));  // 3 { 4: 1, 5: 8, 6: true }
  const auto file = openFile(folder_);
  ASSERT_TRUE(file.has_value()) << toString(file.error());
  EXPECT_EQ((*file)->module->partitionCount(), 8);
  EXPECT_EQ((*file)->diagnostics[0].message, "1 replicas, 8 partitions, SPMD");
}

TEST_F(CompileInputs, BrokenOptions) {
  write("compile_options.textproto", "executable_build_options {\n  num_replicas: many\n}\n");
  const auto file = openFile(folder_);
  ASSERT_FALSE(file.has_value());
  EXPECT_EQ(file.error().kind, "text-proto-syntax");
}

TEST_F(CompileInputs, WithoutOptionsItIsADirectory) { EXPECT_FALSE(openFile(folder_).has_value()); }

}  // namespace
}  // namespace hilo
