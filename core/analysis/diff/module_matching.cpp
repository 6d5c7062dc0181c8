#include "core/analysis/diff/module_matching.h"

#include <absl/hash/hash.h>

#include <algorithm>

#include "core/analysis/diff/matcher.h"
#include "core/analysis/diff/sequence_alignment.h"

namespace hilo {
namespace {

bool isInline(const Instruction& i) { return i.opcode() == Opcode::Call || i.opcode() == Opcode::Fusion; }

absl::string_view view(std::string_view text) { return {text.data(), text.size()}; }

// Names of which a computation has one each are words of the program, not numbers.
absl::flat_hash_map<absl::string_view, const Instruction*> parametersWithNamesOfTheirOwn(
    const Computation& c, std::string_view (*nameOf)(const Instruction&)) {
  absl::flat_hash_map<absl::string_view, const Instruction*> found;
  absl::flat_hash_map<absl::string_view, int> stems;
  for (const Instruction* p : c.parameters()) {
    if (p != nullptr) ++stems[view(nameStem(nameOf(*p)))];
  }
  for (const Instruction* p : c.parameters()) {
    if (p != nullptr && !nameOf(*p).empty() && stems[view(nameStem(nameOf(*p)))] == 1)
      found.emplace(view(nameOf(*p)), p);
  }
  return found;
}

// What the entry's parameters count as: equal for partners.
std::vector<size_t> parameterSeeds(const Computation* entry, const auto& beforeOf, size_t side) {
  std::vector<size_t> seeds;
  if (entry == nullptr) return seeds;
  for (const Instruction* p : entry->parameters()) {
    const InstructionId before = p == nullptr ? InstructionId() : beforeOf(*p);
    seeds.push_back(before.valid() ? absl::HashOf(before.value) : absl::HashOf(seeds.size(), side));
  }
  return seeds;
}

}  // namespace

bool saysEnough(const Instruction& i) {
  return i.opcode() != Opcode::Parameter && i.opcode() != Opcode::Tuple && i.opcode() != Opcode::Constant &&
         i.opcode() != Opcode::GetTupleElement;
}

bool opNamesAgree(const Instruction& b, const Instruction& a) {
  return b.opName().empty() || a.opName().empty() || b.opName() == a.opName();
}

Matcher::Matcher(const Module& before, const Module& after)
    : before_(before),
      after_(after),
      throughBefore_(before),
      throughAfter_(after),
      elements_(before, after, matching_) {
  matching_.instructionAfter.resize(before.idLimit());
  matching_.instructionBefore.resize(after.idLimit());
  matching_.computationAfter.resize(computationIdLimit(before));
  matching_.computationBefore.resize(computationIdLimit(after));
}

ModuleMatching Matcher::run(bool sharedIds) {
  if (sharedIds) {
    matchById();
    matchAcross();
    return std::move(matching_);
  }
  pair(before_.entry(), after_.entry());
  if (before_.entry() != nullptr && after_.entry() != nullptr)
    matchParameters(*before_.entry(), *after_.entry());
  const auto matchedBefore = [&](const Instruction& p) { return isOpenBefore(p) ? InstructionId() : p.id(); };
  const auto matchedAfter = [&](const Instruction& p) { return matching_.before(p); };
  printsBefore_.emplace(before_, parameterSeeds(before_.entry(), matchedBefore, 1));
  printsAfter_.emplace(after_, parameterSeeds(after_.entry(), matchedAfter, 2));
  trust_.emplace(before_, *printsBefore_, after_, *printsAfter_);
  matching_.namesTrusted = trust_->overall();
  const auto note = [](const Module& module, auto& named) {
    for (const Computation* c : module.computations()) {
      for (const Instruction* i : c->instructions()) named.try_emplace(view(i->name()), i);
    }
  };
  note(before_, namedBefore_);
  note(after_, namedAfter_);
  matchWaiting();
  if (trust_->overall()) pairComputationsByName();
  matchWaiting();
  pairEqualComputations();
  matchWaiting();
  matchAcross();
  matchReplaced();
  return std::move(matching_);
}

void Matcher::pair(const Instruction& b, const Instruction& a) {
  matching_.instructionAfter[b.id().value] = a.id();
  matching_.instructionBefore[a.id().value] = b.id();
}

const Instruction* Matcher::namedAfter(std::string_view name) const {
  const auto found = namedAfter_.find(view(name));
  return found == namedAfter_.end() ? nullptr : found->second;
}

bool Matcher::pair(const Computation* b, const Computation* a) {
  if (b == nullptr || a == nullptr) return false;
  if (matching_.computationAfter[b->id().value].valid() || matching_.computationBefore[a->id().value].valid())
    return false;
  matching_.computationAfter[b->id().value] = a->id();
  matching_.computationBefore[a->id().value] = b->id();
  waiting_.emplace_back(b, a);
  return true;
}

void Matcher::matchById() {
  for (const Computation* c : before_.computations()) {
    pair(c, after_.computation(c->id()));
    for (const Instruction* i : c->instructions()) {
      if (const Instruction* same = after_.instruction(i->id())) pair(*i, *same);
    }
  }
  waiting_.clear();
}

void Matcher::matchWaiting() {
  while (!waiting_.empty()) {
    const auto [b, a] = waiting_.front();
    waiting_.pop_front();
    matchWithin(*b, *a);
    pairCallees(*b);
  }
}

void Matcher::matchWithin(const Computation& b, const Computation& a) {
  matchParameters(b, a);
  matchEqualSubgraphs(b, a);
  matchOnOperands(b, a, Tier::Exact, /*withNames=*/false);
  for (const Tier tier : {Tier::Strict, Tier::Loose}) {
    matchOnOperands(b, a, tier, /*withNames=*/false);
    matchOnOperands(b, a, tier, /*withNames=*/true);
    matchFromUsers(b, a, tier);
    matchByOrigin(b, a, tier);
    matchOnOperands(b, a, Tier::Strict, /*withNames=*/false);
  }
}

void Matcher::matchParameters(const Computation& b, const Computation& a) {
  matchParametersByCaller(b, a);
  matchParametersByName(b, a);
  matchParametersInOrder(b, a);
}

// A parameter is what the caller gives for it, whatever its number.
void Matcher::matchParametersByCaller(const Computation& b, const Computation& a) {
  const auto found = callers_.find(&b);
  if (found == callers_.end()) return;
  const auto& [callerBefore, callerAfter] = found->second;
  if (callerBefore->operandCount() != b.parameters().size() ||
      callerAfter->operandCount() != a.parameters().size())
    return;
  absl::flat_hash_map<const Instruction*, std::deque<const Instruction*>> given;
  for (size_t n = 0; n < b.parameters().size(); ++n) {
    if (b.parameters()[n] != nullptr) given[callerBefore->operand(n)].push_back(b.parameters()[n]);
  }
  for (size_t n = 0; n < a.parameters().size(); ++n) {
    const Instruction* p = a.parameters()[n];
    const auto operand = given.find(before_.instruction(matching_.before(*callerAfter->operand(n))));
    if (p == nullptr || operand == given.end() || operand->second.empty()) continue;
    if (bothOpen(*operand->second.front(), *p)) pair(*operand->second.front(), *p);
    operand->second.pop_front();
  }
}

void Matcher::matchParametersByName(const Computation& b, const Computation& a) {
  for (const auto nameOf :
       {+[](const Instruction& i) { return i.name(); }, +[](const Instruction& i) { return i.opName(); }}) {
    const auto left = parametersWithNamesOfTheirOwn(b, nameOf);
    for (const auto& [name, p] : parametersWithNamesOfTheirOwn(a, nameOf)) {
      const auto found = left.find(name);
      if (found != left.end() && bothOpen(*found->second, *p) && found->second->shape() == p->shape())
        pair(*found->second, *p);
    }
  }
}

void Matcher::matchParametersInOrder(const Computation& b, const Computation& a) {
  std::vector<const Instruction*> left, right;
  for (const Instruction* p : b.parameters()) {
    if (p != nullptr && isOpenBefore(*p)) left.push_back(p);
  }
  for (const Instruction* p : a.parameters()) {
    if (p != nullptr && isOpenAfter(*p)) right.push_back(p);
  }
  const bool sameCount = b.parameters().size() == a.parameters().size();
  const auto score = [&](uint32_t l, uint32_t r) -> uint32_t {
    const Shape x = left[l]->shape().withoutLayout(), y = right[r]->shape().withoutLayout();
    if (x == y) return 4;
    const bool alike =
        x.isArray() && y.isArray() && x.elementType() == y.elementType() && x.rank() == y.rank();
    if (sameCount && left[l]->parameterNumber() == right[r]->parameterNumber()) return alike ? 3 : 1;
    return alike && opNamesAgree(*left[l], *right[r]) ? 1 : 0;
  };
  for (const auto& [l, r] :
       alignSequences(static_cast<uint32_t>(left.size()), static_cast<uint32_t>(right.size()), 4, score))
    pair(*left[l], *right[r]);
}

void Matcher::matchEqualSubgraphs(const Computation& b, const Computation& a) {
  Candidates<size_t> open;
  for (const Instruction* i : b.instructions()) {
    if (isOpenBefore(*i)) open[printsBefore_->of(*i)].push_back(i);
  }
  if (open.empty()) return;
  // Operands come first: those of an equal subgraph are matched by now.
  const auto onPartners = [&](const Instruction& left, const Instruction& right) {
    return std::ranges::equal(
        left.operands(), right.operands(),
        [&](const Instruction* x, const Instruction* y) { return arePartners(*x, *y); });
  };
  for (const Instruction* i : a.instructions()) {
    if (isOpenAfter(*i)) takeFrom(open, std::optional(printsAfter_->of(*i)), *i, Tier::Strict, onPartners);
  }
}

// From the operands up: an instruction on matched operands is its like on their partners. With names, what is
// not found so is the one of its name; what reads it is then found by its operands.
void Matcher::matchOnOperands(const Computation& b, const Computation& a, Tier tier, bool withNames) {
  const auto isElement = [](const Instruction& i) {
    return i.opcode() == Opcode::GetTupleElement && i.operandCount() == 1;
  };
  const auto keyOf = [&](const Instruction& i) {
    return StructureKey{i.opcode(), tier == Tier::Loose ? Shape() : i.shape(), 0, 0, {}};
  };
  const auto calledPrints = [&](const Instruction& i, const SubgraphFingerprints& prints) {
    size_t hash = 0;
    if (tier != Tier::Exact) return hash;
    for (const Computation* called : i.calledComputations()) hash = absl::HashOf(hash, prints.of(*called));
    return hash;
  };
  const auto keyBefore = [&](const Instruction& i) {
    StructureKey key = keyOf(i);
    for (const Instruction* operand : i.operands()) key.operands.push_back(operand->id());
    if (isElement(i)) key.element = i.tupleIndex();
    key.called = calledPrints(i, *printsBefore_);
    return key;
  };
  const auto keyAfter = [&](const Instruction& i) -> std::optional<StructureKey> {
    // Of what has no operands, another shape or value leaves nothing that is the same.
    if (tier == Tier::Loose && i.operandCount() == 0) return std::nullopt;
    StructureKey key = keyOf(i);
    for (const Instruction* operand : i.operands()) {
      key.operands.push_back(matching_.before(*operand));
      if (!key.operands.back().valid()) return std::nullopt;
    }
    if (isElement(i))
      key.element =
          elements_.elementBefore(*before_.instruction(key.operands[0]), *i.operand(0), i.tupleIndex());
    key.called = calledPrints(i, *printsAfter_);
    return key;
  };
  Candidates<StructureKey> open;
  for (const Instruction* i : b.instructions()) {
    if (isOpenBefore(*i)) open[keyBefore(*i)].push_back(i);
  }
  if (open.empty()) return;
  for (const Instruction* i : a.instructions()) {
    if (!isOpenAfter(*i)) continue;
    takeFrom(open, keyAfter(*i), *i, tier);
    const Instruction* named = withNames && isOpenAfter(*i) ? ofSameName(b, *i, tier) : nullptr;
    if (named != nullptr) pair(*named, *i);
  }
}

std::optional<size_t> Matcher::choose(const std::deque<const Instruction*>& candidates, const Instruction& a,
                                      Tier tier, const AlsoSame& alsoSame) const {
  // Long lists differ in what is not in their key; a look at the first few keeps this linear.
  constexpr size_t kTries = 32;
  std::optional<size_t> best;
  int bestScore = -1;
  for (size_t n = 0; n < std::min(kTries, candidates.size()); ++n) {
    const Instruction& b = *candidates[n];
    if (!isOpenBefore(b) || !sameOpcode(b, a)) continue;
    const bool element = a.opcode() == Opcode::GetTupleElement;  // its index is in the key, as it is before
    if (tier == Tier::Loose ? !opNamesAgree(b, a) : !element && !sameOwnMeaning(b, a)) continue;
    if (alsoSame && !alsoSame(b, a)) continue;
    const int score = (b.opName() == a.opName() ? 2 : 0) + (b.name() == a.name() ? 1 : 0);
    if (score > bestScore) {
      best = n;
      bestScore = score;
    }
    if (score == 3) break;
  }
  return best;
}

// An operand of one that is matched is an operand of the other too.
bool Matcher::operandsAgree(const Instruction& b, const Instruction& a) const {
  return std::ranges::all_of(b.operands(), [&](const Instruction* operand) {
    const Instruction* other = partner(*operand);
    return other == nullptr || std::ranges::find(a.operands(), other) != a.operands().end();
  });
}

bool Matcher::mayBeSameByName(const Instruction& b, const Instruction& a, Tier tier) const {
  const bool trusted = tier == Tier::Loose ? trust_->asLastResort(a.name()) : trust_->of(a.name());
  return trusted && bothOpen(b, a) && sameOpcode(b, a) && opNamesAgree(b, a);
}

// The instruction of `b` with the name of `i`, where nothing says that it is another.
const Instruction* Matcher::ofSameName(const Computation& b, const Instruction& i, Tier tier) const {
  const auto found = namedBefore_.find(view(i.name()));
  if (found == namedBefore_.end() || &found->second->parent() != &b ||
      !mayBeSameByName(*found->second, i, tier))
    return nullptr;
  const Instruction& named = *found->second;
  const bool alike = named.shape() == i.shape() && sameOwnMeaning(named, i) && operandsAgree(named, i);
  return tier == Tier::Loose || alike ? &named : nullptr;
}

// From the root down: operands of matched users, where opcode and shape agree.
void Matcher::matchFromUsers(const Computation& b, const Computation& a, Tier tier) {
  if (b.root() == nullptr || a.root() == nullptr) return;
  if (bothOpen(*b.root(), *a.root()) && sameOpcode(*b.root(), *a.root())) pair(*b.root(), *a.root());
  for (const Instruction* i = b.last(); i != nullptr; i = i->previous()) {
    const Instruction* other = partner(*i);
    if (other == nullptr || other->operandCount() != i->operandCount()) continue;
    for (size_t k = 0; k < i->operandCount(); ++k) {
      const Instruction &left = *i->operand(k), &right = *other->operand(k);
      if (!bothOpen(left, right) || !sameOpcode(left, right)) continue;
      if (&left.parent() != &b || &right.parent() != &a || left.opcode() == Opcode::Parameter) continue;
      const bool alike = left.shape() == right.shape() && opNamesAgree(left, right);
      if (alike || (tier == Tier::Loose && opNamesAgree(left, right))) pair(left, right);
    }
  }
}

Matcher::OriginKey Matcher::originOf(const Instruction& i, Tier tier) const {
  return {i.opcode(), tier == Tier::Loose ? Shape() : i.shape().withoutLayout(), view(i.opName())};
}

// What one line of the program became, where both sides have as many of it.
void Matcher::matchByOrigin(const Computation& b, const Computation& a, Tier tier) {
  using Sides = std::pair<std::vector<const Instruction*>, std::vector<const Instruction*>>;
  absl::flat_hash_map<OriginKey, Sides> sides;
  for (const Instruction* i : b.instructions()) {
    if (isOpenBefore(*i) && saysEnough(*i) && !i->opName().empty())
      sides[originOf(*i, tier)].first.push_back(i);
  }
  if (sides.empty()) return;
  for (const Instruction* i : a.instructions()) {
    if (!isOpenAfter(*i) || i->opName().empty()) continue;
    if (const auto found = sides.find(originOf(*i, tier)); found != sides.end())
      found->second.second.push_back(i);
  }
  for (const auto& [key, both] : sides) {
    if (both.first.size() != both.second.size()) continue;
    for (size_t n = 0; n < both.first.size(); ++n) pair(*both.first[n], *both.second[n]);
  }
}

void Matcher::pairCallees(const Computation& b) {
  for (const Instruction* i : b.instructions()) {
    const Instruction* other = partner(*i);
    if (other == nullptr) continue;
    const auto mine = i->calledComputations(), theirs = other->calledComputations();
    if (mine.size() != theirs.size()) continue;
    for (size_t k = 0; k < mine.size(); ++k) {
      if (pair(mine[k], theirs[k])) callers_.emplace(mine[k], std::pair(i, other));
    }
  }
}

void Matcher::pairComputationsByName() {
  absl::flat_hash_map<absl::string_view, const Computation*> computations;
  for (const Computation* c : after_.computations()) computations.try_emplace(view(c->name()), c);
  for (const Computation* c : before_.computations()) {
    if (const auto found = computations.find(view(c->name())); found != computations.end())
      pair(c, found->second);
  }
}

// Computations that are the same throughout, wherever they are called from.
void Matcher::pairEqualComputations() {
  absl::flat_hash_map<size_t, std::deque<const Computation*>> open;
  for (const Computation* c : before_.computations()) {
    if (!matching_.computationAfter[c->id().value].valid()) open[printsBefore_->of(*c)].push_back(c);
  }
  for (const Computation* c : after_.computations()) {
    if (matching_.computationBefore[c->id().value].valid()) continue;
    const auto found = open.find(printsAfter_->of(*c));
    if (found == open.end() || found->second.empty()) continue;
    pair(found->second.front(), c);
    found->second.pop_front();
  }
}

ThroughCalls::ThroughCalls(const Module& module) : onlyCaller_(computationIdLimit(module), nullptr) {
  std::vector<bool> called(onlyCaller_.size(), false);
  for (const Computation* c : module.computations()) {
    for (const Instruction* i : c->instructions()) {
      for (const Computation* callee : i->calledComputations()) {
        const uint32_t id = callee->id().value;
        onlyCaller_[id] = called[id] || !isInline(*i) ? nullptr : i;
        called[id] = true;
      }
    }
  }
}

// Each step goes to another computation along a call with one caller, and no computation calls itself: as
// many steps as there are computations are enough. Broken modules may have cycles.
const Instruction& ThroughCalls::resolve(const Instruction& instruction) const {
  const Instruction* at = &instruction;
  for (size_t step = 0; step < 2 * onlyCaller_.size(); ++step) {
    const Instruction* next = nullptr;
    if (at->opcode() == Opcode::Parameter) {
      const Instruction* caller = onlyCaller_[at->parent().id().value];
      const auto number = at->get<Attr::ParameterNumber>();
      if (caller != nullptr && number && *number >= 0 &&
          static_cast<size_t>(*number) < caller->operandCount())
        next = caller->operand(static_cast<size_t>(*number));
    } else if (isInline(*at)) {
      const auto called = at->calledComputations();
      if (called.size() == 1 && onlyCaller_[called[0]->id().value] == at) next = called[0]->root();
    }
    if (next == nullptr) return *at;
    at = next;
  }
  return instruction;
}

ModuleMatching matchModules(const Module& before, const Module& after, bool sharedIds) {
  return Matcher(before, after).run(sharedIds);
}

}  // namespace hilo
