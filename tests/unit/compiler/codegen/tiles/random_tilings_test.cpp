// Random fusions with random tile sizes: legal ones give what the reference gives, on a processor and on the
// simulated GPU; others are refused with the instruction and the reason. HILO_TILE_SEEDS: how many fusions.
#include <cstdlib>
#include <random>
#include <set>

#include "core/analysis/tile_program/build_tile_program.h"
#include "core/analysis/tile_program/verify_tile_program.h"
#include "core/hlo/ir/module.h"
#include "tests/support/random_fusion.h"
#include "tests/unit/compiler/codegen/tiles/tiled_runs.h"

namespace hilo {
namespace {

std::vector<int64_t> randomSizes(const TilingSpace& space, std::mt19937_64& random) {
  std::vector<int64_t> sizes;
  for (const size_t v : space.tiled()) {
    const int64_t size = space.variables[v].index.range.upper + 1;
    const int64_t choices[] = {1, 2, 3, 4, size, size, (size + 1) / 2};
    sizes.push_back(std::max<int64_t>(1, choices[random() % std::size(choices)]));
  }
  return sizes;
}

// "%add.3 (add): why" or "%add.3: why", of an instruction of the fusion.
void expectReason(const Diagnostic& refused, const TilingSpace& space) {
  EXPECT_TRUE(refused.kind == "illegal-tiling" || refused.kind == "not-a-tile-program") << toString(refused);
  const std::string& message = refused.message;
  const auto isNamed = [&](const TiledInstruction& tiled) {
    const std::string name = "%" + std::string(tiled.instruction->name());
    return message.starts_with(name) && message.size() > name.size() + 2 &&
           std::string_view(" :,").contains(message[name.size()]);
  };
  EXPECT_TRUE(std::ranges::any_of(space.instructions, isNamed)) << message;
}

struct Counts {
  int ran = 0, refused = 0, notTileable = 0;
};

void tryFusion(const Module& module, uint64_t seed, Counts& counts) {
  const auto space = tilingSpace(*module.entry()->root());
  if (!space) {
    EXPECT_EQ(space.error().kind, "not-tileable") << toString(space.error());
    ++counts.notTileable;
    return;
  }
  std::mt19937_64 random(seed);
  std::set<std::vector<int64_t>> tried;
  for (int i = 0; i < 2; ++i) {
    const auto sizes = randomSizes(*space, random);
    if (!tried.insert(sizes).second) continue;
    SCOPED_TRACE(fmt::format("sizes {}", fmt::join(sizes, ",")));
    const auto tiled = tiledFusion(*space, sizes);
    if (!tiled) {
      expectReason(tiled.error(), *space);
      ++counts.refused;
      continue;
    }
    const Status sound = verifyTilePrograms(*tiled);
    ASSERT_TRUE(sound) << toString(sound.error()) << printModule(module);
    expectTiled(module, sizes);
    ++counts.ran;
  }
}

TEST(RandomTilings, GiveWhatTheReferenceGives) {
  const char* wanted = std::getenv("HILO_TILE_SEEDS");
  const uint64_t seeds = wanted == nullptr ? 40 : std::strtoull(wanted, nullptr, 10);
  Counts counts;
  for (uint64_t seed = 0; seed < seeds && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const auto module = randomWholeFusion(seed, 12);
    if (module != nullptr) tryFusion(*module, seed, counts);
  }
  RecordProperty("ran", counts.ran);
  RecordProperty("refused", counts.refused);
  RecordProperty("not_tileable", counts.notTileable);
  EXPECT_GT(counts.ran, static_cast<int>(seeds / 2));
  EXPECT_GT(counts.refused, 0);
}

}  // namespace
}  // namespace hilo
