// Device files, and what the model makes of them: figures computed from the formulas by hand.
#include "core/analysis/cost/device.h"

#include <gtest/gtest.h>

#include "core/analysis/cost/device_latency.h"
#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

// Round numbers: 1 byte a ns of memory, 1 flop a ns of everything, links of 1 byte a ns and 10 ns a step.
constexpr const char* kPlain = R"({
  "name": "plain", "memoryBandwidthGBps": 1, "memoryBytes": 1000, "processors": 1, "clockMHz": 1000,
  "peakTflops": {"f64": 0.001, "f32": 0.001, "tf32": 0.001, "bf16": 0.002, "f16": 0.002, "f8": 0.004, "s8": 0.004},
  "memoryEfficiency": 1, "matmulEfficiency": 1, "kernelNs": 5, "hostBandwidthGBps": 1, "devicesPerNode": 4,
  "link": {"bandwidthGBps": 1, "latencyNs": 10, "efficiency": 1},
  "network": {"bandwidthGBps": 0.5, "latencyNs": 100, "efficiency": 1}, "collectiveNs": 1
})";

std::unique_ptr<Module> moduleOf(const std::string& entry) {
  auto module = parseModuleStrictly(
      "HloModule m, num_partitions=8\nadd {\n  x = f32[] parameter(0)\n"
      "  y = f32[] parameter(1)\n  ROOT z = f32[] add(x, y)\n}\nENTRY e {\n" +
      entry + "}\n");
  EXPECT_TRUE(module) << (module ? "" : toString(module.error()));
  return module ? std::move(*module) : nullptr;
}

double workNs(const Module& module, std::string_view name) {
  const auto device = parseDevice(kPlain, "plain.json");
  EXPECT_TRUE(device);
  return DeviceLatencyEstimator(module, *device).workNs(*module.findInstruction(name));
}

TEST(Device, BuiltInOnesAreWhole) {
  EXPECT_GE(builtInDevices().size(), 4u);
  for (const BuiltInDevice& device : builtInDevices()) {
    const auto parsed = parseDevice(device.json, std::string(device.id));
    EXPECT_TRUE(parsed) << toString(parsed.error());
  }
  EXPECT_EQ(findDevice("h200")->name, "H200-SXM5-141GB");
}

TEST(Device, WhatIsWrongIsNamed) {
  std::string text = kPlain;
  text.replace(text.find("\"kernelNs\": 5"), 13, "\"kernelNs\": 0");
  const auto zero = parseDevice(text, "f.json");
  ASSERT_FALSE(zero);
  EXPECT_EQ(zero.error().message, "'kernelNs' must be a positive number");
  text = kPlain;
  text.replace(text.find("\"latencyNs\": 10,"), 16, "");
  EXPECT_EQ(parseDevice(text, "f.json").error().message, "'link.latencyNs' must be a positive number");
  text = kPlain;
  text.insert(1, "\"colour\": 3,");
  EXPECT_EQ(parseDevice(text, "f.json").error().message, "'colour' is not a field of a device");
  EXPECT_EQ(parseDevice("[]", "f.json").error().kind, "bad-device");
  EXPECT_EQ(findDevice("no-such-device").error().kind, "unknown-device");
}

TEST(DeviceLatency, KernelsAreBoundByWhatTakesLonger) {
  const auto m = moduleOf(R"(
  a = f32[64,64]{1,0} parameter(0)
  small = f32[] parameter(1)
  n = f32[64,64]{1,0} negate(a)
  d = f32[64,64]{1,0} dot(a, n), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  b = f32[] negate(small)
  ROOT t = (f32[64,64]{1,0}, f32[]) tuple(d, b)
)");
  EXPECT_EQ(workNs(*m, "n"), 2 * 4 * 64 * 64);   // bytes in and out
  EXPECT_EQ(workNs(*m, "d"), 2 * 64 * 64 * 64);  // flops; one tile fills the one processor
  EXPECT_EQ(workNs(*m, "b"), 8);                 // bytes, over the 5 ns a kernel takes at least
  EXPECT_EQ(workNs(*m, "t"), 0);
}

TEST(DeviceLatency, CollectivesByBytesGroupAndLink) {
  const auto m = moduleOf(R"(
  a = f32[1000]{0} parameter(0)
  near = f32[1000]{0} all-reduce(a), replica_groups={{0,1,2,3},{4,5,6,7}}, to_apply=add
  far = f32[1000]{0} all-reduce(a), replica_groups={{0,4},{1,5},{2,6},{3,7}}, to_apply=add
  g = f32[4000]{0} all-gather(a), replica_groups={{0,1,2,3},{4,5,6,7}}, dimensions={0}
  p = f32[1000]{0} collective-permute(a), source_target_pairs={{0,1},{1,0}}
  ROOT t = (f32[1000]{0}, f32[1000]{0}, f32[4000]{0}, f32[1000]{0}) tuple(near, far, g, p)
)");
  EXPECT_EQ(workNs(*m, "near"), 1 + 2 * 0.75 * 4000 + 2 * 3 * 10);
  EXPECT_EQ(workNs(*m, "far"), 1 + 2 * 0.5 * 4000 / 0.5 + 2 * 1 * 100);
  EXPECT_EQ(workNs(*m, "g"), 1 + 0.75 * 16000 + 3 * 10);
  EXPECT_EQ(workNs(*m, "p"), 1 + 4000 + 10);
}

TEST(DeviceLatency, AStartTakesNoTimeAndItsPairTheWork) {
  const auto m = moduleOf(R"(
  a = f32[1000]{0} parameter(0)
  s = (f32[1000]{0}, f32[1000]{0}) collective-permute-start(a), source_target_pairs={{0,1},{1,0}}
  ROOT d = f32[1000]{0} collective-permute-done(s)
)");
  const DeviceLatencyEstimator estimator(*m, *parseDevice(kPlain, "plain.json"));
  EXPECT_EQ(estimator.nodeCost(*m->findInstruction("s")), 1);
  EXPECT_EQ(estimator.latencyBetween(*m->findInstruction("s"), *m->findInstruction("d")), 4011);
}

}  // namespace
}  // namespace hilo
