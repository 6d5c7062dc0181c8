#include "core/compiler/passes/simplify/call_inliner.h"

#include "core/compiler/pass/main_computations.h"

namespace hilo {
namespace {

// Also of a manual region: its body stays a call until shardy-xla has been there.
bool isMarkedNotInlineable(const Instruction& call) {
  if (call.get<Attr::ToApply>()->name().find("xla.sdy.manual_computation_body") != std::string_view::npos)
    return true;
  return std::ranges::any_of(call.get<Attr::FrontendAttributes>(), [](const FrontendAttribute& attribute) {
    return attribute.name == "inlineable" && (attribute.value == "false" || attribute.value == "xla_late");
  });
}

bool isInlineable(const Instruction& instruction) {
  return instruction.opcode() == Opcode::Call && instruction.get<Attr::ToApply>() != nullptr &&
         instruction.get<Attr::BackendConfig>().empty() && !isMarkedNotInlineable(instruction);
}

// Computations into which nothing is inlined: those that an async-start wraps, whose single call is what runs
// there, and those of other threads.
absl::flat_hash_set<const Computation*> closedComputations(Module& module) {
  absl::flat_hash_set<const Computation*> wrapped;
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      if (instruction->opcode() != Opcode::AsyncStart) continue;
      for (const Computation* called : instruction->calledComputations()) wrapped.insert(called);
    }
  }
  const auto onMain = mainComputations(module);
  const absl::flat_hash_set<const Computation*> main(onMain.begin(), onMain.end());
  for (const Computation* computation : module.computations()) {
    if (!main.contains(computation)) wrapped.insert(computation);
  }
  return wrapped;
}

// Computations that several instructions call.
absl::flat_hash_set<const Computation*> calledOften(const Module& module) {
  absl::flat_hash_set<const Computation*> once, often;
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      for (const Computation* called : instruction->calledComputations()) {
        if (!once.insert(called).second) often.insert(called);
      }
    }
  }
  return often;
}

// The value in the layout of `shape`: inlined code may look at it, as a bitcast does. A computation may be
// called with other layouts than its own.
Instruction* inLayoutOf(Shape shape, Instruction* value, Instruction& before) {
  if (value->shape().withDefaultLayout() == shape.withDefaultLayout()) return value;
  return before.parent().create(Opcode::Copy, shape, {value}, {}, &before);
}

// The call's frontend attributes that the copy has none of.
void addAttributesOf(const Instruction& call, Instruction& copy) {
  const auto given = call.get<Attr::FrontendAttributes>(), own = copy.get<Attr::FrontendAttributes>();
  std::vector<FrontendAttribute> all(own.begin(), own.end());
  for (const FrontendAttribute& attribute : given) {
    const auto isSame = [&](const FrontendAttribute& other) { return other.name == attribute.name; };
    if (attribute.name != "inlineable" && std::ranges::none_of(own, isSame)) all.push_back(attribute);
  }
  if (all.size() > own.size()) copy.set<Attr::FrontendAttributes>(std::span<const FrontendAttribute>(all));
}

// Callees before callers, so that a copied body has no calls left in it. The verifier has made sure that the
// call graph has no cycle and is not absurdly deep.
void inlineInto(Computation& computation, const absl::flat_hash_set<const Computation*>& closed,
                const absl::flat_hash_set<const Computation*>& kept,
                absl::flat_hash_set<const Computation*>& done, PassContext& context, bool& changed) {
  if (!done.insert(&computation).second) return;
  for (Instruction* instruction : computation.instructions()) {
    if (context.cancelled()) return;
    for (Computation* called : instruction->calledComputations())
      inlineInto(*called, closed, kept, done, context, changed);
    if (!isInlineable(*instruction) || closed.contains(&computation)) continue;
    if (kept.contains(instruction->get<Attr::ToApply>())) continue;
    if (!context.mayChange(*instruction)) return;
    context.remark(
        *instruction, "inlined",
        fmt::format("{} instructions of %{}", instruction->get<Attr::ToApply>()->instructionCount(),
                    instruction->get<Attr::ToApply>()->name()));
    inlineCall(*instruction);
    changed = true;
  }
}

}  // namespace

void inlineCall(Instruction& call) {
  Computation& caller = call.parent();
  const Computation& callee = *call.calledComputations()[0];
  absl::flat_hash_map<const Instruction*, Instruction*> copies;
  const auto copyOf = [&](const Instruction* original) { return copies.at(original); };
  const auto outerPredecessors = call.get<Attr::ControlPredecessors>();

  for (const Instruction* original : callee.instructions()) {
    if (original->opcode() == Opcode::Parameter) {
      copies[original] = inLayoutOf(original->shape(), call.operand(original->parameterNumber()), call);
      continue;
    }
    std::vector<Instruction*> operands(original->operandCount());
    std::ranges::transform(original->operands(), operands.begin(), copyOf);
    Instruction* copy = caller.createLike(*original, operands, &call);
    copies[original] = copy;
    addAttributesOf(call, *copy);

    std::vector<Instruction*> predecessors(outerPredecessors.begin(), outerPredecessors.end());
    for (const Instruction* p : original->get<Attr::ControlPredecessors>()) predecessors.push_back(copyOf(p));
    if (!predecessors.empty())
      copy->set<Attr::ControlPredecessors>(std::span<Instruction* const>(predecessors));
  }
  Instruction* result = inLayoutOf(call.shape(), copies.at(callee.root()), call);
  for (Instruction* instruction : caller.instructions()) {
    const auto predecessors = instruction->get<Attr::ControlPredecessors>();
    if (std::ranges::find(predecessors, &call) == predecessors.end()) continue;
    std::vector<Instruction*> changed(predecessors.begin(), predecessors.end());
    std::ranges::replace(changed, &call, result);
    instruction->set<Attr::ControlPredecessors>(std::span<Instruction* const>(changed));
  }
  call.erase(Attr::ControlPredecessors);
  caller.replaceAllUses(&call, result);
  caller.remove(&call);
}

Result<bool> inlineCalls(Module& module, PassContext& context, const CallInlinerSettings& settings) {
  const auto closed = closedComputations(module);
  const auto kept = settings.onlyOnce ? calledOften(module) : absl::flat_hash_set<const Computation*>();
  absl::flat_hash_set<const Computation*> done;
  bool changed = false;
  if (module.entry() != nullptr) inlineInto(*module.entry(), closed, kept, done, context, changed);
  return changed;
}

}  // namespace hilo
