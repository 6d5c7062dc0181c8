// Which devices hold which part of an array: tiled and named-mesh shardings in one form.
#pragma once

#include <optional>
#include <vector>

#include "core/hlo/ir/sharding.h"

namespace hilo {

struct ShardingParts {
  std::vector<int64_t> tiles;                   // by dimension: into how many parts it is cut
  std::vector<std::vector<int64_t>> devicesOf;  // by part, row-major over `tiles`
  std::vector<int64_t> partOf;                  // by place in the mesh (tile assignment), row-major
  std::vector<int64_t> deviceAt;                // the same places
};

// nullopt for shardings that cut nothing (replicated, maximal, manual, ...), tuples, numbers that do not fit
// together, and more than 2^20 devices.
std::optional<ShardingParts> shardingParts(const Sharding& sharding, size_t rank);

}  // namespace hilo
