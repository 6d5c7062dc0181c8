#include "core/compiler/spmd/shardy/shardy_xla.h"

#include "core/compiler/spmd/sharding_propagation.h"
#include "core/compiler/spmd/shardy/flat_entry.h"
#include "core/compiler/spmd/shardy/flat_header.h"
#include "core/compiler/spmd/shardy/own_callees.h"
#include "core/compiler/spmd/shardy/write_shardings.h"
#include "core/compiler/spmd/spmd_partitioner.h"
#include "core/compiler/spmd/spmd_remarks.h"

namespace hilo {
namespace {

bool isMentioned(const Module& module) {
  const auto isShardys = [](const FrontendAttribute& attribute) {
    return attribute.name.starts_with("xla.sdy.");
  };
  if (isMadeForShardy(module)) return true;
  for (const Computation* computation : module.computations()) {
    for (const Instruction* i : computation->instructions()) {
      if (std::ranges::any_of(i->get<Attr::FrontendAttributes>(), isShardys)) return true;
    }
  }
  return false;
}

// A module on its way from statements to shardings that have spread.
struct Spread {
  std::vector<sdy::OwnCallee> callees;
  sdy::Statements statements;
  sdy::ValueGraph graph;
  std::vector<ShardingDecision> decisions;
};

Result<Spread> spreadStatements(Module& module, const ShardySettings& settings, const CancelToken& cancel) {
  TRY(auto callees, sdy::giveOwnCallees(module));
  sdy::splitConstants(module);
  TRY(sdy::Statements statements, sdy::readStatements(module));
  sdy::dropUnitAxes(statements);
  sdy::applyConstraints(module, statements);
  TRY(sdy::ValueGraph graph, sdy::buildGraph(module, statements));
  const sdy::SpreadSettings how{.strategy =
                                    settings.isBasic ? sdy::Strategy::Basic : sdy::Strategy::Aggressive};
  TRY(auto decisions, sdy::spread(graph, statements.meshes, how, cancel));
  return Spread{std::move(callees), std::move(statements), std::move(graph), std::move(decisions)};
}

void writeSpread(Module& module, const Spread& spread) {
  const bool asOneTuple = sdy::wantsOneTuple(module);
  sdy::writeShardings(module, spread.graph, spread.statements);
  sdy::mergeCallees(module, spread.callees);
  sdy::completeEntryLayout(module);
  sdy::flattenEntry(module, asOneTuple);
  markAsSpread(module, "shardy-xla");
}

}  // namespace

Result<std::vector<ShardingDecision>> spreadShardy(Module& module, const ShardySettings& settings,
                                                   const CancelToken& cancel) {
  TRY(Spread spread, spreadStatements(module, settings, cancel));
  writeSpread(module, spread);
  return std::move(spread.decisions);
}

Result<bool> runShardy(Module& module, PassContext& context, const ShardySettings& settings) {
  if (module.partitionCount() <= 1 || !isMentioned(module)) return false;
  TRY(const Spread spread, spreadStatements(module, settings, CancelToken()));
  for (const ShardingDecision& decision : spread.decisions)
    context.remark(*module.instruction(decision.instruction), "sharded", decisionText(decision),
                   factsOf(decision));
  writeSpread(module, spread);
  return true;
}

}  // namespace hilo
