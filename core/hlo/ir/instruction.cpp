#include "core/hlo/ir/instruction.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/hlo/ir/computation.h"
#include "core/hlo/ir/module.h"

namespace hilo {

std::string_view Instruction::opcodeText() const {
  return opcode_ == Opcode::Opaque ? get<Attr::OpaqueOpcode>() : opcodeName(opcode_);
}

Module& Instruction::module() const { return parent_->module(); }

Arena& Instruction::arena() const { return module().arena(); }

bool Instruction::isRoot() const { return parent_->root() == this; }

int64_t Instruction::parameterNumber() const {
  CHECK(opcode_ == Opcode::Parameter);
  return get<Attr::ParameterNumber>().value_or(0);
}

const Literal& Instruction::literal() const {
  const Literal* literal = get<Attr::Literal>();
  CHECK(opcode_ == Opcode::Constant && literal != nullptr);
  return *literal;
}

int64_t Instruction::tupleIndex() const {
  CHECK(opcode_ == Opcode::GetTupleElement);
  return get<Attr::Index>().value_or(0);
}

std::string_view Instruction::opName() const {
  const OpMetadata* metadata = get<Attr::Metadata>();
  return metadata == nullptr ? std::string_view() : metadata->opName;
}

absl::InlinedVector<Computation*, 2> Instruction::calledComputations() const {
  absl::InlinedVector<Computation*, 2> called;
  for (const Attribute& a : attributes()) {
    if (attrKind(a.key) == AttrKind::Computation) {
      if (a.pointer == nullptr) continue;
      // What a predicate chooses is in the order of the operands, whichever branch is written first.
      const auto place = a.key == Attr::TrueComputation ? called.begin() : called.end();
      called.insert(place, static_cast<Computation*>(const_cast<void*>(a.pointer)));
    } else if (attrKind(a.key) == AttrKind::ComputationList) {
      for (Computation* c : attr_detail::unpack<std::span<Computation* const>>(a)) called.push_back(c);
    }
  }
  return called;
}

void Instruction::setName(std::string_view name) { name_ = arena().copy(name); }

void Instruction::addUser(Instruction* user) {
  // A user that is being given its operands is the last in the list if it is there at all.
  if (users_.count != 0 && users_.data[users_.count - 1] == user) return;
  if (std::ranges::find(user->operands(), this) != user->operands().end() &&
      std::ranges::find(users(), user) != users().end()) {
    return;
  }
  users_.push(arena(), user);
}

void Instruction::removeUserUnlessOperandOf(Instruction* user) {
  if (std::ranges::find(user->operands(), this) != user->operands().end()) return;
  Instruction** end = std::remove(users_.data, users_.data + users_.count, user);
  users_.count = static_cast<uint32_t>(end - users_.data);
}

void Instruction::setOperand(size_t index, Instruction* operand) {
  Instruction* old = operands_.data[index];
  if (old == operand) return;
  operand->addUser(this);
  operands_.data[index] = operand;
  old->removeUserUnlessOperandOf(this);
}

void Instruction::appendOperand(Instruction* operand) {
  operand->addUser(this);
  operands_.push(arena(), operand);
}

void Instruction::become(Opcode opcode, std::span<Instruction* const> operands) {
  std::vector<Instruction*> old(this->operands().begin(), this->operands().end());
  operands_.count = 0;
  for (Instruction* operand : operands) appendOperand(operand);
  for (Instruction* operand : old) operand->removeUserUnlessOperandOf(this);
  for (Attr attr : opcodeAttributes(opcode_)) erase(attr);
  opcode_ = opcode;
}

}  // namespace hilo
