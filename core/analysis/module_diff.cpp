#include "core/analysis/module_diff.h"

#include <absl/container/btree_map.h>
#include <fmt/format.h>

#include <algorithm>

#include "core/hlo/ir/attribute_equality.h"

namespace hilo {
namespace {

class ModuleDiffer {
 public:
  ModuleDiffer(const Module& before, const Module& after, ModuleMatching matching)
      : before_(before),
        after_(after),
        matching_(std::move(matching)),
        throughBefore_(before),
        throughAfter_(after) {
    diff_.instructionsBefore = before.instructionCount();
    diff_.instructionsAfter = after.instructionCount();
    diff_.namesTrusted = matching_.namesTrusted;
    diff_.kindBefore.assign(before.idLimit(), ChangeKind::Same);
    diff_.kindAfter.assign(after.idLimit(), ChangeKind::Same);
  }

  StepDiff run() {
    for (const Computation* c : before_.computations()) {
      for (const Instruction* i : c->instructions()) {
        if (!matching_.after(*i).valid()) record(ChangeKind::Removed, i, nullptr, "");
      }
    }
    for (const Computation* c : after_.computations()) {
      for (const Instruction* i : c->instructions()) classify(*i);
    }
    diff_.partnerBefore = std::move(matching_.instructionAfter);
    diff_.partnerAfter = std::move(matching_.instructionBefore);
    return std::move(diff_);
  }

 private:
  void classify(const Instruction& a) {
    const Instruction* b = before_.instruction(matching_.before(a));
    if (b == nullptr) return record(ChangeKind::Added, nullptr, &a, "");
    const bool moved = !samePartner(&b->parent(), &a.parent());
    const std::string what = whatChanged(*b, a, moved);
    if (moved) {
      std::string from = fmt::format("from {}", b->parent().name());
      if (!what.empty()) from += "; " + what;
      record(ChangeKind::Moved, b, &a, std::move(from));
    } else if (!what.empty()) {
      record(ChangeKind::Changed, b, &a, what);
    }
  }

  bool samePartner(const Computation* b, const Computation* a) const {
    return b != nullptr && a != nullptr && matching_.computationAfter[b->id().value] == a->id();
  }
  bool samePartner(const Instruction* b, const Instruction* a) const {
    return b != nullptr && a != nullptr && matching_.after(*b) == a->id();
  }
  template <typename T>
  bool samePartners(std::span<T* const> b, std::span<T* const> a) const {
    return std::ranges::equal(b, a, [&](const T* x, const T* y) { return samePartner(x, y); });
  }
  bool sameOperands(const Instruction& b, const Instruction& a, bool moved) const {
    return std::ranges::equal(b.operands(), a.operands(), [&](const Instruction* x, const Instruction* y) {
      return samePartner(x, y) ||
             (moved && samePartner(&throughBefore_.resolve(*x), &throughAfter_.resolve(*y)));
    });
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

  std::string whatChanged(const Instruction& b, const Instruction& a, bool moved) const {
    std::vector<std::string_view> what;
    if (b.opcode() != a.opcode() || b.opcodeText() != a.opcodeText()) what.push_back("opcode");
    if (b.shape().withoutLayout() != a.shape().withoutLayout()) {
      what.push_back("shape");
    } else if (b.shape() != a.shape()) {
      what.push_back("layout");
    }
    if (!sameOperands(b, a, moved)) what.push_back("operands");
    if (!moved && b.isRoot() != a.isRoot()) what.push_back("root");
    changedAttributes(b, a, what);
    return fmt::format("{}", fmt::join(what, ", "));
  }

  size_t& countOf(ChangeKind kind) {
    switch (kind) {
      case ChangeKind::Added:
        return diff_.added;
      case ChangeKind::Removed:
        return diff_.removed;
      case ChangeKind::Moved:
        return diff_.moved;
      default:
        return diff_.changed;
    }
  }

  void record(ChangeKind kind, const Instruction* b, const Instruction* a, std::string what) {
    if (b != nullptr) diff_.kindBefore[b->id().value] = kind;
    if (a != nullptr) diff_.kindAfter[a->id().value] = kind;
    ++countOf(kind);
    diff_.changes.push_back({kind, b ? b->id() : InstructionId(), a ? a->id() : InstructionId(),
                             std::string(a ? a->name() : b->name()), std::move(what)});
  }

  const Module& before_;
  const Module& after_;
  ModuleMatching matching_;
  ThroughCalls throughBefore_, throughAfter_;
  StepDiff diff_;
};

}  // namespace

std::string_view changeName(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::Same:
      return "same";
    case ChangeKind::Added:
      return "added";
    case ChangeKind::Removed:
      return "removed";
    case ChangeKind::Changed:
      return "changed";
    case ChangeKind::Moved:
      return "moved";
  }
  return {};
}

StepDiff diffModules(const Module& before, const Module& after, bool sharedIds) {
  return ModuleDiffer(before, after, matchModules(before, after, sharedIds)).run();
}

std::vector<OpcodeDelta> opcodeDeltas(const Module& before, const Module& after, const StepDiff& diff) {
  absl::btree_map<std::string_view, OpcodeDelta> byOpcode;
  const auto count = [&](const Module& module, int64_t OpcodeDelta::* side) {
    for (const Computation* c : module.computations()) {
      for (const Instruction* i : c->instructions()) ++(byOpcode[i->opcodeText()].*side);
    }
  };
  count(before, &OpcodeDelta::before);
  count(after, &OpcodeDelta::after);
  for (const InstructionChange& change : diff.changes) {
    const Instruction* i =
        change.after.valid() ? after.instruction(change.after) : before.instruction(change.before);
    OpcodeDelta& delta = byOpcode[i->opcodeText()];
    delta.added += change.kind == ChangeKind::Added;
    delta.removed += change.kind == ChangeKind::Removed;
    delta.changed += change.kind == ChangeKind::Changed;
    delta.moved += change.kind == ChangeKind::Moved;
  }
  std::vector<OpcodeDelta> deltas;
  const auto differences = [](const OpcodeDelta& d) { return d.added + d.removed + d.changed + d.moved; };
  for (auto& [opcode, delta] : byOpcode) {
    if (differences(delta) == 0) continue;
    delta.opcode = opcode;
    deltas.push_back(std::move(delta));
  }
  std::ranges::sort(deltas, [&](const OpcodeDelta& a, const OpcodeDelta& b) {
    const int64_t left = differences(a), right = differences(b);
    return left != right ? left > right : a.opcode < b.opcode;
  });
  return deltas;
}

}  // namespace hilo
