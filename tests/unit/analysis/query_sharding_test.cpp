// The keys sharding:, axis: and reshard:.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/analysis/query/query.h"
#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kModule =
    R"(HloModule m, num_partitions=4, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["data"=2, "model"=2]>}}
ENTRY main {
  a = f32[8,8] parameter(0), sharding={devices=[2,1,2]<=[4] last_tile_dim_replicate}
  b = f32[8,8] parameter(1), sharding={devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}
  c = f32[8,8] parameter(2), sharding={replicated}
  g = f32[16,8] all-gather(a), channel_id=1, replica_groups={{0,2},{1,3}}, dimensions={0}, use_global_device_ids=true, frontend_attributes={is_spmd_generated="true"}
  h = f32[16,8] all-gather(a), channel_id=2, replica_groups={{0,1},{2,3}}, dimensions={0}, use_global_device_ids=true
  ROOT t = (f32[8,8], f32[8,8], f32[16,8], f32[16,8]) tuple(b, c, g, h), sharding={{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}, {replicated}, {replicated}, {replicated}}
}
)";

std::vector<std::string> found(const std::string& query) {
  static const auto module = *parseModuleStrictly(kModule);
  const auto parsed = parseQuery(query);
  EXPECT_TRUE(parsed) << query;
  std::vector<std::string> names;
  if (!parsed) return names;
  for (const Instruction* i : QueryMatcher(*parsed, *module).all()) names.emplace_back(i->name());
  return names;
}

TEST(QuerySharding, MatchesTheTextWithBracesOrWithout) {
  EXPECT_THAT(found("sharding:replicated"), ElementsAre("c", "t"));
  EXPECT_THAT(found("sharding:\"{replicated}\""), ElementsAre("c", "t"));
  EXPECT_THAT(found("sharding:*[2,1,2]*"), ElementsAre("a"));
  EXPECT_THAT(found("sharding:manual"), IsEmpty());
}

TEST(QuerySharding, AxesOfArraysAndOfCollectives) {
  EXPECT_THAT(found("axis:data"), ElementsAre("a", "g"));
  EXPECT_THAT(found("axis:model"), ElementsAre("b", "h", "t"));
  EXPECT_THAT(found("axis:stage"), IsEmpty());
}

TEST(QuerySharding, ReshardsAreWhatThePartitionerMade) {
  EXPECT_THAT(found("reshard:all-gather"), ElementsAre("g"));
  EXPECT_THAT(found("reshard:*"), ElementsAre("g"));
  EXPECT_THAT(found("reshard:all-to-all"), IsEmpty());
}

}  // namespace
}  // namespace hilo
