#include "core/analysis/tile_program/configured_tiles.h"

#include <fmt/format.h>

#include <charconv>

#include "core/analysis/async_op.h"
#include "core/analysis/tile_program/all_reduce_tiles.h"
#include "core/analysis/tile_program/build_tile_program.h"
#include "core/analysis/tiling/fusion_config.h"

namespace hilo {

namespace {

// "16,64"; nullopt: it is no list of numbers.
std::optional<std::vector<int64_t>> sizesIn(std::string_view text) {
  std::vector<int64_t> sizes;
  const char *at = text.data(), *end = at + text.size();
  while (at != end) {
    const auto [after, error] = std::from_chars(at, end, sizes.emplace_back());
    if (error != std::errc() || (after != end && *after != ',')) return std::nullopt;
    at = after == end ? end : after + 1;
  }
  return sizes;
}

}  // namespace

Result<std::optional<TiledFusion>> statedTiles(const Instruction& fusion) {
  const auto stated = frontendAttribute(fusion, kTilesAttribute);
  if (!stated) return std::nullopt;
  const auto sizes = sizesIn(*stated);
  if (!sizes)
    return fail(
        "bad-tiles",
        fmt::format("%{}: {} is \"{}\", which is no list of sizes", fusion.name(), kTilesAttribute, *stated),
        {.instruction = std::string(fusion.name())});
  TRY(TiledFusion tiled, tiledFusion(fusion, *sizes));
  return tiled;
}

Result<ConfiguredTiles> configuredTiles(const Instruction& fusion) {
  TRY(auto stated, statedTiles(fusion));
  if (stated) return ConfiguredTiles{.tiled = std::move(stated)};
  TRY(const auto config, fusionConfig(fusion));
  if (!config) return ConfiguredTiles();
  auto space = tilingSpace(fusion);
  if (!space) return ConfiguredTiles{.whyNot = std::move(space.error())};
  TRY(const auto sizes, sizesOf(*config, *space));
  auto tiled = tiledFusion(*std::move(space), sizes);
  if (tiled) return ConfiguredTiles{.tiled = *std::move(tiled)};
  if (tiled.error().kind == "not-a-tile-program") return ConfiguredTiles{.whyNot = std::move(tiled.error())};
  return std::unexpected(tiled.error());
}

Result<std::optional<ConfiguredSizes>> configuredSizes(const Instruction& fusion, const TilingSpace& space) {
  TRY(const auto config, fusionConfig(fusion));
  if (config) {
    TRY(auto sizes, sizesOf(*config, space));
    return ConfiguredSizes{std::move(sizes), config->kind.empty() ? "backend_config" : config->kind};
  }
  auto tiles = allReduceTilesOf(fusion);
  if (!tiles || tiles->sizes.size() != space.tiled().size()) return std::nullopt;
  return ConfiguredSizes{std::move(tiles->sizes), "XLA's for an all-reduce"};
}

}  // namespace hilo
