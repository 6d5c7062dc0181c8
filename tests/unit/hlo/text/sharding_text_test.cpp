#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"
#include "core/hlo/text/print.h"

namespace hilo {
namespace {

std::string roundTrip(std::string_view text) {
  Arena storage;
  const auto sharding = parseSharding(text, storage);
  if (!sharding) return sharding.error().kind;
  std::string out;
  appendSharding(out, *sharding);
  return out;
}

TEST(ShardingText, EveryFormComesBack) {
  for (const char* text : {
           "{replicated}",
           "{manual}",
           "{unknown}",
           "{unreduced}",
           "{maximal device=3}",
           "{}",
           "{devices=[2,1,2]0,1,2,3}",
           "{devices=[2,2]<=[4]}",
           "{devices=[4,2]<=[2,4]T(1,0)}",
           "{devices=[2,1,4]<=[8] last_tile_dim_replicate}",
           "{devices=[2,1,4]<=[8] last_tile_dims={manual}}",
           "{devices=[1,2,2]<=[4] last_tile_dims={manual, replicated}}",
           "{replicated shard_as 7}",
           "{devices=[2]<=[2] shard_like 1}",
           "{replicated metadata={op_name=\"a\"}}",
           "{manual metadata={{op_name=\"a\"}, {op_name=\"b\"}}}",
           "{{replicated}, {manual}}",
           "{{replicated}, {manual}, {replicated}, {manual}, {replicated}, /*index=5*/{maximal device=0}}",
           "{mesh['x'=2,'y'=4], replicated}",
           "{mesh['x'=2], manual}",
           "{mesh['x'=2], unreduced}",
           "{mesh['x'=2,'y'=2], unreduced=max{'y'}}",
           "{mesh['x'=2,'y'=4], [{'x'}, {'y':(1)2, ?}, {?}]}",
           "{mesh['x'=4], device_ids=([2,2]T(1,0)), [{'x'}]}",
           "{mesh['x'=2], device_ids=(1,0), [{'x'}]}",
           "{mesh['a'=2,'b'=2,'c'=2], [{'a'}, {}], replicated={'b'}, manual={'c'}}",
           "{maximal_mesh[device_id=5]}",
           "{mesh['x'=2], [{'x'}], metadata={{op_name=\"a\"}}}",
       }) {
    EXPECT_EQ(roundTrip(text), text);
  }
}

TEST(ShardingText, ReplicaGroupsInTheirThreeForms) {
  for (const char* text :
       {"{}", "{{0,1},{2,3}}", "[2,4]<=[8]", "[4,2]<=[2,4]T(1,0)", "mesh['x'=2,'y'=2] {'y'}"}) {
    Arena storage;
    const auto groups = parseReplicaGroups(text, storage);
    ASSERT_TRUE(groups.has_value()) << text;
    std::string out;
    appendReplicaGroups(out, *groups);
    EXPECT_EQ(out, text);
  }
}

TEST(ShardingText, RefusesWhatDoesNotFitTogether) {
  EXPECT_EQ(roundTrip("{devices=[2,2]0,1,2}"), "bad-sharding");
  EXPECT_EQ(roundTrip("{devices=[2]<=[2,1]T(1,1)}"), "bad-sharding");
  EXPECT_EQ(roundTrip("{replicated devices=[2]<=[2]}"), "bad-sharding");
  EXPECT_EQ(roundTrip("{shard_as 1}"), "bad-sharding");
  EXPECT_EQ(roundTrip("{mesh['x'=2], [{'z'}]}"), "unknown-mesh-axis");
  EXPECT_EQ(roundTrip("{mesh['x'=2], [{?, 'x'}]}"), "bad-sharding");
  EXPECT_EQ(roundTrip("{replicated"), "unexpected-token");
  EXPECT_EQ(roundTrip("{nonsense}"), "unexpected-token");
  EXPECT_EQ(roundTrip("{devices=[0]<=[1]}"), "bad-sharding");
}

TEST(ShardingText, MetadataIsLeftOutOnDemand) {
  Arena storage;
  const auto sharding = parseSharding("{replicated metadata={op_name=\"a\"}}", storage);
  std::string out;
  appendSharding(out, *sharding, false);
  EXPECT_EQ(out, "{replicated}");
}

}  // namespace
}  // namespace hilo
