// Devices as XLA describes them; rates computed by hand: 2 x processors x clock x units x operations.
#include "core/analysis/cost/target_config.h"

#include <gtest/gtest.h>

namespace hilo {
namespace {

constexpr const char* kWhole = R"(gpu_device_info {
  core_count: 10 memory_bandwidth: 2000000000000 clock_rate_ghz: 1.5 device_memory_size: 1000000 l2_cache_size: 5
  cuda_compute_capability { major: 9 feature_extension: ACCELERATED_FEATURES }
  scalar_unit_description { rate_infos { key: 11 value { clock_rate_ghz: 1.5 units_per_core: 128 ops_per_clock: 1 } } }
  matrix_unit_description {
    rate_infos { key: 2 value { clock_rate_ghz: 1 units_per_core: 4 ops_per_clock: 1000 } }
    rate_infos { key: 10 value { clock_rate_ghz: 1 units_per_core: 4 ops_per_clock: 500 } }
    rate_infos { key: 11 value { clock_rate_ghz: 1 units_per_core: 4 ops_per_clock: 250 } }
    rate_infos { key: 12 value { clock_rate_ghz: 2 units_per_core: 4 ops_per_clock: 25 } }
    rate_infos { key: 16 value { clock_rate_ghz: 1 units_per_core: 4 ops_per_clock: 400 } }
    rate_infos { key: 20 value { clock_rate_ghz: 1 units_per_core: 4 ops_per_clock: 800 } }
  }
  device_interconnect_info { active_links: 6 }
  name: "Ten" driver_version: "13.0.0"
}
platform_name: "CUDA")";

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  text.replace(text.find(from), from.size(), to);
  return text;
}

std::string refusal(const std::string& text) {
  const auto device = deviceOfTargetConfig(text, "f.pbtxt");
  return device ? "none" : device.error().message;
}

TEST(TargetConfig, NumbersAreTheFilesAndTheRestIsOfTheSameGeneration) {
  const auto device = deviceOfTargetConfig(kWhole, "f.pbtxt");
  ASSERT_TRUE(device) << toString(device.error());
  EXPECT_EQ(device->name, "Ten");
  EXPECT_EQ(device->computeCapability, "9.0");
  EXPECT_DOUBLE_EQ(device->memoryBandwidthGBps, 2000);
  EXPECT_EQ(device->memoryBytes, 1000000);
  EXPECT_EQ(device->processors, 10);
  EXPECT_DOUBLE_EQ(device->clockMHz, 1500);
  EXPECT_DOUBLE_EQ(device->peakTflops.s8, 80);
  EXPECT_DOUBLE_EQ(device->peakTflops.f16, 40);
  EXPECT_DOUBLE_EQ(device->peakTflops.tf32, 20);
  EXPECT_DOUBLE_EQ(device->peakTflops.f64, 4);
  EXPECT_DOUBLE_EQ(device->peakTflops.bf16, 32);
  EXPECT_DOUBLE_EQ(device->peakTflops.f8, 64);
  EXPECT_DOUBLE_EQ(device->peakTflops.f32, 3.84);
  EXPECT_DOUBLE_EQ(device->link.bandwidthGBps, 150);
  EXPECT_DOUBLE_EQ(device->network.bandwidthGBps, findDevice("h100")->network.bandwidthGBps);
  EXPECT_EQ(device->notes,
            std::vector<std::string>{"Ten: efficiency, network and least times are those of h100"});
}

TEST(TargetConfig, WithoutMatrixUnitsAKnownDeviceIsScaled) {
  const auto device = deviceOfTargetConfig(
      "gpu_device_info { core_count: 54 memory_bandwidth: 1555200000000 clock_rate_ghz: 0.705\n"
      "  device_memory_size: 42331013120 cuda_compute_capability { major: 8 } }",
      "f.pbtxt");
  ASSERT_TRUE(device) << toString(device.error());
  EXPECT_NEAR(device->peakTflops.bf16, 312.0 / 4, 1e-3);
  EXPECT_DOUBLE_EQ(device->link.bandwidthGBps, 300);
  EXPECT_EQ(device->name, "CUDA device 8.0");
  EXPECT_EQ(device->notes.size(), 3u);
}

TEST(TargetConfig, WhatIsMissingIsNamed) {
  EXPECT_EQ(refusal("platform_name: \"ROCM\""),
            "the file is of no CUDA device: cuda_compute_capability is missing");
  EXPECT_EQ(refusal(replaced(kWhole, "core_count: 10", "core_count: -10")),
            "core_count, memory_bandwidth, clock_rate_ghz and device_memory_size must be positive numbers");
  EXPECT_EQ(refusal(replaced(kWhole, "major: 9", "major: 7")), "nothing is known of compute capability 7.0");
  std::string other = replaced(kWhole, "major: 9", "major: 9 minor: 1");
  EXPECT_EQ(refusal(other), "none");
  EXPECT_EQ(refusal(replaced(other, "key: 16", "key: 17")),
            "the file says no rates of matrix units, and for compute capability 9.1 none are known");
  EXPECT_EQ(deviceOfTargetConfig("gpu_device_info {", "f.pbtxt").error().kind, "text-proto-syntax");
}

}  // namespace
}  // namespace hilo
