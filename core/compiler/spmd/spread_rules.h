// How shardings spread from instruction to instruction: what a result gets of its operands, and an operand of
// its users. As InferShardingFromOperands and GetShardingFromUser of XLA's service/sharding_propagation.cc.
#pragma once

#include "core/compiler/spmd/sharding_state.h"

namespace hilo {

// What one neighbour offers.
struct Offer {
  const Instruction* from = nullptr;
  Tilings tilings;
  bool mayReplace = false;  // see improved()
};

// How an opcode hands shardings on (spread_rules.def).
enum class Spread : uint8_t {
  None,         // not at all: the result is replicated if an operand is
  Each,         // dimension by dimension, from every operand of the result's rank
  First,        // the same, from the first operand
  Factors,      // along the factors of the operation (op_factors.h)
  Dot,          // the same, where the two operands differ the larger one first
  Convolution,  // as a dot; where windows are cut a small kernel leaves the result as the image
  Reshape,
  Reverse,
  Update,  // dynamic-update-slice: as its array; as its update where that is whole
  Scan,    // its inputs as its outputs, without the scanned dimension as what is carried
  Scatter,
  Tuple,
  Element,  // get-tuple-element
  State,    // while: as what goes in
  Call,     // as what it calls, which is linked to it
  Leaf,     // takes from users alone
  Batches,  // a custom call that says how many: from its operands, each result along these
};
Spread spreadOf(const Instruction& instruction);

// Whether an opcode may hand on anything at this level.
bool spreadsAt(const Instruction& instruction, int level);

// What an instruction's operands offer it, best first.
std::vector<Offer> offersOfOperands(const ShardingState& state, const Instruction& instruction, int level);
// What one user offers, when its sharding is `user's`.
std::optional<Tilings> offerOfUser(const ShardingState& state, const Instruction& instruction,
                                   const Instruction& user, const Tilings& ofUser, int level);

}  // namespace hilo
