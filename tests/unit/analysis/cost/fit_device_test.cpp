// A device fitted to times that another one would have taken is that other one.
#include "core/analysis/cost/fit_device.h"

#include <gtest/gtest.h>

#include "core/analysis/cost/device_latency.h"
#include "tests/support/module_text.h"

namespace hilo {
namespace {

constexpr const char* kModule = R"(
sum { x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y) }
ENTRY e { a = bf16[4096,4096] parameter(0)
  b = f32[8192,8192] parameter(1)
  c = f32[64] parameter(2)
  dot.1 = bf16[4096,4096] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  dot.2 = bf16[4096,4096] dot(dot.1, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  negate.1 = f32[8192,8192] negate(b)
  add.1 = f32[8192,8192] add(negate.1, b)
  small.1 = f32[64] negate(c)
  small.2 = f32[64] add(small.1, c)
  ar = f32[8192,8192] all-reduce(add.1), replica_groups={{0,1,2,3}}, to_apply=sum
  ROOT t = (bf16[4096,4096], f32[8192,8192], f32[64]) tuple(dot.2, ar, small.2) })";

LatencyProfile profileOf(const Module& module, const DeviceDescription& device) {
  const DeviceLatencyEstimator estimator(module, device);
  LatencyProfile profile;
  for (const Instruction* instruction : module.entry()->instructions())
    if (const double ns = estimator.workNs(*instruction); ns > 0)
      profile.costUs[std::string(instruction->name())] = ns / 1000;
  return profile;
}

TEST(FitDevice, FindsTheDeviceThatTheTimesAreOf) {
  const auto module = moduleOf(kModule);
  const DeviceDescription described = *findDevice("h100");
  DeviceDescription real = described;
  real.kernelNs *= 2;
  real.memoryEfficiency *= 0.6;
  real.matmulEfficiency *= 0.5;
  real.link.efficiency *= 0.25;
  const auto fit = fitDevice(*module, described, profileOf(*module, real));
  ASSERT_TRUE(fit) << toString(fit.error());
  EXPECT_NEAR(fit->device.kernelNs, real.kernelNs, 1e-3 * real.kernelNs);
  EXPECT_NEAR(fit->device.memoryEfficiency, real.memoryEfficiency, 1e-3);
  EXPECT_NEAR(fit->device.matmulEfficiency, real.matmulEfficiency, 1e-3);
  EXPECT_NEAR(fit->device.link.efficiency, real.link.efficiency, 0.02 * real.link.efficiency);
  EXPECT_EQ(fit->device.network.efficiency, described.network.efficiency);
  EXPECT_GT(fit->errorBefore, 1.5);
  EXPECT_LT(fit->errorAfter, 1.01);
  EXPECT_EQ(fit->measured, 7);
  ASSERT_EQ(fit->fields.size(), 4u);
  EXPECT_EQ(fit->fields[0].name, "kernelNs");
  EXPECT_EQ(fit->fields[0].instructions, 2);
}

TEST(FitDevice, LeavesADeviceAloneThatFits) {
  const auto module = moduleOf(kModule);
  const DeviceDescription device = *findDevice("a100");
  const auto fit = fitDevice(*module, device, profileOf(*module, device));
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->errorBefore, 1, 1e-9);
  for (const FittedField& field : fit->fields) EXPECT_NEAR(field.after / field.before, 1, 1e-3) << field.name;
}

TEST(FitDevice, RefusesTimesOfOtherModules) {
  const auto module = moduleOf(kModule);
  LatencyProfile profile;
  profile.costUs["elsewhere"] = 3;
  const auto fit = fitDevice(*module, *findDevice("a100"), profile);
  ASSERT_FALSE(fit);
  EXPECT_EQ(fit.error().kind, "bad-profile");
}

TEST(DeviceJson, IsReadAsItWasWritten) {
  for (const BuiltInDevice& builtIn : builtInDevices()) {
    const DeviceDescription device = *findDevice(std::string(builtIn.id));
    const std::string json = deviceJson(device);
    const auto read = parseDevice(json, "written.json");
    ASSERT_TRUE(read) << toString(read.error());
    EXPECT_EQ(deviceJson(*read), json);
    EXPECT_EQ(read->network.latencyNs, device.network.latencyNs);
    EXPECT_EQ(read->peakTflops.f8, device.peakTflops.f8);
  }
}

}  // namespace
}  // namespace hilo
