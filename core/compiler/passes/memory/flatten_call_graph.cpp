#include "core/compiler/passes/memory/flatten_call_graph.h"

#include <ranges>

#include "core/analysis/call_graph.h"
#include "core/analysis/well_formed.h"

namespace hilo {
namespace {

// How much a module may grow: nested calls double at every level.
constexpr size_t kMaxInstructions = size_t{1} << 22;

Computation* cloneOf(const Computation& original, Computation* before) {
  Module& module = original.module();
  std::string_view name = module.uniqueName(fmt::format("{}.clone", original.name()));
  while (module.findComputation(name) != nullptr)
    name = module.uniqueName(fmt::format("{}.clone", original.name()));
  Computation* copy = module.createComputation(name, before);
  absl::flat_hash_map<const Instruction*, Instruction*> made;
  for (const Instruction* instruction : original.instructions()) {
    std::vector<Instruction*> operands;
    for (const Instruction* operand : instruction->operands()) operands.push_back(made.at(operand));
    Instruction* twin = copy->createLike(*instruction, operands);
    if (twin->opcode() == Opcode::Parameter) copy->registerParameter(twin, twin->parameterNumber());
    made[instruction] = twin;
  }
  for (const Instruction* instruction : original.instructions()) {
    std::vector<Instruction*> predecessors;
    for (const Instruction* p : instruction->get<Attr::ControlPredecessors>())
      predecessors.push_back(made.at(p));
    if (!predecessors.empty())
      made.at(instruction)->set<Attr::ControlPredecessors>(std::span<Instruction* const>(predecessors));
  }
  for (const Attribute& attribute : original.attributes().all())
    copy->attributes().append(module.arena(), attribute);
  copy->setRoot(made.at(original.root()));
  return copy;
}

// Makes `caller` call `to` where it called `from`; the first place alone, so that branches get one each.
void redirect(Instruction& caller, const Computation* from, Computation* to) {
  for (const Attribute& attribute : caller.attributes()) {
    if (attrKind(attribute.key) == AttrKind::Computation && attribute.pointer == from) {
      for (Attribute& mutableAttribute : caller.attributeList().mutableAll()) {
        if (mutableAttribute.key == attribute.key) mutableAttribute.pointer = to;
      }
      return;
    }
    if (attrKind(attribute.key) != AttrKind::ComputationList) continue;
    const auto list = attr_detail::unpack<std::span<Computation* const>>(attribute);
    const auto found = std::ranges::find(list, from);
    if (found == list.end()) continue;
    std::vector<Computation*> changed(list.begin(), list.end());
    changed[static_cast<size_t>(found - list.begin())] = to;
    const auto room = caller.module().arena().copy(std::span<Computation* const>(changed));
    for (Attribute& mutableAttribute : caller.attributeList().mutableAll()) {
      if (mutableAttribute.key == attribute.key) mutableAttribute.pointer = room.data();
    }
    return;
  }
}

bool isOwnCall(const Instruction* caller) {
  return callContextOf(caller->opcode()) == CallContext::ControlFlow &&
         caller->opcode() != Opcode::AsyncUpdate && caller->opcode() != Opcode::AsyncDone;
}

size_t timesCalled(const Instruction& caller, const Computation* callee) {
  return static_cast<size_t>(std::ranges::count(caller.calledComputations(), callee));
}

// Later links of the same chain follow their start.
void redirectChain(Instruction& start, const Computation* from, Computation* to) {
  for (Instruction* user : start.users()) {
    if ((user->opcode() != Opcode::AsyncUpdate && user->opcode() != Opcode::AsyncDone) ||
        user->operand(0) != &start)
      continue;
    redirect(*user, from, to);
    redirectChain(*user, from, to);
  }
}

}  // namespace

Result<bool> flattenCallGraph(Module& module, PassContext& context) {
  TRY_STATUS(requireWellFormed(module));
  TRY(const CallGraph graph, CallGraph::build(module));
  size_t instructions = module.instructionCount();
  bool changed = false;
  // Callers first: a copy's calls are new callers of what stands below it.
  absl::flat_hash_map<const Computation*, std::vector<Instruction*>> callers;
  const auto collect = [&](const Computation& computation) {
    for (Instruction* instruction : computation.instructions()) {
      absl::flat_hash_set<const Computation*> seen;
      for (const Computation* called : instruction->calledComputations()) {
        if (seen.insert(called).second) callers[called].push_back(instruction);
      }
    }
  };
  for (const Computation* computation : module.computations()) collect(*computation);
  for (Computation* computation : graph.postOrder() | std::views::reverse) {
    if (context.cancelled()) return changed;
    const auto known = callers.find(computation);
    if (known == callers.end()) continue;
    const std::vector<Instruction*> all = known->second;
    bool taken = !std::ranges::all_of(all, isOwnCall) && std::ranges::any_of(all, [](const Instruction* c) {
      return callContextOf(c->opcode()) == CallContext::Embedded;
    });
    for (Instruction* caller : all | std::views::filter(isOwnCall)) {
      for (size_t times = timesCalled(*caller, computation); times > 0; --times) {
        if (!std::exchange(taken, true)) continue;
        instructions += computation->instructionCount();
        if (instructions > kMaxInstructions) {
          return fail(
              "module-too-large",
              fmt::format("a copy for each caller would make more than {} instructions", kMaxInstructions));
        }
        Computation* copy = cloneOf(*computation, computation);
        redirect(*caller, computation, copy);
        if (caller->opcode() == Opcode::AsyncStart) redirectChain(*caller, computation, copy);
        collect(*copy);
        context.remark(*caller, "cloned",
                       fmt::format("calls %{}, its own copy of %{}", copy->name(), computation->name()));
        changed = true;
      }
    }
  }
  return changed;
}

}  // namespace hilo
