#include "core/compiler/codegen/lower/lowerings.h"

namespace hilo {

// (data, token)
Status lowerInfeed(const Instruction& instruction, LoweringContext& context) {
  InfeedThunk thunk{.shape = instruction.shape().tupleShapes()[0], .results = {}};
  const LeafValues values = context.newLeaves(instruction.shape());
  for (const LeafValue& leaf : values) thunk.results.emplace_back(leaf.slab->slice);
  context.addThunk(instruction, std::move(thunk), 10'000);
  context.values[&instruction] = values;
  return {};
}

Status lowerOutfeed(const Instruction& instruction, LoweringContext& context) {
  OutfeedThunk thunk{.shape = instruction.operand(0)->shape(), .operands = {}};
  for (const LeafValue& leaf : context.valuesOf(*instruction.operand(0)))
    thunk.operands.emplace_back(leaf.slab->slice);
  context.addThunk(instruction, std::move(thunk), 10'000);
  context.values[&instruction] = {};
  return {};
}

}  // namespace hilo
