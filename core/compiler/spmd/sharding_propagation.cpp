#include "core/compiler/spmd/sharding_propagation.h"

#include "core/compiler/spmd/propagation.h"
#include "core/compiler/spmd/spmd_partitioner.h"
#include "core/compiler/spmd/spmd_remarks.h"
#include "core/compiler/spmd/tiling_steps.h"

namespace hilo {
namespace {

constexpr std::string_view kSpreadBy = "shardings_spread_by";

bool isSpread(const Module& module) {
  const auto isMark = [](const FrontendAttribute& attribute) { return attribute.name == kSpreadBy; };
  return std::ranges::any_of(module.get<Attr::FrontendAttributes>(), isMark);
}

bool dividesEvenly(const Tiling& tiling, Shape shape) {
  for (size_t d = 0; d < tiling.rank(); ++d) {
    if (isUneven(shape.dimension(d), tiling.tiles[d])) return false;
  }
  return true;
}

// The entry's parameters and root: what may not change is as it was, what may must divide.
void settleBoundary(ShardingState& state, const StatedShardings& stated,
                    const PropagationSettings& settings) {
  const Module& module = state.module();
  const auto settle = [&](const Instruction* instruction, auto allowed) {
    const Tilings* known = state.of(instruction);
    if (known == nullptr || state.isFixed(instruction)) return;
    const auto saved = stated.boundary.find(instruction);
    // Of a parameter nothing was stated, and nothing may be.
    const bool isParameter = instruction->opcode() == Opcode::Parameter && instruction->shape().isArray();
    if (isParameter && !allowed(0) && saved == stated.boundary.end()) return state.clear(instruction);
    Tilings result = *known;
    const auto leaves = leavesOf(instruction->shape());
    for (size_t i = 0; i < leaves.size(); ++i) {
      if (!leaves[i].isArray()) continue;
      const Tiling whole = replicatedTiling(leaves[i].rank(), state.partitions());
      if (!allowed(i)) result[i] = saved != stated.boundary.end() ? saved->second[i] : whole;
      if (allowed(i) && !dividesEvenly(result[i], leaves[i])) result[i] = whole;
    }
    state.set(instruction, std::move(result));
  };
  const auto parameters = module.entry()->parameters();
  const bool isOneTuple = parameters.size() == 1 && parameters[0]->shape().isTuple();
  for (size_t i = 0; i < parameters.size(); ++i)
    settle(parameters[i],
           [&](size_t leaf) { return allowsParameter(module, settings, isOneTuple ? leaf : i); });
  settle(module.entry()->root(), [&](size_t leaf) { return allowsOutput(module, settings, leaf); });
}

void writeShardings(ShardingState& state) {
  Arena arena;
  for (Computation* computation : state.module().computations()) {
    for (Instruction* i : computation->instructions()) {
      const Tilings* tilings = state.of(i);
      if (tilings == nullptr || (tilings->empty() && !i->has(Attr::Sharding))) continue;
      const Sharding sharding = toSharding(*tilings, i->shape(), arena);
      i->set<Attr::Sharding>(&sharding);
    }
  }
}

}  // namespace

Result<std::vector<ShardingDecision>> spreadShardings(Module& module, const PropagationSettings& settings,
                                                      const CancelToken& cancel) {
  TRY_STATUS(checkNotShardyOnly(module));
  ShardingState state(module);
  const LinkedValues linked(module);
  TRY(const StatedShardings stated, readShardings(state, linked, settings));
  Propagation propagation(state, linked, stated, settings);
  propagation.run(cancel);
  settleBoundary(state, stated, settings);
  writeShardings(state);
  return propagation.takeDecisions();
}

Result<bool> propagateShardings(Module& module, PassContext& context, const PropagationSettings& settings) {
  if (module.partitionCount() <= 1 || isSpread(module)) return false;
  TRY_STATUS(checkNotShardyOnly(module));
  if (!hasShardings(module)) return false;
  TRY(const auto decisions, spreadShardings(module, settings));
  if (isMadeForShardy(module)) {
    context.remark(*module.entry()->root(), "shardy",
                   "the module was made for Shardy: what stands in sharding= is spread as GSPMD does it");
  }
  for (const ShardingDecision& decision : decisions)
    context.remark(*module.instruction(decision.instruction), "sharded", decisionText(decision),
                   factsOf(decision));
  return true;
}

void markAsSpread(Module& module, std::string_view pass) {
  const auto had = module.get<Attr::FrontendAttributes>();
  std::vector<FrontendAttribute> attributes(had.begin(), had.end());
  attributes.push_back({kSpreadBy, pass});
  std::ranges::sort(attributes, {}, &FrontendAttribute::name);
  module.set<Attr::FrontendAttributes>(attributes);
}

}  // namespace hilo
