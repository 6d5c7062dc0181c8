#include "core/compiler/passes/memory/host_offload/prepare_host_work.h"

#include "core/compiler/passes/memory/host_offload/placement_calls.h"

namespace hilo {
namespace {

// The call that the start runs on the host; null where it is no such start.
Instruction* callOnHost(const Instruction& start) {
  if (!startsHostWork(start)) return nullptr;
  Instruction* root = start.get<Attr::Calls>()->root();
  return root != nullptr && root->opcode() == Opcode::Call ? root : nullptr;
}

// Those of the custom call inside that has any.
std::span<const FrontendAttribute> attributesWithin(const Computation& computation) {
  for (const Instruction* i : computation.instructions()) {
    const auto attributes = i->get<Attr::FrontendAttributes>();
    if (i->opcode() == Opcode::CustomCall && !attributes.empty()) return attributes;
  }
  return {};
}

Instruction* customCallOf(Instruction& call) {
  Computation* called = call.get<Attr::ToApply>();
  Instruction* made = call.parent().create(Opcode::CustomCall, call.shape(), call.operands(), {}, &call);
  made->set<Attr::CustomCallTarget>("HostExecute");
  made->set<Attr::CalledComputations>(std::span<Computation* const>(&called, 1));
  if (const auto attributes = attributesWithin(*called); !attributes.empty())
    made->set<Attr::FrontendAttributes>(attributes);
  if (const auto aliases = call.get<Attr::OutputToOperandAliasing>(); !aliases.empty())
    made->set<Attr::OutputToOperandAliasing>(aliases);
  return made;
}

}  // namespace

Result<bool> convertHostWorkToCustomCalls(Module& module, PassContext& context) {
  bool changed = false;
  for (Computation* computation : module.computations()) {
    for (Instruction* start : computation->instructions()) {
      Instruction* call = callOnHost(*start);
      if (call == nullptr) continue;
      if (context.cancelled() || !context.mayChange(*start)) return changed;
      Instruction* made = customCallOf(*call);
      context.remark(*start, "converted", fmt::format("the host runs %{} in place of a call", made->name()));
      call->parent().replaceAllUses(call, made);
      call->parent().remove(call);
      changed = true;
    }
  }
  return changed;
}

Result<bool> elideMovesToHostWork(Module& module, PassContext& context) {
  bool changed = false;
  for (Computation* computation : module.computations()) {
    for (Instruction* start : computation->instructions()) {
      if (callOnHost(*start) == nullptr) continue;
      for (size_t k = 0; k < start->operandCount(); ++k) {
        Instruction* move = start->operand(k);
        if (!isMoveToHost(*move)) continue;
        if (context.cancelled() || !context.mayChange(*move)) return changed;
        context.remark(*move, "removed", fmt::format("%{} takes its operand as it is", start->name()));
        computation->replaceAllUses(move, move->operand(0));
        computation->remove(move);
        changed = true;
      }
    }
  }
  return changed;
}

}  // namespace hilo
