#include "core/analysis/module_matching.h"

#include <absl/container/flat_hash_map.h>
#include <absl/hash/hash.h>

#include <algorithm>
#include <deque>

#include "core/hlo/ir/attribute_equality.h"

namespace hilo {
namespace {

size_t computationLimit(const Module& module) {
  size_t limit = 0;
  for (const Computation* c : module.computations()) limit = std::max<size_t>(limit, c->id().value + 1);
  return limit;
}

bool isComputationKind(Attr key) {
  return attrKind(key) == AttrKind::Computation || attrKind(key) == AttrKind::ComputationList;
}

// Of the attributes that hash cheaply; the others are told apart by sameOwnAttributes.
size_t attributeHash(const Attribute& a) {
  const auto text = [&] { return std::string_view(static_cast<const char*>(a.pointer), a.count); };
  switch (attrKind(a.key)) {
    case AttrKind::Bool:
    case AttrKind::Int64:
    case AttrKind::Enum:
      return absl::HashOf(a.key, a.integer);
    case AttrKind::Float:
      return absl::HashOf(a.key, a.real);
    case AttrKind::String:
    case AttrKind::RawConfig:
    case AttrKind::RawBlock:
      return absl::HashOf(a.key, absl::string_view(text().data(), text().size()));
    case AttrKind::Int64List:
      return absl::HashOf(a.key, absl::MakeConstSpan(static_cast<const int64_t*>(a.pointer), a.count));
    default:
      return absl::HashOf(a.key);
  }
}

size_t literalHash(const Instruction& constant) {
  if (!constant.has(Attr::Literal)) return 0;
  const auto bytes = constant.literal().bytes();
  return absl::HashOf(absl::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

// Everything that says what an instruction computes, but for the computations it calls.
bool sameOwnAttributes(const Instruction& b, const Instruction& a) {
  const auto covers = [](const Instruction& x, const Instruction& y) {
    return std::ranges::all_of(x.attributes(), [&](const Attribute& attribute) {
      if (!affectsMeaning(attribute.key) || isComputationKind(attribute.key)) return true;
      const Attribute* other = y.find(attribute.key);
      return other != nullptr && sameValue(attribute, *other);
    });
  };
  return covers(b, a) && covers(a, b);
}

bool sameOpcode(const Instruction& b, const Instruction& a) {
  return b.opcode() == a.opcode() && (b.opcode() != Opcode::Opaque || b.opcodeText() == a.opcodeText());
}

// A number for each instruction that is equal for equal subgraphs: itself, its operands and what it calls,
// all the way down.
class Fingerprints {
 public:
  explicit Fingerprints(const Module& module) : of_(module.idLimit(), 0) {
    roots_.resize(computationLimit(module), 0);
    for (const Computation* c : module.computations()) {
      for (const Instruction* i : c->instructions()) of_[i->id().value] = compute(*i);
      if (c->root() != nullptr) roots_[c->id().value] = of(*c->root());
    }
  }
  size_t of(const Instruction& instruction) const { return of_[instruction.id().value]; }
  size_t of(const Computation& computation) const {
    return absl::HashOf(roots_[computation.id().value], computation.instructionCount());
  }

 private:
  size_t compute(const Instruction& i) const {
    size_t hash = absl::HashOf(i.opcode(), i.shape().withoutLayout());
    if (i.opcode() == Opcode::Constant) hash = absl::HashOf(hash, literalHash(i));
    for (const Attribute& attribute : i.attributes()) {
      if (affectsMeaning(attribute.key) && !isComputationKind(attribute.key))
        hash = absl::HashOf(hash, attributeHash(attribute));
    }
    for (const Instruction* operand : i.operands()) hash = absl::HashOf(hash, of(*operand));
    for (const Computation* called : i.calledComputations()) hash = absl::HashOf(hash, of(*called));
    return hash;
  }

  std::vector<size_t> of_;
  std::vector<size_t> roots_;  // of computations, by id; 0 while not reached
};

// What an instruction is, given what its operands are.
struct StructureKey {
  Opcode opcode;
  Shape shape;
  std::vector<InstructionId> operands;  // of the before module
  friend bool operator==(const StructureKey&, const StructureKey&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const StructureKey& key) {
    return H::combine(std::move(h), key.opcode, key.shape, key.operands);
  }
};

// What an instruction is for the person who wrote the program.
struct OriginKey {
  Opcode opcode;
  Shape shape;
  absl::string_view opName;
  friend bool operator==(const OriginKey&, const OriginKey&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const OriginKey& key) {
    return H::combine(std::move(h), key.opcode, key.shape, key.opName);
  }
};

// Parameters are placed by their number, tuples by their users: alone they say too little to be matched far
// from where they were.
bool saysEnough(const Instruction& i) {
  return i.opcode() != Opcode::Parameter && i.opcode() != Opcode::Tuple && i.opcode() != Opcode::Constant &&
         i.opcode() != Opcode::GetTupleElement;
}

class Matcher {
 public:
  Matcher(const Module& before, const Module& after)
      : before_(before), after_(after), throughBefore_(before), throughAfter_(after) {
    matching_.instructionAfter.resize(before.idLimit());
    matching_.instructionBefore.resize(after.idLimit());
    matching_.computationAfter.resize(computationLimit(before));
    matching_.computationBefore.resize(computationLimit(after));
  }

  ModuleMatching run(bool sharedIds) {
    if (sharedIds) {
      matchById();
    } else {
      const Fingerprints fingerprintsBefore(before_), fingerprintsAfter(after_);
      printsBefore_ = &fingerprintsBefore;
      printsAfter_ = &fingerprintsAfter;
      matching_.namesTrusted = trustNames();
      if (matching_.namesTrusted) matchNames();
      pair(before_.entry(), after_.entry());
      matchPairedComputations();
      matchEqualComputations();
      matchPairedComputations();
    }
    matchAcross();
    return std::move(matching_);
  }

 private:
  bool isOpenBefore(const Instruction& i) const { return !matching_.after(i).valid(); }
  bool isOpenAfter(const Instruction& i) const { return !matching_.before(i).valid(); }
  void pair(const Instruction& b, const Instruction& a) {
    matching_.instructionAfter[b.id().value] = a.id();
    matching_.instructionBefore[a.id().value] = b.id();
  }
  void pair(const Computation* b, const Computation* a) {
    if (b == nullptr || a == nullptr) return;
    if (matching_.computationAfter[b->id().value].valid() ||
        matching_.computationBefore[a->id().value].valid())
      return;
    matching_.computationAfter[b->id().value] = a->id();
    matching_.computationBefore[a->id().value] = b->id();
    waiting_.emplace_back(b, a);
  }
  const Instruction* partner(const Instruction& b) const { return after_.instruction(matching_.after(b)); }

  void matchById() {
    for (const Computation* c : before_.computations()) {
      pair(c, after_.computation(c->id()));
      for (const Instruction* i : c->instructions()) {
        if (const Instruction* same = after_.instruction(i->id())) pair(*i, *same);
      }
    }
    waiting_.clear();
  }

  // Subgraphs that are found exactly once on either side are the same beyond doubt: do their names agree?
  bool trustNames() const {
    struct Seen {
      const Instruction* before = nullptr;
      const Instruction* after = nullptr;
      bool once = true;
    };
    absl::flat_hash_map<size_t, Seen> seen;
    const auto note = [&](const Module& module, const Fingerprints& prints, const Instruction* Seen::* side) {
      for (const Computation* c : module.computations()) {
        for (const Instruction* i : c->instructions()) {
          if (!saysEnough(*i)) continue;
          Seen& entry = seen[prints.of(*i)];
          entry.once &= entry.*side == nullptr;
          entry.*side = i;
        }
      }
    };
    note(before_, *printsBefore_, &Seen::before);
    note(after_, *printsAfter_, &Seen::after);
    size_t pairs = 0, equal = 0;
    for (const auto& [print, entry] : seen) {
      if (!entry.once || entry.before == nullptr || entry.after == nullptr) continue;
      ++pairs;
      equal += entry.before->name() == entry.after->name();
    }
    return 2 * equal >= pairs;
  }

  void matchNames() {
    pair(before_.entry(), after_.entry());
    absl::flat_hash_map<std::string_view, const Computation*> computations;
    absl::flat_hash_map<std::string_view, const Instruction*> instructions;
    for (const Computation* c : after_.computations()) {
      computations.try_emplace(c->name(), c);
      for (const Instruction* i : c->instructions()) instructions.try_emplace(i->name(), i);
    }
    for (const Computation* c : before_.computations()) {
      if (const auto found = computations.find(c->name()); found != computations.end())
        pair(c, found->second);
      for (const Instruction* i : c->instructions()) {
        const auto found = instructions.find(i->name());
        if (found != instructions.end() && isOpenAfter(*found->second) && sameOpcode(*i, *found->second))
          pair(*i, *found->second);
      }
    }
  }

  // Pairs of computations found on the way join the queue.
  void matchPairedComputations() {
    while (!waiting_.empty()) {
      const auto [b, a] = waiting_.front();
      waiting_.pop_front();
      matchParameters(*b, *a);
      matchEqualSubgraphs(*b, *a);
      matchOnOperands(*b, *a);
      matchFromUsers(*b, *a);
      matchByOrigin(*b, *a);
      matchOnOperands(*b, *a);
      pairCallees(*b);
    }
  }

  void matchParameters(const Computation& b, const Computation& a) {
    const size_t count = std::min(b.parameters().size(), a.parameters().size());
    for (size_t n = 0; n < count; ++n) {
      const Instruction *left = b.parameters()[n], *right = a.parameters()[n];
      if (left == nullptr || right == nullptr || left->shape() != right->shape()) continue;
      if (isOpenBefore(*left) && isOpenAfter(*right)) pair(*left, *right);
    }
  }

  void matchEqualSubgraphs(const Computation& b, const Computation& a) {
    matchBuckets<size_t>(
        b, a, [&](const Instruction& i) { return std::optional(printsBefore_->of(i)); },
        [&](const Instruction& i) { return std::optional(printsAfter_->of(i)); });
  }

  // From the operands up: an instruction on matched operands is its like on their partners.
  void matchOnOperands(const Computation& b, const Computation& a) {
    const auto keyBefore = [](const Instruction& i) {
      StructureKey key{i.opcode(), i.shape(), {}};
      for (const Instruction* operand : i.operands()) key.operands.push_back(operand->id());
      return std::optional(std::move(key));
    };
    const auto keyAfter = [&](const Instruction& i) -> std::optional<StructureKey> {
      StructureKey key{i.opcode(), i.shape(), {}};
      for (const Instruction* operand : i.operands()) {
        key.operands.push_back(matching_.before(*operand));
        if (!key.operands.back().valid()) return std::nullopt;
      }
      return key;
    };
    matchBuckets<StructureKey>(b, a, keyBefore, keyAfter);
  }

  // Instructions of one key, in order; each is paired with the first one left that has the same attributes.
  // Keys of `a` are made as its instructions come, so that they see the pairs made before.
  template <typename Key, typename KeyBefore, typename KeyAfter>
  void matchBuckets(const Computation& b, const Computation& a, KeyBefore keyBefore, KeyAfter keyAfter) {
    absl::flat_hash_map<Key, std::deque<const Instruction*>> open;
    for (const Instruction* i : b.instructions()) {
      if (isOpenBefore(*i)) open[*keyBefore(*i)].push_back(i);
    }
    if (open.empty()) return;
    for (const Instruction* i : a.instructions()) {
      if (isOpenAfter(*i)) takeFrom(open, keyAfter(*i), *i);
    }
  }

  template <typename Key>
  void takeFrom(absl::flat_hash_map<Key, std::deque<const Instruction*>>& open, const std::optional<Key>& key,
                const Instruction& a) {
    if (!key) return;
    const auto found = open.find(*key);
    if (found == open.end()) return;
    // Long lists differ in what is not in their key; a look at the first few keeps this linear.
    constexpr size_t kTries = 32;
    auto& candidates = found->second;
    for (size_t n = 0; n < std::min(kTries, candidates.size()); ++n) {
      if (!sameOpcode(*candidates[n], a) || !sameOwnAttributes(*candidates[n], a)) continue;
      pair(*candidates[n], a);
      candidates.erase(candidates.begin() + static_cast<std::ptrdiff_t>(n));
      return;
    }
  }

  // From the root down: operands of matched users, where opcode and shape agree.
  void matchFromUsers(const Computation& b, const Computation& a) {
    if (b.root() == nullptr || a.root() == nullptr) return;
    if (isOpenBefore(*b.root()) && isOpenAfter(*a.root()) && sameOpcode(*b.root(), *a.root()))
      pair(*b.root(), *a.root());
    for (const Instruction* i = b.last(); i != nullptr; i = i->previous()) {
      const Instruction* other = partner(*i);
      if (other == nullptr || other->operandCount() != i->operandCount()) continue;
      for (size_t k = 0; k < i->operandCount(); ++k) {
        const Instruction &left = *i->operand(k), &right = *other->operand(k);
        if (isOpenBefore(left) && isOpenAfter(right) && sameOpcode(left, right) &&
            left.shape() == right.shape() && &left.parent() == &b && &right.parent() == &a)
          pair(left, right);
      }
    }
  }

  static OriginKey originOf(const Instruction& i) {
    const std::string_view opName = i.opName();
    return {i.opcode(), i.shape().withoutLayout(), {opName.data(), opName.size()}};
  }

  // What one line of the program became, where both sides have as many of it.
  void matchByOrigin(const Computation& b, const Computation& a) {
    using Sides = std::pair<std::vector<const Instruction*>, std::vector<const Instruction*>>;
    absl::flat_hash_map<OriginKey, Sides> sides;
    for (const Instruction* i : b.instructions()) {
      if (isOpenBefore(*i) && saysEnough(*i) && !i->opName().empty()) sides[originOf(*i)].first.push_back(i);
    }
    if (sides.empty()) return;
    for (const Instruction* i : a.instructions()) {
      if (!isOpenAfter(*i) || i->opName().empty()) continue;
      if (const auto found = sides.find(originOf(*i)); found != sides.end())
        found->second.second.push_back(i);
    }
    for (const auto& [key, both] : sides) {
      if (both.first.size() != both.second.size()) continue;
      for (size_t n = 0; n < both.first.size(); ++n) pair(*both.first[n], *both.second[n]);
    }
  }

  void pairCallees(const Computation& b) {
    for (const Instruction* i : b.instructions()) {
      const Instruction* other = partner(*i);
      if (other == nullptr) continue;
      const auto mine = i->calledComputations(), theirs = other->calledComputations();
      if (mine.size() != theirs.size()) continue;
      for (size_t k = 0; k < mine.size(); ++k) pair(mine[k], theirs[k]);
    }
  }

  // Computations that are the same throughout, wherever they are called from.
  void matchEqualComputations() {
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

  // What is left may have gone to another computation.
  void matchAcross() {
    absl::flat_hash_map<OriginKey, std::deque<const Instruction*>> byOrigin;
    size_t left = 0;
    for (const Computation* c : before_.computations()) {
      for (const Instruction* i : c->instructions()) {
        if (!isOpenBefore(*i) || !saysEnough(*i)) continue;
        ++left;
        if (!i->opName().empty()) byOrigin[originOf(*i)].push_back(i);
      }
    }
    if (left == 0) return;
    // A chain within one computation takes one look; one through nested calls takes a look for each.
    constexpr int kLooks = 16;
    for (int look = 0; look < kLooks && matchAcrossOnOperands(); ++look) {
    }
    for (const Computation* c : after_.computations()) {
      for (const Instruction* i : c->instructions()) {
        if (!isOpenAfter(*i) || !saysEnough(*i) || i->opName().empty()) continue;
        const auto found = byOrigin.find(originOf(*i));
        if (found == byOrigin.end()) continue;
        auto& candidates = found->second;
        while (!candidates.empty() && !isOpenBefore(*candidates.front())) candidates.pop_front();
        if (!candidates.empty()) pair(*candidates.front(), *i);
      }
    }
    matchAcrossOnOperands();
    matchAcrossFromUsers();
  }

  // What a moved instruction reads has moved with it, where it is the same: constants and their broadcasts.
  void matchAcrossFromUsers() {
    const auto computations = after_.computations();
    for (auto c = computations.rbegin(); c != computations.rend(); ++c) {
      for (const Instruction* a = (*c)->last(); a != nullptr; a = a->previous()) {
        const Instruction* b = before_.instruction(matching_.before(*a));
        if (b == nullptr || b->operandCount() != a->operandCount()) continue;
        for (size_t k = 0; k < a->operandCount(); ++k) {
          const Instruction& left = throughBefore_.resolve(*b->operand(k));
          const Instruction& right = throughAfter_.resolve(*a->operand(k));
          if (isOpenBefore(left) && isOpenAfter(right) && left.opcode() != Opcode::Parameter &&
              sameOpcode(left, right) && left.shape().withoutLayout() == right.shape().withoutLayout() &&
              sameOwnAttributes(left, right))
            pair(left, right);
        }
      }
    }
  }

  // One look at all that is left, callers before what they call, so that parameters can be resolved.
  bool matchAcrossOnOperands() {
    absl::flat_hash_map<StructureKey, std::deque<const Instruction*>> open;
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
          StructureKey key{i.opcode(), i.shape().withoutLayout(), {}};
          for (const Instruction* o : i.operands()) key.operands.push_back(throughBefore_.resolve(*o).id());
          open[std::move(key)].push_back(&i);
        });
    size_t paired = 0;
    forEachOpen(
        after_, [&](const Instruction& i) { return isOpenAfter(i); },
        [&](const Instruction& i) {
          StructureKey key{i.opcode(), i.shape().withoutLayout(), {}};
          for (const Instruction* o : i.operands()) {
            key.operands.push_back(matching_.before(throughAfter_.resolve(*o)));
            if (!key.operands.back().valid()) return;
          }
          takeFrom(open, std::optional(std::move(key)), i);
          paired += isOpenAfter(i) ? 0 : 1;
        });
    return paired != 0;
  }

  const Module& before_;
  const Module& after_;
  ThroughCalls throughBefore_, throughAfter_;
  const Fingerprints* printsBefore_ = nullptr;
  const Fingerprints* printsAfter_ = nullptr;
  ModuleMatching matching_;
  std::deque<std::pair<const Computation*, const Computation*>> waiting_;
};

bool isInline(const Instruction& i) { return i.opcode() == Opcode::Call || i.opcode() == Opcode::Fusion; }

}  // namespace

ThroughCalls::ThroughCalls(const Module& module) : onlyCaller_(computationLimit(module), nullptr) {
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
