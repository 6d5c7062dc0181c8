#include "core/workspace/module_diff.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>

#include "core/hlo/ir/attribute_equality.h"

namespace hilo {
namespace {

size_t computationLimit(const Module& module) {
  size_t limit = 0;
  for (const Computation* c : module.computations()) limit = std::max<size_t>(limit, c->id().value + 1);
  return limit;
}

// What an instruction is apart from its name: the key instructions are matched by where names do not help.
struct StructureKey {
  Opcode opcode;
  Shape shape;
  std::vector<InstructionId> operands;  // in the before module
  friend bool operator==(const StructureKey&, const StructureKey&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const StructureKey& key) {
    return H::combine(std::move(h), key.opcode, key.shape, key.operands);
  }
};

class ModuleDiffer {
 public:
  ModuleDiffer(const Module& before, const Module& after) : before_(before), after_(after) {
    diff_.instructionsBefore = before.instructionCount();
    diff_.instructionsAfter = after.instructionCount();
    diff_.partnerBefore.resize(before.idLimit());
    diff_.partnerAfter.resize(after.idLimit());
    diff_.kindBefore.assign(before.idLimit(), ChangeKind::Same);
    diff_.kindAfter.assign(after.idLimit(), ChangeKind::Same);
    computationPartner_.resize(computationLimit(before), nullptr);
    computationTaken_.resize(computationLimit(after), false);
  }

  StepDiff run(bool sharedIds) {
    if (sharedIds) {
      matchById();
    } else {
      matchComputationsByName();
      matchByName();
      // The list grows: matched callers pair the computations they call.
      for (size_t n = 0; n < pairs_.size(); ++n) {
        matchByStructure(*pairs_[n].first, *pairs_[n].second);
        matchFromRoot(*pairs_[n].first, *pairs_[n].second);
        pairCallees(*pairs_[n].first);
      }
    }
    classify();
    return std::move(diff_);
  }

 private:
  bool isMatchedBefore(const Instruction& i) const { return diff_.partnerBefore[i.id().value].valid(); }
  bool isMatchedAfter(const Instruction& i) const { return diff_.partnerAfter[i.id().value].valid(); }
  void pair(const Instruction& b, const Instruction& a) {
    diff_.partnerBefore[b.id().value] = a.id();
    diff_.partnerAfter[a.id().value] = b.id();
  }
  void pair(const Computation* b, const Computation* a) {
    if (b == nullptr || a == nullptr || computationPartner_[b->id().value] != nullptr) return;
    if (computationTaken_[a->id().value]) return;
    computationPartner_[b->id().value] = a;
    computationTaken_[a->id().value] = true;
    pairs_.push_back({b, a});
  }

  void matchById() {
    for (const Computation* c : before_.computations()) {
      pair(c, after_.computation(c->id()));
      for (const Instruction* i : c->instructions()) {
        if (const Instruction* same = after_.instruction(i->id())) pair(*i, *same);
      }
    }
  }

  void matchComputationsByName() {
    absl::flat_hash_map<std::string_view, const Computation*> byName;
    for (const Computation* c : after_.computations()) byName.try_emplace(c->name(), c);
    pair(before_.entry(), after_.entry());
    for (const Computation* c : before_.computations()) {
      const auto found = byName.find(c->name());
      if (found != byName.end()) pair(c, found->second);
    }
  }

  void matchByName() {
    absl::flat_hash_map<std::string_view, const Instruction*> byName;
    byName.reserve(diff_.instructionsAfter);
    for (const Computation* c : after_.computations()) {
      for (const Instruction* i : c->instructions()) byName.try_emplace(i->name(), i);
    }
    for (const Computation* c : before_.computations()) {
      for (const Instruction* i : c->instructions()) {
        const auto found = byName.find(i->name());
        if (found == byName.end() || isMatchedAfter(*found->second)) continue;
        const Instruction& other = *found->second;
        if (other.opcode() == i->opcode() && other.opcodeText() == i->opcodeText()) pair(*i, other);
      }
    }
  }

