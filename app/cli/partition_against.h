// Our collectives against those of XLA's optimized module: what `partition --against` prints.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/workspace/partition/collectives_against.h"

namespace hilo::cli {

void printAgainst(const CollectivesAgainst& against, size_t top);
nlohmann::json againstJson(const CollectivesAgainst& against);

}  // namespace hilo::cli
