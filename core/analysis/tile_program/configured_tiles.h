// Fusions that say by which tiles they are to be compiled.
#pragma once

#include "core/analysis/tile_program/tile_program.h"

namespace hilo {

// frontend_attributes={hilo_tiles="16,64"}: one size for each of TilingSpace::tiled().
inline constexpr std::string_view kTilesAttribute = "hilo_tiles";

// By the attribute; nullopt where it is not there. Error kinds: "bad-tiles" (no list of sizes),
// and those of tiledFusion.
Result<std::optional<TiledFusion>> statedTiles(const Instruction& fusion);

// By the attribute, else as XLA's backend_config says (fusion_config.h), "bad-fusion-config" too.
struct ConfiguredTiles {
  std::optional<TiledFusion> tiled;
  // Of a configured fusion that stands in no tile program, which XLA has emitted otherwise: why.
  std::optional<Diagnostic> whyNot;
};
Result<ConfiguredTiles> configuredTiles(const Instruction& fusion);

// The sizes of a fusion where nobody chose others, and who says so: the kind of XLA's configuration, or that
// XLA's emitter of all-reduces takes these; nullopt: nobody does. Errors: those of fusionConfig and sizesOf.
struct ConfiguredSizes {
  std::vector<int64_t> sizes;
  std::string from;
};
Result<std::optional<ConfiguredSizes>> configuredSizes(const Instruction& fusion, const TilingSpace& space);

}  // namespace hilo
