// What the remarks of sharding-propagation and spmd-partitioning say, as data: they are read back from the
// text that sharding_propagation.cpp, partitioner.cpp, local_collectives.cpp and reshard.cpp write, so that a
// series of passes that was kept in a file says as much as one that has just run.
#pragma once

#include <optional>
#include <string>

#include "core/compiler/pass/pass.h"

namespace hilo {

// Why a value had to move.
struct MoveRemark {
  std::string what;      // "operand 1 of %dot, %w": the words before the shardings
  std::string producer;  // the value that moves, "w"; "" where the words name none
  std::string consumer;  // what wants it so, "dot"; the same where the result itself is to lie otherwise
  std::string from, to;  // shardings in XLA's text; "" where partial results are put together
};

// A remark of a collective's opcode.
struct CollectiveRemark {
  std::string collective;  // its name in the partitioned module
  MoveRemark move;
};
std::optional<CollectiveRemark> readCollectiveRemark(const Remark& remark);

// A remark "full-rematerialization".
std::optional<MoveRemark> readFullRematerialization(const Remark& remark);

// A remark "sharded": who gave an instruction its sharding.
struct ShardedRemark {
  std::string sharding;
  std::string way;        // "operand", "user", "linked": what the neighbour is
  std::string neighbour;  // "" where the module itself says it
  std::string rule;       // "dot", "elementwise", ...
  int round = 0;
};
std::optional<ShardedRemark> readShardedRemark(const Remark& remark);

}  // namespace hilo
