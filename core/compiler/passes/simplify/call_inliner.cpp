#include "core/compiler/passes/simplify/call_inliner.h"

#include "core/compiler/pass/clone_computation.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/name_list.h"
#include "core/compiler/passes/names/call_metadata.h"

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

std::string_view compositeName(const Instruction& call) {
  if (!call.get<Attr::IsComposite>().value_or(false)) return "";
  for (const FrontendAttribute& attribute : call.get<Attr::FrontendAttributes>()) {
    if (attribute.name == "composite.name") return attribute.value;
  }
  return "";
}

bool isKeptBy(const CallInlinerSettings& settings, const Instruction& call) {
  const std::string_view callee = call.get<Attr::ToApply>()->name();
  return (!settings.onlyCallees.empty() && !isNamedIn(settings.onlyCallees, callee)) ||
         (settings.keepShmapBodies && callee.contains("shmap_body")) ||
         isNamedIn(settings.keptComposites, compositeName(call));
}

bool isInlineable(const Instruction& instruction, const CallInlinerSettings& settings) {
  return instruction.opcode() == Opcode::Call && instruction.get<Attr::ToApply>() != nullptr &&
         instruction.get<Attr::BackendConfig>().empty() && !isMarkedNotInlineable(instruction) &&
         !isKeptBy(settings, instruction);
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
    if (attribute.name.starts_with("composite.")) continue;
    if (attribute.name != "inlineable" && std::ranges::none_of(own, isSame)) all.push_back(attribute);
  }
  if (all.size() > own.size()) copy.set<Attr::FrontendAttributes>(std::span<const FrontendAttribute>(all));
}

// Puts the stack of the call below that of a copy, unless it is there already. Frames are added to the
// module's tables; `made` has those that were added for this call, by the frame that they continue.
void continueStackOf(const Instruction& call, Instruction& copy,
                     absl::flat_hash_map<int32_t, int32_t>& made) {
  const OpMetadata *outer = call.get<Attr::Metadata>(), *inner = copy.get<Attr::Metadata>();
  if (outer == nullptr || inner == nullptr || outer->stackFrameId <= 0 || inner->stackFrameId <= 0) return;
  std::vector<StackFrame>& frames = copy.parent().module().stackFrames().stackFrames;
  std::vector<int32_t> chain;  // innermost first
  for (int32_t id = inner->stackFrameId; id > 0 && !made.contains(id);) {
    // A broken table, or the stack of the call is there.
    if (id == outer->stackFrameId || static_cast<size_t>(id) > frames.size() || chain.size() > frames.size())
      return;
    chain.push_back(id);
    id = frames[static_cast<size_t>(id) - 1].parentFrameId;
  }
  int32_t parent = outer->stackFrameId;
  if (!chain.empty()) {
    const int32_t below = frames[static_cast<size_t>(chain.back()) - 1].parentFrameId;
    if (const auto found = made.find(below); found != made.end()) parent = found->second;
  }
  for (auto id = chain.rbegin(); id != chain.rend(); ++id) {
    frames.push_back({frames[static_cast<size_t>(*id) - 1].fileLocationId, parent});
    parent = made[*id] = static_cast<int32_t>(frames.size());
  }
  OpMetadata metadata = *inner;
  metadata.stackFrameId = made.at(inner->stackFrameId);
  copy.set<Attr::Metadata>(&metadata);
}

// A copy says that it came of the call.
void tellOfCall(const Instruction& call, Instruction& copy, absl::flat_hash_map<int32_t, int32_t>& frames) {
  addAttributesOf(call, copy);
  if (call.opcode() != Opcode::Call) return;
  continueStackOf(call, copy, frames);
  if (const std::string prefix(opNamePrefix(call)); !prefix.empty())
    prefixOpName(copy, prefix, [](const Instruction&) { return true; });
}

// Callees before callers, so that a copied body has no calls left in it. The verifier has made sure that the
// call graph has no cycle and is not absurdly deep.
Status inlineInto(Computation& computation, const CallInlinerSettings& settings,
                  const absl::flat_hash_set<const Computation*>& closed,
                  const absl::flat_hash_set<const Computation*>& kept,
                  absl::flat_hash_set<const Computation*>& done, PassContext& context, bool& changed) {
  if (!done.insert(&computation).second) return {};
  for (Instruction* instruction : computation.instructions()) {
    if (context.cancelled()) return {};
    for (Computation* called : instruction->calledComputations())
      TRY_STATUS(inlineInto(*called, settings, closed, kept, done, context, changed));
    if (!isInlineable(*instruction, settings) || closed.contains(&computation)) continue;
    if (kept.contains(instruction->get<Attr::ToApply>())) continue;
    if (!context.mayChange(*instruction)) return {};
    context.remark(
        *instruction, "inlined",
        fmt::format("{} instructions of %{}", instruction->get<Attr::ToApply>()->instructionCount(),
                    instruction->get<Attr::ToApply>()->name()));
    for (Instruction* copy : inlineCall(*instruction)) {
      if (copy->opcode() == Opcode::Fusion) TRY_STATUS(giveOwnComputations(*copy));
    }
    changed = true;
  }
  return {};
}

}  // namespace

std::vector<Instruction*> inlineCall(Instruction& call) {
  Computation& caller = call.parent();
  const Computation& callee = *call.calledComputations()[0];
  absl::flat_hash_map<const Instruction*, Instruction*> copies;
  std::vector<Instruction*> made;
  absl::flat_hash_map<int32_t, int32_t> frames;
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
    made.push_back(copy);
    tellOfCall(call, *copy, frames);

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
  return made;
}

Result<bool> inlineCalls(Module& module, PassContext& context, const CallInlinerSettings& settings) {
  const auto closed = closedComputations(module);
  const auto kept = settings.onlyOnce ? calledOften(module) : absl::flat_hash_set<const Computation*>();
  absl::flat_hash_set<const Computation*> done;
  bool changed = false;
  if (module.entry() != nullptr)
    TRY_STATUS(inlineInto(*module.entry(), settings, closed, kept, done, context, changed));
  return changed;
}

}  // namespace hilo
