// What a module was compiled for, told by the names of the files of its dump and by what is in it.
#include "core/workspace/schedule/schedule_target.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/module_text.h"

namespace hilo {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPlain = "ENTRY e { a = f32[8] parameter(0)\n ROOT n = f32[8] negate(a) }";

class ScheduleTargetTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string file(const std::string& name, const std::string& text = "") {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  ScheduleTarget targetOf(const std::string& path) { return scheduleTargetOf(*moduleOf(kPlain), path); }

  fs::path folder_;
};

TEST_F(ScheduleTargetTest, ACpuIsToldByItsStagesNameFromAnyOtherStage) {
  const std::string before = file("module_0003.jit_f.before_optimizations.txt");
  EXPECT_EQ(targetOf(before).device, ScheduleTarget().device) << "nothing tells yet";
  file("module_0003.jit_f.cpu_after_optimizations.txt");
  const ScheduleTarget target = targetOf(before);
  EXPECT_EQ(target.device, "xeon_8480");
  EXPECT_EQ(target.preset, "memory");
  EXPECT_FALSE(target.asyncCollectives);
  EXPECT_FALSE(target.isKnown);
  EXPECT_EQ(target.because, "it was compiled for a CPU (module_0003.jit_f.cpu_after_optimizations.txt)");
  // Another module of the folder may be for something else.
  EXPECT_EQ(targetOf(file("module_0004.jit_g.before_optimizations.txt")).because, ScheduleTarget().because);
}

TEST_F(ScheduleTargetTest, AGpuIsOfItsCapabilityUnlessTheDumpDescribesIt) {
  const std::string path = file("jit_f.sm_8.0_gpu_after_optimizations.txt");
  EXPECT_EQ(targetOf(path).device, "a100");
  EXPECT_TRUE(targetOf(path).asyncCollectives);
  EXPECT_EQ(targetOf(file("jit_g.sm_9.0a_gpu_after_optimizations.txt")).device, "h200");
  const std::string described = file("jit_f.gpu_target_config.pbtxt", R"(gpu_device_info { core_count: 54
    memory_bandwidth: 1555200000000 clock_rate_ghz: 0.705 device_memory_size: 42331013120
    cuda_compute_capability { major: 8 } })");
  EXPECT_EQ(targetOf(path).device, described);
  EXPECT_TRUE(targetOf(path).isKnown);
  // One that cannot be read says nothing.
  file("jit_f.gpu_target_config.pbtxt", "gpu_device_info {");
  EXPECT_EQ(targetOf(path).device, "a100");
}

TEST_F(ScheduleTargetTest, WithoutADumpTheModuleItselfIsAsked) {
  EXPECT_EQ(scheduleTargetOf(*moduleOf(kPlain), "").because, ScheduleTarget().because);
  const auto tiled = moduleOf(
      "ENTRY e { a = f32[8,128]{1,0:T(8,128)} parameter(0)\n ROOT n = f32[8,128]{1,0:T(8,128)} negate(a) }");
  EXPECT_EQ(scheduleTargetOf(*tiled, "").preset, "tpu");
  const auto gpu = moduleOf(
      "ENTRY e { a = f32[8] parameter(0)\n ROOT n = f32[8] negate(a), "
      "backend_config={\"wait_on_operation_queues\":[]} }");
  EXPECT_NE(scheduleTargetOf(*gpu, "").because.find("GPU"), std::string::npos);
}

}  // namespace
}  // namespace hilo
