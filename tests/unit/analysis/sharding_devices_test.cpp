#include "core/analysis/sharding_devices.h"

#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

int64_t devicesOf(std::string_view sharding) {
  const auto module = parseModuleStrictly(
      fmt::format("HloModule m\nENTRY e {{ ROOT p = f32[8,8] parameter(0){} }}", sharding));
  EXPECT_TRUE(module.has_value());
  return module ? shardingDevices(**module) : 0;
}

TEST(ShardingDevices, AreThoseOfTheTiles) {
  EXPECT_EQ(devicesOf(""), 1);
  EXPECT_EQ(devicesOf(", sharding={replicated}"), 1);
  EXPECT_EQ(devicesOf(", sharding={devices=[2,2]<=[4]}"), 4);
  EXPECT_EQ(devicesOf(", sharding={devices=[4,1,2]<=[8] last_tile_dim_replicate}"), 8);
}

TEST(ShardingDevices, OfAPartitionedModuleAreNotToBeCutAgain) {
  const auto module = parseModuleStrictly(
      "HloModule m\nENTRY e { p = f32[8,8] parameter(0), sharding={devices=[2,2]<=[4]} ROOT i = u32[] "
      "partition-id() }");
  ASSERT_TRUE(module.has_value());
  EXPECT_EQ(shardingDevices(**module), 1);
}

}  // namespace
}  // namespace hilo
