// Which collectives of a loop can be moved, and what moves with them. Private to this folder.
#pragma once

#include <absl/container/flat_hash_set.h>

#include "core/analysis/while_loop.h"
#include "core/compiler/passes/collectives/pipeliner/collective_pipeliner.h"

namespace hilo {

// Forward and forward-sink: `collectives` (one, when forward) and what stands between them and the stores.
// Backward: the one collective and the chain of its operands, operands first.
struct PipelinedMove {
  std::vector<Instruction*> collectives;
  std::vector<Instruction*> stores;      // dynamic-update-slices; all store at the same index
  std::vector<Instruction*> formatting;  // in the body's order
  // Of the formatting: not moved but made again. Others may use them too.
  absl::flat_hash_set<const Instruction*> copied;
  std::vector<int64_t> outputs;  // of each store (or the sink): which element of the loop's result
  int64_t slicedDimension = -1;  // of the stores
  Instruction* sink = nullptr;   // in place of stores: an instruction that gives a token
  Instruction* storeIndex() const { return stores[0]->operand(2 + static_cast<size_t>(slicedDimension)); }
};

struct LoopMoves {
  InductionVariable counter;
  std::vector<PipelinedMove> moves;
};

// Remarks say why a collective stays. `delayLarge`: leave out what is to be sunk last.
LoopMoves findMoves(const Instruction& loop, const PipelinerOptions& options, bool delayLarge,
                    PassContext& context);

// Operands of the formatting instructions (and of the sink, but tokens) that are computed outside the move,
// each once: what must be carried or copied for them.
std::vector<Instruction*> outsideOperands(const PipelinedMove& move);

// The instructions that leave the body, users first: stores or sink, formatting, collectives.
std::vector<Instruction*> movedInstructions(const PipelinedMove& move);

}  // namespace hilo
