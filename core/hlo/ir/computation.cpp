#include "core/hlo/ir/computation.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/hlo/ir/module.h"

namespace hilo {

bool Computation::isEntry() const { return module_->entry() == this; }

void Computation::setName(std::string_view name) { name_ = module_->arena().copy(name); }

Instruction* Computation::find(std::string_view name) const {
  for (Instruction* instruction : instructions()) {
    if (instruction->name() == name) return instruction;
  }
  return nullptr;
}

void Computation::link(Instruction* instruction, Instruction* before) {
  instruction->next_ = before;
  instruction->previous_ = before ? before->previous_ : last_;
  (instruction->previous_ ? instruction->previous_->next_ : first_) = instruction;
  (before ? before->previous_ : last_) = instruction;
  ++count_;
}

void Computation::unlink(Instruction* instruction) {
  (instruction->previous_ ? instruction->previous_->next_ : first_) = instruction->next_;
  (instruction->next_ ? instruction->next_->previous_ : last_) = instruction->previous_;
  instruction->previous_ = instruction->next_ = nullptr;
  --count_;
}

Instruction* Computation::create(Opcode opcode, Shape shape, std::span<Instruction* const> operands,
                                 std::string_view name, Instruction* before) {
  Arena& arena = module_->arena();
  auto* instruction = new (arena.allocate(sizeof(Instruction), alignof(Instruction))) Instruction();
  instruction->opcode_ = opcode;
  instruction->shape_ = shape;
  instruction->parent_ = this;
  instruction->name_ = name.empty() ? module_->uniqueName(opcodeName(opcode)) : module_->keep(name);
  instruction->operands_.reserve(arena, static_cast<uint32_t>(operands.size()));
  for (Instruction* operand : operands) {
    // The new instruction can only be the last of the users there are: no search, however many
    // operands it has.
    ArenaList<Instruction*>& users = operand->users_;
    if (users.count == 0 || users.data[users.count - 1] != instruction) users.push(arena, instruction);
    instruction->operands_.push(arena, operand);
  }
  instruction->id_ = module_->registerInstruction(instruction);
  link(instruction, before);
  return instruction;
}

void Computation::registerParameter(Instruction* parameter, int64_t number) {
  // The limit only guards memory against absurd numbers; the verifier reports gaps and duplicates.
  if (number < 0 || number > (1 << 24)) return;
  while (parameters_.count <= number) parameters_.push(module_->arena(), nullptr);
  parameters_.data[number] = parameter;
}

Instruction* Computation::createParameter(int64_t number, Shape shape, std::string_view name) {
  Instruction* parameter = create(Opcode::Parameter, shape, std::span<Instruction* const>(), name);
  parameter->set<Attr::ParameterNumber>(number);
  registerParameter(parameter, number);
  return parameter;
}

Instruction* Computation::createConstant(Literal literal, Instruction* before, std::string_view name) {
  const Shape shape = literal.shape();
  Instruction* constant = create(Opcode::Constant, shape, std::span<Instruction* const>(), name, before);
  constant->set<Attr::Literal>(module_->own(std::move(literal)));
  return constant;
}

Instruction* Computation::createLike(const Instruction& original, std::span<Instruction* const> operands,
                                     Instruction* before) {
  std::string_view base = original.name();
  // "add.12" -> "add", so that names do not grow a suffix a copy.
  if (const size_t dot = base.find_last_of('.');
      dot != base.npos && dot > 0 && base.find_first_not_of("0123456789", dot + 1) == base.npos) {
    base = base.substr(0, dot);
  }
  Instruction* copy =
      create(original.opcode(), original.shape(), operands, module_->uniqueName(base), before);
  for (const Attribute& a : original.attributes()) copy->attributes_.append(module_->arena(), a);
  copy->erase(Attr::UniqueId);
  copy->erase(Attr::ControlPredecessors);
  module_->recordProvenance(copy->id(), original.id());
  return copy;
}

void Computation::replaceAllUses(Instruction* from, Instruction* to) {
  CHECK(from != to && from->parent_ == this && to->parent_ == this);
  const std::vector<Instruction*> users(from->users().begin(), from->users().end());
  for (Instruction* user : users) {
    if (user == to) continue;
    for (size_t i = 0; i < user->operandCount(); ++i) {
      if (user->operand(i) == from) user->setOperand(i, to);
    }
  }
  if (root_ == from) root_ = to;
  module_->recordProvenance(to->id(), from->id());
}

namespace {

// Takes the removed out of `instruction`'s control predecessors; what they waited for is waited for instead.
void bridgeControlPredecessors(Instruction* instruction,
                               const absl::flat_hash_set<const Instruction*>& removed) {
  const auto predecessors = instruction->get<Attr::ControlPredecessors>();
  const auto isRemoved = [&](const Instruction* p) { return removed.contains(p); };
  if (std::ranges::none_of(predecessors, isRemoved)) return;
  std::vector<Instruction*> kept;
  std::vector<Instruction*> pending(predecessors.rbegin(), predecessors.rend());
  absl::flat_hash_set<const Instruction*> seen;
  while (!pending.empty()) {
    Instruction* p = pending.back();
    pending.pop_back();
    if (!seen.insert(p).second) continue;
    if (!isRemoved(p)) {
      kept.push_back(p);
    } else {
      const auto inherited = p->get<Attr::ControlPredecessors>();
      pending.insert(pending.end(), inherited.rbegin(), inherited.rend());
    }
  }
  if (kept.empty()) {
    instruction->erase(Attr::ControlPredecessors);
  } else {
    instruction->set<Attr::ControlPredecessors>(std::span<Instruction* const>(kept));
  }
}

}  // namespace

void Computation::removeAll(std::span<Instruction* const> removedList) {
  if (std::ranges::any_of(removedList, &Instruction::wasControlPredecessor)) {
    const absl::flat_hash_set<const Instruction*> removed(removedList.begin(), removedList.end());
    for (Instruction* instruction : instructions()) {
      if (!removed.contains(instruction)) bridgeControlPredecessors(instruction, removed);
    }
  }
  for (Instruction* instruction : removedList) {
    CHECK(instruction->users().empty() && root_ != instruction);
    const std::vector<Instruction*> operands(instruction->operands().begin(), instruction->operands().end());
    instruction->operands_.count = 0;
    for (Instruction* operand : operands) operand->removeUserUnlessOperandOf(instruction);
    unlink(instruction);
    module_->instructions_[instruction->id().value] = nullptr;
  }
}

void Computation::moveBefore(Instruction* instruction, Instruction* before) {
  if (instruction == before || instruction->next_ == before) return;
  unlink(instruction);
  link(instruction, before);
}

void Computation::reorder(std::span<Instruction* const> order) {
  CHECK(order.size() == count_);
  first_ = last_ = nullptr;
  count_ = 0;
  for (Instruction* instruction : order) link(instruction, nullptr);
}

}  // namespace hilo