  static bool sameOwnAttributes(const Instruction& b, const Instruction& a) {
    for (const Attribute& attribute : b.attributes()) {
      const AttrKind kind = attrKind(attribute.key);
      if (!affectsMeaning(attribute.key) || kind == AttrKind::Computation ||
          kind == AttrKind::ComputationList)
        continue;
      const Attribute* other = a.find(attribute.key);
      if (other == nullptr || !sameValue(attribute, *other)) return false;
    }
    return true;
  }

  // From the operands up: an instruction on matched operands is its like on their partners.
  void matchByStructure(const Computation& b, const Computation& a) {
    absl::flat_hash_map<StructureKey, std::vector<const Instruction*>> waiting;
    for (const Instruction* i : b.instructions()) {
      if (isMatchedBefore(*i)) continue;
      StructureKey key{i->opcode(), i->shape(), {}};
      for (const Instruction* operand : i->operands()) key.operands.push_back(operand->id());
      waiting[std::move(key)].push_back(i);
    }
    if (waiting.empty()) return;
    for (const Instruction* i : a.instructions()) {
      if (isMatchedAfter(*i)) continue;
      StructureKey key{i->opcode(), i->shape(), {}};
      for (const Instruction* operand : i->operands())
        key.operands.push_back(diff_.partnerAfter[operand->id().value]);
      if (std::ranges::any_of(key.operands, [](InstructionId id) { return !id.valid(); })) continue;
      const auto found = waiting.find(key);
      if (found == waiting.end()) continue;
      auto& candidates = found->second;
      const auto same =
          std::ranges::find_if(candidates, [&](const auto* c) { return sameOwnAttributes(*c, *i); });
      if (same == candidates.end()) continue;
      pair(**same, *i);
      candidates.erase(same);
    }
  }

  // From the root down: operands of matched users, where opcode and shape agree.
  void matchFromRoot(const Computation& b, const Computation& a) {
    if (b.root() == nullptr || a.root() == nullptr) return;
    if (!isMatchedBefore(*b.root()) && !isMatchedAfter(*a.root()) &&
        b.root()->opcode() == a.root()->opcode()) {
      pair(*b.root(), *a.root());
    }
    for (const Instruction* i = b.last(); i != nullptr; i = i->previous()) {
      if (!isMatchedBefore(*i)) continue;
      const Instruction* partner = after_.instruction(diff_.partnerBefore[i->id().value]);
      if (partner == nullptr || partner->operandCount() != i->operandCount()) continue;
      for (size_t k = 0; k < i->operandCount(); ++k) {
        const Instruction &left = *i->operand(k), &right = *partner->operand(k);
        const bool open = !isMatchedBefore(left) && !isMatchedAfter(right);
        if (open && left.opcode() == right.opcode() && left.shape() == right.shape()) pair(left, right);
      }
    }
  }

  void pairCallees(const Computation& b) {
    for (const Instruction* i : b.instructions()) {
      if (!isMatchedBefore(*i)) continue;
      const Instruction* partner = after_.instruction(diff_.partnerBefore[i->id().value]);
      const auto mine = i->calledComputations(), theirs = partner->calledComputations();
      if (mine.size() != theirs.size()) continue;
      for (size_t k = 0; k < mine.size(); ++k) pair(mine[k], theirs[k]);
    }
  }

  bool samePartner(const Computation* b, const Computation* a) const {
    return b != nullptr && a != nullptr && computationPartner_[b->id().value] == a;
  }
  bool samePartner(const Instruction* b, const Instruction* a) const {
    return b != nullptr && a != nullptr && diff_.partnerBefore[b->id().value] == a->id();
  }
  template <typename T>
  bool samePartners(std::span<T* const> b, std::span<T* const> a) const {
    return std::ranges::equal(b, a, [&](const T* x, const T* y) { return samePartner(x, y); });
  }

