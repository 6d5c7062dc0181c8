// A module of several partitions that devices have not been given parts of.
#include "core/analysis/unpartitioned.h"

#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

bool isUnpartitioned(const std::string& header, const std::string& body) {
  const auto module = parseModuleStrictly("HloModule m" + header + "\nENTRY e {\n" + body + "}\n");
  EXPECT_TRUE(module) << toString(module.error());
  return module && hilo::isUnpartitioned(**module);
}

constexpr char kSharded[] = "ROOT p = f32[8] parameter(0), sharding={devices=[4]<=[4]}\n";

TEST(Unpartitioned, HasPartitionsAndShardings) {
  EXPECT_TRUE(isUnpartitioned(", num_partitions=4", kSharded));
  EXPECT_FALSE(isUnpartitioned("", kSharded));
  EXPECT_FALSE(isUnpartitioned(", num_partitions=4", "ROOT p = f32[8] parameter(0)\n"));
}

TEST(Unpartitioned, ShardyWritesShardingsAsFrontendAttributes) {
  EXPECT_TRUE(isUnpartitioned(", num_partitions=4, frontend_attributes={xla.sdy.meshes={a}}",
                              "ROOT p = f32[8] parameter(0)\n"));
}

TEST(Unpartitioned, DevicesThatExchangeHaveTheirParts) {
  EXPECT_FALSE(isUnpartitioned(", num_partitions=4", R"(p = f32[2] parameter(0), sharding={devices=[4]<=[4]}
  ROOT g = f32[8] all-gather(p), channel_id=1, replica_groups={{0,1,2,3}}, dimensions={0}, use_global_device_ids=true
)"));
  EXPECT_FALSE(
      isUnpartitioned(", num_partitions=4", "ROOT i = u32[] partition-id(), sharding={replicated}\n"));
}

TEST(Unpartitioned, CollectivesOfAManualRegionAreTheProgramsOwn) {
  EXPECT_TRUE(isUnpartitioned(", num_partitions=4", R"(p = f32[8] parameter(0), sharding={devices=[4]<=[4]}
  l = f32[2] custom-call(p), custom_call_target="SPMDFullToShardShape", sharding={manual}
  g = f32[8] all-gather(l), channel_id=1, replica_groups={{0,1,2,3}}, dimensions={0}, use_global_device_ids=true, sharding={manual}
  ROOT r = f32[32] custom-call(g), custom_call_target="SPMDShardToFullShape", sharding={devices=[4]<=[4]}
)"));
}

}  // namespace
}  // namespace hilo
