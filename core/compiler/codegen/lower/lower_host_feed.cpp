#include "core/compiler/codegen/lower/lowering.h"

namespace hilo {

// (data, token)
Status Lowering::lowerInfeed(const Instruction& instruction, Scope& scope) {
  InfeedThunk thunk{.shape = instruction.shape().tupleShapes()[0], .results = {}};
  const LeafValues values = newLeaves(instruction.shape());
  for (const LeafValue& leaf : values) thunk.results.emplace_back(leaf.slab->slice);
  addThunk(instruction, std::move(thunk), 10'000, scope.sequence);
  scope.values[&instruction] = values;
  return {};
}

Status Lowering::lowerOutfeed(const Instruction& instruction, Scope& scope) {
  OutfeedThunk thunk{.shape = instruction.operand(0)->shape(), .operands = {}};
  for (const LeafValue& leaf : valuesOf(*instruction.operand(0), scope))
    thunk.operands.emplace_back(leaf.slab->slice);
  addThunk(instruction, std::move(thunk), 10'000, scope.sequence);
  scope.values[&instruction] = {};
  return {};
}

}  // namespace hilo