  bool sameAttribute(const Attribute& b, const Attribute& a) const {
    switch (attrKind(b.key)) {
      case AttrKind::Computation:
        return samePartner(attr_detail::unpack<Computation*>(b), attr_detail::unpack<Computation*>(a));
      case AttrKind::ComputationList:
        return samePartners(attr_detail::unpack<std::span<Computation* const>>(b),
                            attr_detail::unpack<std::span<Computation* const>>(a));
      case AttrKind::InstructionList:
        return samePartners(attr_detail::unpack<std::span<Instruction* const>>(b),
                            attr_detail::unpack<std::span<Instruction* const>>(a));
      default:
        return sameValue(b, a);
    }
  }

  void changedAttributes(const Instruction& b, const Instruction& a,
                         std::vector<std::string_view>& what) const {
    // Ids of the proto form are bookkeeping.
    const auto counts = [](Attr key) { return key != Attr::UniqueId && key != Attr::UnknownFields; };
    for (const Attribute& attribute : b.attributes()) {
      if (!counts(attribute.key)) continue;
      const Attribute* other = a.find(attribute.key);
      if (other == nullptr || !sameAttribute(attribute, *other)) what.push_back(attrName(attribute.key));
    }
    for (const Attribute& attribute : a.attributes()) {
      if (counts(attribute.key) && !b.has(attribute.key)) what.push_back(attrName(attribute.key));
    }
  }

  std::string whatChanged(const Instruction& b, const Instruction& a) const {
    std::vector<std::string_view> what;
    if (b.opcode() != a.opcode() || b.opcodeText() != a.opcodeText()) what.push_back("opcode");
    if (b.shape().withoutLayout() != a.shape().withoutLayout()) {
      what.push_back("shape");
    } else if (b.shape() != a.shape()) {
      what.push_back("layout");
    }
    if (!samePartners(b.operands(), a.operands())) what.push_back("operands");
    if (!samePartner(&b.parent(), &a.parent())) what.push_back("computation");
    if (b.isRoot() != a.isRoot()) what.push_back("root");
    changedAttributes(b, a, what);
    return fmt::format("{}", fmt::join(what, ", "));
  }

  void record(ChangeKind kind, const Instruction* b, const Instruction* a, std::string what) {
    if (b != nullptr) diff_.kindBefore[b->id().value] = kind;
    if (a != nullptr) diff_.kindAfter[a->id().value] = kind;
    ++(kind == ChangeKind::Added ? diff_.added : kind == ChangeKind::Removed ? diff_.removed : diff_.changed);
    diff_.changes.push_back({kind, b ? b->id() : InstructionId(), a ? a->id() : InstructionId(),
                             std::string(a ? a->name() : b->name()), std::move(what)});
  }

  void classify() {
    for (const Computation* c : before_.computations()) {
      for (const Instruction* i : c->instructions()) {
        if (!isMatchedBefore(*i)) record(ChangeKind::Removed, i, nullptr, "");
      }
    }
    for (const Computation* c : after_.computations()) {
      for (const Instruction* i : c->instructions()) {
        const InstructionId partner = diff_.partnerAfter[i->id().value];
        if (!partner.valid()) {
          record(ChangeKind::Added, nullptr, i, "");
          continue;
        }
        const Instruction& b = *before_.instruction(partner);
        if (std::string what = whatChanged(b, *i); !what.empty())
          record(ChangeKind::Changed, &b, i, std::move(what));
      }
    }
  }

  const Module& before_;
  const Module& after_;
  StepDiff diff_;
  std::vector<const Computation*> computationPartner_;  // by before id
  std::vector<bool> computationTaken_;                  // by after id
  std::vector<std::pair<const Computation*, const Computation*>> pairs_;
};

}  // namespace

StepDiff diffModules(const Module& before, const Module& after, bool sharedIds) {
  return ModuleDiffer(before, after).run(sharedIds);
}

}  // namespace hilo
