#include "core/compiler/passes/schedule/stream_annotations.h"

#include <ranges>

#include "core/analysis/call_graph.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/collectives/async_pair_maker.h"
#include "core/compiler/passes/collectives/collective_attributes.h"
#include "core/compiler/passes/control_edges.h"
#include "core/compiler/passes/gpu_config.h"
#include "core/hlo/ir/op_facts.h"

namespace hilo {
namespace {

constexpr std::string_view kStream = "_xla_stream_annotation";
constexpr std::string_view kGroup = "_scheduling_group_id";

bool runsAside(const Instruction& i) {
  return !frontendValue(i, kStream).empty() && i.opcode() != Opcode::Parameter &&
         asyncFacts(i.opcode()).step == AsyncStep::Whole && i.opcode() != Opcode::Send &&
         i.opcode() != Opcode::Recv && !isCollectiveCommunication(i.opcode());
}

void clearAnnotations(Instruction& i) {
  setFrontendValue(i, kStream, "");
  setFrontendValue(i, kGroup, "");
}

// A call of a computation with the operation alone, which loses its frontend attributes to the call.
Instruction* calling(Instruction& operation) {
  Module& module = operation.module();
  Computation* called = module.createComputation(module.uniqueName(fmt::format("call_{}", operation.name())),
                                                 &operation.parent());
  std::vector<Instruction*> parameters;
  for (const Instruction* operand : operation.operands())
    parameters.push_back(called->createParameter(static_cast<int64_t>(parameters.size()), operand->shape()));
  Instruction* copy = called->createLike(operation, parameters);
  copy->erase(Attr::FrontendAttributes);
  called->setRoot(copy);

  Instruction* call =
      operation.parent().create(Opcode::Call, operation.shape(), operation.operands(), {}, &operation);
  call->set<Attr::ToApply>(called);
  call->set<Attr::FrontendAttributes>(operation.get<Attr::FrontendAttributes>());
  if (const OpMetadata* metadata = operation.get<Attr::Metadata>()) call->set<Attr::Metadata>(metadata);
  if (const auto before = operation.get<Attr::ControlPredecessors>(); !before.empty())
    call->set<Attr::ControlPredecessors>(before);
  operation.parent().replaceAllUses(&operation, call);
  redirectControlPredecessors(operation.parent(), {{&operation, call}});
  operation.parent().remove(&operation);
  return call;
}

void makeAside(Instruction& operation) {
  Instruction* call = operation.opcode() == Opcode::Call ? &operation : calling(operation);
  const auto given = call->get<Attr::FrontendAttributes>();
  const std::vector<FrontendAttribute> attributes(given.begin(), given.end());
  for (Instruction* inner : call->get<Attr::ToApply>()->instructions()) clearAnnotations(*inner);
  clearAnnotations(*call);
  const AsyncPair pair = makeAsync(*call);
  pair.start->set<Attr::FrontendAttributes>(attributes);
  pair.done->set<Attr::FrontendAttributes>(attributes);
  setGpuConfig(*pair.done, "", "force_earliest_schedule", "false");
}

}  // namespace

Result<bool> wrapStreamAnnotations(Module& module, PassContext& context) {
  TRY(const CallGraph graph, CallGraph::build(module));
  bool changed = false;
  // Callers first: annotations within what a call runs are gone by then.
  for (Computation* computation : unfusedComputations(module) | std::views::reverse) {
    if (!graph.runsInstructions(*computation)) continue;
    for (Instruction* i : computation->instructions()) {
      if (context.cancelled()) return changed;
      if (!runsAside(*i)) continue;
      if (!context.mayChange(*i)) return changed;
      context.remark(*i, "wrapped", fmt::format("runs on stream {}", frontendValue(*i, kStream)));
      makeAside(*i);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
