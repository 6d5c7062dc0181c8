// The graph's colours of a partitioning: shardings by name, and the edges where a value moves.
#include <gmock/gmock.h>

#include "core/workspace/overlays/overlays.h"
#include "tests/unit/workspace/partition/sharded_modules.h"

namespace hilo {
namespace {

using testing::HasSubstr;

TEST(ReshardOverlay, AnEdgeIsMarkedWhereItsValueMoves) {
  const auto module = shardedModule();
  const auto overlay = overlayOfReshards(*partitioningOf({.module = module}), *module);
  ASSERT_TRUE(overlay);
  ASSERT_EQ(overlay->edges.size(), 1u);
  EXPECT_EQ(overlay->edges[0].from, module->findInstruction("v")->id());
  EXPECT_EQ(overlay->edges[0].to, module->findInstruction("d")->id());
  EXPECT_THAT(overlay->edges[0].text, HasSubstr("%d needs it whole"));
  EXPECT_EQ(overlay->edgesTitle, "reshard");
}

// v states none: it has the one that spread to it.
TEST(ReshardOverlay, ColoursAreThoseOnceShardingsHaveSpread) {
  const auto module = shardedModule();
  const auto overlay = overlayOfReshards(*partitioningOf({.module = module}), *module);
  ASSERT_TRUE(overlay);
  const auto categoryOf = [&](const char* name) {
    return overlay->category[module->findInstruction(name)->id().value];
  };
  EXPECT_NE(categoryOf("v"), Overlay::kNoCategory);
  EXPECT_EQ(categoryOf("v"), categoryOf("r"));
}

TEST(ReshardOverlay, APartitionedModuleHasItsMovesAsInstructions) {
  const auto first = partitioningOf({.module = shardedModule()});
  const auto again = partitioningOf({.module = first->local});
  const auto overlay = overlayOfReshards(*again, *first->local);
  ASSERT_FALSE(overlay);
  EXPECT_EQ(overlay.error().kind, "not-sharded");
}

}  // namespace
}  // namespace hilo
