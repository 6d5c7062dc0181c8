// Constant expressions, one a user while shardings spread (splitConstants, mergeConstants of statements.h).
#include "core/compiler/spmd/shardy/statements.h"
#include "core/hlo/ir/side_effects.h"
#include "core/hlo/text/print.h"

namespace hilo::sdy {
namespace {

using InstructionSet = absl::flat_hash_set<const Instruction*>;

bool isScalar(const Instruction& i) { return i.shape().isArray() && i.shape().rank() == 0; }

bool keepsConstant(const Instruction& i) {
  switch (i.opcode()) {
    case Opcode::Broadcast:
    case Opcode::Reshape:
    case Opcode::Slice:
    case Opcode::Copy:
      return true;
    default:
      return isElementwise(i.opcode()) && i.calledComputations().empty();
  }
}

bool isScalarExpansion(const Instruction& i) {
  return i.opcode() == Opcode::Broadcast && isScalar(*i.operand(0));
}

class Splitter {
 public:
  explicit Splitter(Computation& computation) : computation_(computation) {}
  void run();

 private:
  bool isConstant(const Instruction& i) const;
  // The instructions of the expression that are no scalars, in order.
  std::vector<Instruction*> expression(Instruction* root) const;
  void split(Instruction& user);

  Computation& computation_;
  InstructionSet constants_, expansions_;
  absl::flat_hash_map<const Instruction*, size_t> place_;
  std::vector<Instruction*> originals_;
};

bool Splitter::isConstant(const Instruction& i) const {
  if (i.opcode() == Opcode::Constant || i.opcode() == Opcode::Iota) return true;
  return keepsConstant(i) && std::ranges::all_of(i.operands(), [&](const Instruction* operand) {
           return constants_.contains(operand);
         });
}

std::vector<Instruction*> Splitter::expression(Instruction* root) const {
  std::vector<Instruction*> found = {root};
  InstructionSet seen = {root};
  for (size_t i = 0; i < found.size(); ++i) {
    for (Instruction* operand : found[i]->operands()) {
      if (constants_.contains(operand) && !isScalar(*operand) && seen.insert(operand).second)
        found.push_back(operand);
    }
  }
  std::ranges::sort(found, {}, [&](const Instruction* i) { return place_.at(i); });
  return found;
}

void Splitter::split(Instruction& user) {
  for (size_t i = 0; i < user.operandCount(); ++i) {
    Instruction* root = user.operand(i);
    if (isScalar(*root) || (!constants_.contains(root) && !expansions_.contains(root))) continue;
    const std::vector<Instruction*> originals = expression(root);
    const auto isUsedTwice = [&](const Instruction* part) {
      return part->users().size() > 1 || std::ranges::count(part->users()[0]->operands(), part) > 1;
    };
    if (std::ranges::none_of(originals, isUsedTwice)) continue;
    absl::flat_hash_map<const Instruction*, Instruction*> copies;
    for (const Instruction* original : originals) {
      std::vector<Instruction*> operands(original->operands().begin(), original->operands().end());
      for (Instruction*& operand : operands) {
        const auto copy = copies.find(operand);
        if (copy != copies.end()) operand = copy->second;
      }
      copies[original] = computation_.createLike(*original, operands, &user);
    }
    user.setOperand(i, copies.at(root));
  }
}

void Splitter::run() {
  for (Instruction* i : computation_.instructions()) {
    place_[i] = originals_.size();
    originals_.push_back(i);
  }
  for (Instruction* i : originals_) {
    if (isConstant(*i)) {
      constants_.insert(i);
    } else if (isScalarExpansion(*i)) {
      expansions_.insert(i);
    } else {
      split(*i);
    }
  }
  for (size_t i = originals_.size(); i-- > 0;) {
    Instruction* original = originals_[i];
    const bool isSplit = constants_.contains(original) || expansions_.contains(original);
    if (isSplit && original->users().empty() && !original->isRoot()) computation_.remove(original);
  }
}

std::string keyOf(const Instruction& i) {
  std::string sharding;
  if (const Sharding* of = i.get<Attr::Sharding>()) appendSharding(sharding, *of);
  const void* what = i.opcode() == Opcode::Constant ? static_cast<const void*>(&i.literal())
                                                    : static_cast<const void*>(i.operand(0));
  return fmt::format("{} {} {} {}", what, i.opcodeText(), toString(i.shape()), sharding);
}

}  // namespace

void splitConstants(Module& module) {
  for (Computation* computation : module.computations()) Splitter(*computation).run();
}

void mergeConstants(Module& module) {
  for (Computation* computation : module.computations()) {
    absl::flat_hash_map<std::string, Instruction*> first;
    for (Instruction* i : computation->instructions()) {
      if (isScalar(*i) || (i->opcode() != Opcode::Constant && !isScalarExpansion(*i))) continue;
      const auto [known, isNew] = first.try_emplace(keyOf(*i), i);
      if (isNew) continue;
      computation->replaceAllUses(i, known->second);
      computation->remove(i);
    }
  }
}

}  // namespace hilo::sdy
