#include "core/compiler/passes/memory/copy_fusion.h"

#include <algorithm>

namespace hilo {
namespace {

constexpr size_t kMostOutputs = 96;  // as XLA: of a kernel, and operands and outputs with one copy

// Everything that comes of parameters is elementwise work, so that each thread writes what it computed.
bool isElementwiseKernel(const Computation& fused) {
  std::vector<const Instruction*> pending(fused.parameters().begin(), fused.parameters().end());
  absl::flat_hash_set<const Instruction*> seen(pending.begin(), pending.end());
  while (!pending.empty()) {
    const Instruction* at = pending.back();
    pending.pop_back();
    for (const Instruction* user : at->users()) {
      const bool isFine = (isElementwise(user->opcode()) && user->opcode() != Opcode::Copy) ||
                          user->opcode() == Opcode::Bitcast || user->opcode() == Opcode::Tuple;
      if (!isFine) return false;
      if (seen.insert(user).second) pending.push_back(user);
    }
  }
  return true;
}

bool isReadOnce(const Instruction& i) { return i.users().size() == 1 && !i.isRoot(); }

// The copy that a user of the fusion leads to, through its element and a bitcast; null where it is none.
Instruction* copyBehind(Instruction* user) {
  if (user->opcode() == Opcode::GetTupleElement && isReadOnce(*user)) user = user->users()[0];
  if (user->opcode() == Opcode::Bitcast && isReadOnce(*user)) user = user->users()[0];
  const bool isCopy = user->opcode() == Opcode::Copy && user->shape() == user->operand(0)->shape() &&
                      user->shape().isArray() && !user->has(Attr::ControlPredecessors);
  return isCopy ? user : nullptr;
}

std::vector<Instruction*> copiesOf(const Instruction& fusion) {
  std::vector<Instruction*> copies;
  for (Instruction* user : fusion.users()) {
    if (Instruction* copy = copyBehind(user); copy != nullptr) copies.push_back(copy);
  }
  // The order in which they stand, whatever that of users is.
  std::ranges::sort(copies, {}, [](const Instruction* copy) { return copy->id().value; });
  return copies;
}

// Whether something waits for a copy by a control dependency: it would wait for nothing.
bool isAwaited(const Computation& computation, const std::vector<Instruction*>& copies) {
  return std::ranges::any_of(computation.instructions(), [&](const Instruction* i) {
    return std::ranges::any_of(i->get<Attr::ControlPredecessors>(), [&](const Instruction* before) {
      return std::ranges::find(copies, before) != copies.end();
    });
  });
}

// What the fusion computes and the copy copies, with the bitcast between them, inside the fused computation.
Instruction* copiedInside(const Instruction& copy, const Instruction& fusion, Computation& fused) {
  std::vector<const Instruction*> chain;
  const Instruction* at = &copy;
  Instruction* value = fused.root();
  for (; at != &fusion; at = at->operand(0)) {
    if (at->opcode() == Opcode::GetTupleElement && at->operand(0) == &fusion) {
      value = fused.root()->operand(static_cast<size_t>(at->tupleIndex()));
      break;
    }
    chain.push_back(at);
  }
  for (auto link = chain.rbegin(); link != chain.rend(); ++link) value = fused.createLike(**link, {{value}});
  return value;
}

void addOutputs(Instruction& fusion, const std::vector<Instruction*>& copies) {
  Computation& fused = *fusion.get<Attr::Calls>();
  Computation& computation = fusion.parent();
  Instruction* root = fused.root();
  const bool wasTuple = root->opcode() == Opcode::Tuple;
  std::vector<Instruction*> outputs = {root};
  if (wasTuple) outputs.assign(root->operands().begin(), root->operands().end());
  const size_t before = outputs.size();
  for (const Instruction* copy : copies) outputs.push_back(copiedInside(*copy, fusion, fused));
  std::vector<Shape> shapes;
  for (const Instruction* output : outputs) shapes.push_back(output->shape());
  fused.setRoot(fused.create(Opcode::Tuple, Shape::tuple(shapes), outputs));
  if (wasTuple) fused.remove(root);
  Instruction* made = computation.createLike(fusion, fusion.operands(), &fusion);
  made->setShape(Shape::tuple(shapes));
  made->erase(Attr::Origin);
  made->erase(Attr::Sharding);
  const auto element = [&](size_t k) {
    Instruction* taken = computation.create(Opcode::GetTupleElement, shapes[k], {made}, {}, &fusion);
    taken->set<Attr::Index>(static_cast<int64_t>(k));
    return taken;
  };
  for (size_t k = 0; k < copies.size(); ++k) computation.replaceAllUses(copies[k], element(before + k));
  computation.replaceAllUses(&fusion, wasTuple ? made : element(0));
  for (Instruction* copy : copies) computation.remove(copy);
  computation.remove(&fusion);
}

bool isKernel(const Instruction& i) {
  return i.opcode() == Opcode::Fusion && i.get<Attr::FusionKindKind>() != FusionKind::Custom && !i.isRoot() &&
         !i.has(Attr::ControlPredecessors) && isElementwiseKernel(*i.get<Attr::Calls>());
}

}  // namespace

Result<bool> fuseCopies(Module& module, PassContext& context) {
  Computation& entry = *module.entry();
  bool changed = false;
  for (Instruction* fusion : entry.instructions()) {
    if (context.cancelled()) return changed;
    if (!isKernel(*fusion)) continue;
    const std::vector<Instruction*> copies = copiesOf(*fusion);
    const size_t outputs = fusion->shape().isTuple() ? fusion->shape().tupleShapes().size() : 1;
    if (copies.empty() || outputs + copies.size() > kMostOutputs ||
        fusion->operandCount() + outputs + 1 > kMostOutputs || isAwaited(entry, copies))
      continue;
    if (!context.mayChange(*fusion)) return changed;
    context.remark(*fusion, "fused", fmt::format("writes {} copies too", copies.size()));
    addOutputs(*fusion, copies);
    changed = true;
  }
  return changed;
}

}  // namespace hilo
