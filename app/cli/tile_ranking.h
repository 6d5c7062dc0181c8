// The legal tilings of a fusion by their estimated time: what `hilo tiles --rank` prints.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/analysis/tiling/tiling_space.h"

namespace hilo::cli {

struct TileRankingOptions {
  bool isWanted = false;
  size_t top = 10;              // how many are shown
  std::string device = "h100";  // as of findDevice; "core": of a processor (core_estimate.h)
};

// Nothing where no ranking is wanted; else a table, or "ranking" in `json`.
// Errors: as of findDevice and of rankTilings.
Status showTileRanking(const TilingSpace& space, const TileRankingOptions& options, bool asJson,
                       nlohmann::json& json);

}  // namespace hilo::cli
