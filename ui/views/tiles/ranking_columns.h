// What a row of sizes by estimate shows: on a GPU, or on a core of a processor.
#pragma once

#include "core/analysis/tiling/core_estimate.h"
#include "core/analysis/tiling/tiling_estimate.h"
#include "ui/models/table_model.h"

namespace hilo {

std::vector<TableColumn<RankedTiling>> rankingColumns();
std::vector<TableColumn<CoreRanking>> coreRankingColumns();

}  // namespace hilo
