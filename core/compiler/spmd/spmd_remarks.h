// What the remarks of sharding-propagation, shardy-xla and spmd-partitioning say, as data: written as facts
// beside the words (Remark::facts), and read from there, so that a series of passes that was kept in a file
// says as much as one that has just run. Words are for people alone.
#pragma once

#include <optional>
#include <string>

#include "core/compiler/pass/pass.h"
#include "core/compiler/spmd/sharding_state.h"

namespace hilo {

using RemarkFacts = decltype(Remark::facts);

// Why a value had to move.
struct MoveRemark {
  std::string what;           // "operand 1 of %dot, %w"
  std::string producer = {};  // the value that moves, "w"
  std::string consumer = {};  // what wants it so, "dot"; the same where the result itself is to lie otherwise
  std::string from = {}, to = {};  // shardings in XLA's text; "" where partial results are put together
};
// "operand 1 of %dot, %w". `role`: what it is to the user.
MoveRemark moveOfOperand(const Instruction& user, size_t index, std::string_view role = "operand");
// "the result of %dot": it is to lie otherwise than it was made.
MoveRemark moveOfResult(const Instruction& instruction, std::string_view role);
// "%dot sums over ...": it takes several devices.
MoveRemark moveWithin(const Instruction& instruction, std::string_view does);
// "operand 1 of %dot, %w from {..} to {..}"
std::string wordsOf(const MoveRemark& move);

// A remark of a collective's opcode.
struct CollectiveRemark {
  std::string collective;  // its name in the partitioned module
  MoveRemark move;
};
RemarkFacts factsOf(const CollectiveRemark& remark);
std::optional<CollectiveRemark> readCollectiveRemark(const Remark& remark);

// A remark "full-rematerialization".
RemarkFacts factsOf(const MoveRemark& move);
std::optional<MoveRemark> readFullRematerialization(const Remark& remark);

// A remark "sharded": "{devices=[2]<=[2]} from operand %a by dot (level 1, round 2)".
std::string decisionText(const ShardingDecision& decision);
RemarkFacts factsOf(const ShardingDecision& decision);

// Who gave an instruction its sharding.
struct ShardedRemark {
  std::string sharding;
  std::string way;        // "operand", "user", "linked": what the neighbour is
  std::string neighbour;  // "" where the module itself says it
  std::string rule;       // "dot", "elementwise", ...
  int round = 0;
};
std::optional<ShardedRemark> readShardedRemark(const Remark& remark);

}  // namespace hilo
