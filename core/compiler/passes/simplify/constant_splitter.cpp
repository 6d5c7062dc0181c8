#include "core/compiler/passes/simplify/constant_splitter.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <algorithm>

#include "core/compiler/pass/main_computations.h"
#include "core/compiler/pass/replace_uses.h"
#include "core/compiler/passes/name_list.h"
#include "core/hlo/ir/side_effects.h"

namespace hilo {
namespace {

bool isShared(const Instruction& i) { return i.users().size() + (i.isRoot() ? 1 : 0) > 1; }

bool isStepOfExpression(const Instruction& i) {
  const bool isKind =
      isElementwise(i.opcode()) || i.opcode() == Opcode::Broadcast || i.opcode() == Opcode::Slice;
  return isKind && i.shape().isArray() && i.operandCount() > 0 && !hasSideEffect(i);
}

// Values that are the same whatever the arguments are, and cheaply computed.
class Expressions {
 public:
  Expressions(const Computation& computation, const ConstantSplitterSettings& settings) {
    for (const Instruction* i : computation.instructions()) {
      const bool isLeaf =
          i->opcode() == Opcode::Constant || (settings.expressions && i->opcode() == Opcode::Iota);
      if (isLeaf ? isNamedIn(settings.keep, i->name()) : !settings.expressions || !isMadeOfThem(*i)) continue;
      members_.insert(i);
      if (isShared(*i) ||
          std::ranges::any_of(i->operands(), [&](const Instruction* o) { return sharing_.contains(o); }))
        sharing_.insert(i);
    }
  }
  bool contains(const Instruction& i) const { return members_.contains(&i); }
  // Whether something it is computed from is read elsewhere too.
  bool sharesAnything(const Instruction& i) const { return sharing_.contains(&i); }

 private:
  bool isMadeOfThem(const Instruction& i) const {
    return isStepOfExpression(i) &&
           std::ranges::all_of(i.operands(), [&](const Instruction* o) { return members_.contains(o); });
  }

  absl::flat_hash_set<const Instruction*> members_, sharing_;
};

// The value and all it is computed from, once more, in front of `before`.
Instruction* copied(const Instruction& value, Instruction& before,
                    absl::flat_hash_map<const Instruction*, Instruction*>& copies) {
  if (const auto found = copies.find(&value); found != copies.end()) return found->second;
  std::vector<Instruction*> operands;
  for (const Instruction* operand : value.operands()) operands.push_back(copied(*operand, before, copies));
  Instruction* copy = before.parent().createLike(value, operands, &before);
  copy->erase(Attr::Sharding);
  return copies[&value] = copy;
}

// The users outside expressions that get a copy: all, but for one of a constant, which keeps it.
std::vector<Instruction*> usersToSplit(const Instruction& value, const Expressions& expressions) {
  std::vector<Instruction*> users;
  for (Instruction* user : value.users()) {
    if (!expressions.contains(*user)) users.push_back(user);
  }
  const bool isLeaf = value.operandCount() == 0;
  if (isLeaf && users.size() == value.users().size() && !value.isRoot() && !users.empty())
    users.erase(users.begin());
  return users;
}

}  // namespace

Result<bool> splitConstants(Module& module, PassContext& context, const ConstantSplitterSettings& settings) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    const Expressions expressions(*computation, settings);
    for (Instruction* value : computation->instructions()) {
      if (context.cancelled()) return changed;
      if (!expressions.contains(*value) || !expressions.sharesAnything(*value)) continue;
      const std::vector<Instruction*> users = usersToSplit(*value, expressions);
      if (users.empty()) continue;
      if (!context.mayChange(*value)) return changed;
      for (Instruction* user : users) {
        absl::flat_hash_map<const Instruction*, Instruction*> copies;
        replaceUsesBy(user, value, copied(*value, *user, copies));
      }
      context.remark(*value, "split", fmt::format("one of its own for each of {} users", users.size()));
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
