#include <fmt/format.h>

#include "core/compiler/codegen/lower/lowerings.h"

namespace hilo {

// What crosses to the host or from there has no sizes beside it.
std::optional<Diagnostic> hostFeedObstacle(const Instruction& instruction, const HasHandler&) {
  const bool isInfeed = instruction.opcode() == Opcode::Infeed;
  for (const Shape leaf : arrayLeaves(isInfeed ? instruction.shape() : instruction.operand(0)->shape())) {
    if (leaf.isDynamic()) {
      return obstacle(instruction, "unsupported-dynamic-shape",
                      fmt::format("{} of {}, which may have fewer elements than its bounds",
                                  instruction.opcodeText(), toString(leaf)));
    }
  }
  return std::nullopt;
}

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
