// What the search for moves knows of a loop's body. Private to this folder.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "core/analysis/while_loop.h"
#include "core/compiler/passes/collectives/pipeliner/moves.h"

namespace hilo {

struct BodyFacts {
  BodyFacts(const Instruction& whileLoop, const InductionVariable& inductionVariable);

  const Instruction& loop;
  const InductionVariable& counter;
  const Computation& body;
  const Instruction& parameter;
  const Instruction& root;
  std::vector<Instruction*> order;  // operands first
  absl::flat_hash_map<const Instruction*, int64_t> position;
  absl::flat_hash_map<int64_t, int64_t> elementReaders;  // get-tuple-elements of the parameter, by index
  absl::flat_hash_set<const Instruction*> controlDependent;
  absl::flat_hash_set<const Instruction*> invariantElements;      // of the parameter, handed on unchanged
  absl::flat_hash_set<const Instruction*> invariantInstructions;  // computed from those and constants alone

  bool isElement(const Instruction& i) const {
    return i.opcode() == Opcode::GetTupleElement && i.operand(0) == &parameter;
  }
  bool isCounter(const Instruction& i) const { return isElement(i) && i.tupleIndex() == counter.tupleIndex; }
};

bool isCustomCall(const Instruction& i, std::string_view target);
// An array of one element.
bool isEffectiveScalar(Shape shape);

// The move of one collective, or why there is none.
struct MoveOrReason {
  std::optional<PipelinedMove> move;
  std::string reason;
};
MoveOrReason findStores(Instruction& collective, const BodyFacts& facts, const PipelinerOptions& options);
MoveOrReason findOperandChain(Instruction& collective, const BodyFacts& facts,
                              const PipelinerOptions& options);

}  // namespace hilo
