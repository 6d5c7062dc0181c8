// The steps of matching that leave the computations that are matched to each other.

#include <algorithm>

#include "core/analysis/diff/matcher.h"

namespace hilo {

// What is left may have gone to another computation.
void Matcher::matchAcross() {
  const auto isLeft = [&](const Computation* c) {
    return std::ranges::any_of(c->instructions(),
                               [&](const Instruction* i) { return isOpenBefore(*i) && saysEnough(*i); });
  };
  if (std::ranges::none_of(before_.computations(), isLeft)) return;
  if (trust_) matchNamesAcross();
  // A chain within one computation takes one look; one through nested calls takes a look for each.
  constexpr int kLooks = 16;
  for (int look = 0; look < kLooks && matchAcrossOnOperands(); ++look) {
  }
  matchAcrossByOrigin();
  matchAcrossOnOperands();
  matchAcrossFromUsers();
  matchAcrossLoosely();
}

// A name that went along.
void Matcher::matchNamesAcross() {
  for (const Computation* c : before_.computations()) {
    for (const Instruction* i : c->instructions()) {
      if (!isOpenBefore(*i) || !saysEnough(*i)) continue;
      const Instruction* other = namedAfter(i->name());
      if (other != nullptr && mayBeSameByName(*i, *other, Tier::Strict) &&
          i->shape().withoutLayout() == other->shape().withoutLayout() && sameOwnMeaning(*i, *other))
        pair(*i, *other);
    }
  }
}

// One look at all that is left, callers before what they call, so that parameters can be resolved.
bool Matcher::matchAcrossOnOperands() {
  Candidates<StructureKey> open;
  const auto forEachOpen = [](const Module& module, auto isOpen, auto visit) {
    for (const Computation* c : module.computations()) {
      for (const Instruction* i : c->instructions()) {
        if (isOpen(*i) && saysEnough(*i) && i->operandCount() != 0) visit(*i);
      }
    }
  };
  forEachOpen(
      before_, [&](const Instruction& i) { return isOpenBefore(i); },
      [&](const Instruction& i) {
        StructureKey key{i.opcode(), i.shape().withoutLayout(), 0, 0, {}};
        for (const Instruction* o : i.operands()) key.operands.push_back(throughBefore_.resolve(*o).id());
        open[std::move(key)].push_back(&i);
      });
  size_t paired = 0;
  forEachOpen(
      after_, [&](const Instruction& i) { return isOpenAfter(i); },
      [&](const Instruction& i) {
        StructureKey key{i.opcode(), i.shape().withoutLayout(), 0, 0, {}};
        for (const Instruction* o : i.operands()) {
          key.operands.push_back(matching_.before(throughAfter_.resolve(*o)));
          if (!key.operands.back().valid()) return;
        }
        takeFrom(open, std::optional(std::move(key)), i, Tier::Strict);
        paired += isOpenAfter(i) ? 0 : 1;
      });
  return paired != 0;
}

void Matcher::matchAcrossByOrigin() {
  Candidates<OriginKey> open;
  for (const Computation* c : before_.computations()) {
    for (const Instruction* i : c->instructions()) {
      if (isOpenBefore(*i) && saysEnough(*i) && !i->opName().empty())
        open[originOf(*i, Tier::Strict)].push_back(i);
    }
  }
  if (open.empty()) return;
  for (const Computation* c : after_.computations()) {
    for (const Instruction* i : c->instructions()) {
      if (!isOpenAfter(*i) || !saysEnough(*i) || i->opName().empty()) continue;
      const auto found = open.find(originOf(*i, Tier::Strict));
      if (found == open.end() || found->second.empty()) continue;
      pair(*found->second.front(), *i);
      found->second.pop_front();
    }
  }
}

// What a moved instruction reads has moved with it, where it is the same: constants and their broadcasts.
void Matcher::matchAcrossFromUsers() {
  const auto computations = after_.computations();
  for (auto c = computations.rbegin(); c != computations.rend(); ++c) {
    for (const Instruction* a = (*c)->last(); a != nullptr; a = a->previous()) {
      const Instruction* b = before_.instruction(matching_.before(*a));
      if (b == nullptr || b->operandCount() != a->operandCount()) continue;
      for (size_t k = 0; k < a->operandCount(); ++k) {
        const Instruction& left = throughBefore_.resolve(*b->operand(k));
        const Instruction& right = throughAfter_.resolve(*a->operand(k));
        if (bothOpen(left, right) && left.opcode() != Opcode::Parameter && sameOpcode(left, right) &&
            left.shape().withoutLayout() == right.shape().withoutLayout() && sameOwnMeaning(left, right))
          pair(left, right);
      }
    }
  }
}

// What one line of the program became, in other sizes, where both sides have as many of it: an instruction
// that was partitioned.
void Matcher::matchAcrossLoosely() {
  using Sides = std::pair<std::vector<const Instruction*>, std::vector<const Instruction*>>;
  absl::flat_hash_map<OriginKey, Sides> sides;
  const auto note = [&](const Module& module, auto isOpen, auto side) {
    for (const Computation* c : module.computations()) {
      for (const Instruction* i : c->instructions()) {
        if (isOpen(*i) && saysEnough(*i) && !i->opName().empty())
          (sides[originOf(*i, Tier::Loose)].*side).push_back(i);
      }
    }
  };
  const auto openBefore = [&](const Instruction& i) { return isOpenBefore(i); };
  const auto openAfter = [&](const Instruction& i) { return isOpenAfter(i); };
  note(before_, openBefore, &Sides::first);
  note(after_, openAfter, &Sides::second);
  for (const auto& [key, both] : sides) {
    if (both.first.size() != both.second.size()) continue;
    for (size_t n = 0; n < both.first.size(); ++n) pair(*both.first[n], *both.second[n]);
  }
}

// An instruction with another opcode in the place of one that is gone. From the users up, as one place
// follows from another.
void Matcher::matchReplaced() {
  for (const Computation* c : before_.computations()) {
    for (const Instruction* i = c->last(); i != nullptr; i = i->previous()) {
      if (!isOpenBefore(*i) || i->opcode() == Opcode::Parameter) continue;
      if (const Instruction* other = replacementOf(*i)) pair(*i, *other);
    }
  }
}

const Instruction* Matcher::replacementOf(const Instruction& b) const {
  const ComputationId home = matching_.computationAfter[b.parent().id().value];
  const auto mayReplace = [&](const Instruction* a) {
    return a != nullptr && a->parent().id() == home && isOpenAfter(*a) && a->opcode() != Opcode::Parameter &&
           a->shape().withoutLayout() == b.shape().withoutLayout() && opNamesAgree(b, *a);
  };
  if (trust_->of(b.name())) {
    const Instruction* named = namedAfter(b.name());
    if (mayReplace(named)) return named;
  }
  for (const Instruction* user : b.users()) {
    const Instruction* other = partner(*user);
    if (other == nullptr || other->operandCount() != user->operandCount()) continue;
    for (size_t k = 0; k < user->operandCount(); ++k) {
      if (user->operand(k) == &b && mayReplace(other->operand(k)) && tookThePlaceOf(b, *other->operand(k)))
        return other->operand(k);
    }
  }
  const Computation* after = after_.computation(home);
  const Instruction* root = after == nullptr ? nullptr : after->root();
  return b.isRoot() && mayReplace(root) && tookThePlaceOf(b, *root) ? root : nullptr;
}

// With what it reads; or for the same line of the program, with some of it. What is read may be about to be
// found replaced itself.
bool Matcher::tookThePlaceOf(const Instruction& b, const Instruction& a) const {
  const auto isShared = [&](const Instruction* operand) {
    return std::ranges::any_of(a.operands(), [&](const Instruction* o) {
      return arePartners(*operand, *o) ||
             (bothOpen(*operand, *o) && operand->shape().withoutLayout() == o->shape().withoutLayout());
    });
  };
  if (b.operandCount() == 0) return false;
  if (!b.opName().empty() && b.opName() == a.opName()) return std::ranges::any_of(b.operands(), isShared);
  return b.operandCount() == a.operandCount() && std::ranges::all_of(b.operands(), isShared);
}

}  // namespace hilo
