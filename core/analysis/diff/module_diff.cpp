#include "core/analysis/diff/module_diff.h"

#include <absl/container/btree_map.h>
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/analysis/diff/subgraph_fingerprints.h"
#include "core/analysis/diff/tuple_elements.h"
#include "core/hlo/ir/attribute_equality.h"

namespace hilo {
namespace {

// The positions that must go for the rest to grow: what has changed its place in a list.
std::vector<bool> outOfOrder(const std::vector<int64_t>& values) {
  std::vector<size_t> tails;  // tails[n]: where the best growing run of n + 1 ends
  std::vector<size_t> previous(values.size(), values.size());
  for (size_t n = 0; n < values.size(); ++n) {
    const auto at = std::ranges::lower_bound(tails, values[n], {}, [&](size_t i) { return values[i]; });
    if (at != tails.begin()) previous[n] = *(at - 1);
    if (at == tails.end()) {
      tails.push_back(n);
    } else {
      *at = n;
    }
  }
  std::vector<bool> out(values.size(), true);
  for (size_t n = tails.empty() ? values.size() : tails.back(); n < values.size(); n = previous[n])
    out[n] = false;
  return out;
}

class ModuleDiffer {
 public:
  ModuleDiffer(const Module& before, const Module& after, ModuleMatching matching, bool metadata)
      : before_(before),
        after_(after),
        countMetadata_(metadata),
        matching_(std::move(matching)),
        throughBefore_(before),
        throughAfter_(after),
        elements_(before, after, matching_) {
    diff_.instructionsBefore = before.instructionCount();
    diff_.instructionsAfter = after.instructionCount();
    diff_.namesTrusted = matching_.namesTrusted;
    diff_.kindBefore.assign(before.idLimit(), ChangeKind::Same);
    diff_.kindAfter.assign(after.idLimit(), ChangeKind::Same);
  }

  StepDiff run() {
    findReorderedParameters();
    findReorderedInstructions();
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
  void findReorderedParameters() {
    if (after_.entry() == nullptr) return;
    std::vector<int64_t> numbers;
    std::vector<const Instruction*> parameters;
    for (const Instruction* a : after_.entry()->parameters()) {
      const Instruction* b = a == nullptr ? nullptr : before_.instruction(matching_.before(*a));
      if (b == nullptr || b->opcode() != Opcode::Parameter) continue;
      numbers.push_back(b->parameterNumber());
      parameters.push_back(a);
    }
    const std::vector<bool> out = outOfOrder(numbers);
    for (size_t n = 0; n < out.size(); ++n) {
      if (out[n]) reordered_.insert(parameters[n]);
    }
  }

  // Only a schedule says anything by its order.
  void findReorderedInstructions() {
    diff_.becameScheduled = after_.isScheduled() && !before_.isScheduled();
    if (!after_.isScheduled()) return;
    std::vector<int64_t> placeBefore(before_.idLimit());
    for (const Computation* c : before_.computations()) {
      int64_t place = 0;
      for (const Instruction* i : c->instructions()) placeBefore[i->id().value] = place++;
    }
    for (const Computation* c : after_.computations()) findReorderedIn(*c, placeBefore);
  }

  void findReorderedIn(const Computation& computation, const std::vector<int64_t>& placeBefore) {
    std::vector<const Instruction*> now;  // those that stand on both sides
    std::vector<int64_t> places;
    for (const Instruction* a : computation.instructions()) {
      const Instruction* b = before_.instruction(matching_.before(*a));
      if (b == nullptr || !samePartner(&b->parent(), &computation)) continue;
      now.push_back(a);
      places.push_back(placeBefore[b->id().value]);
    }
    const std::vector<bool> out = outOfOrder(places);
    if (std::ranges::none_of(out, std::identity())) return;
    std::vector<size_t> was(now.size());  // positions in `now`, in the order before
    std::iota(was.begin(), was.end(), size_t{0});
    std::ranges::sort(was, {}, [&](size_t n) { return places[n]; });
    std::vector<const Instruction*> previous(now.size());
    for (size_t n = 1; n < was.size(); ++n) previous[was[n]] = now[was[n - 1]];
    const auto after = [](const Instruction* i) {
      return i == nullptr ? std::string("first") : fmt::format("after {}", i->name());
    };
    for (size_t n = 0; n < now.size(); ++n) {
      if (!out[n]) continue;
      const Instruction* b = before_.instruction(matching_.before(*now[n]));
      diff_.reordered.push_back(
          {ChangeKind::Reordered, b->id(), now[n]->id(), std::string(now[n]->name()),
           fmt::format("{}, was {}", after(n == 0 ? nullptr : now[n - 1]), after(previous[n]))});
    }
  }

  void classify(const Instruction& a) {
    const Instruction* b = before_.instruction(matching_.before(a));
    if (b == nullptr) return record(ChangeKind::Added, nullptr, &a, "");
    const bool moved = !samePartner(&b->parent(), &a.parent());
    const bool relabelled = !sameLabels(*b, a);
    std::string what = whatChanged(*b, a, moved);
    if (relabelled && (countMetadata_ || !what.empty())) what += what.empty() ? "metadata" : ", metadata";
    if (relabelled && what.empty() && !moved) ++diff_.relabelled;
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
  bool sameOperand(const Instruction* b, const Instruction* a, bool moved) const {
    return samePartner(b, a) ||
           (moved && samePartner(&throughBefore_.resolve(*b), &throughAfter_.resolve(*a)));
  }
  // "": the same. "operand order": all of them, in another order.
  std::string_view operandChange(const Instruction& b, const Instruction& a, bool moved) const {
    const auto same = [&](const Instruction* x, const Instruction* y) { return sameOperand(x, y, moved); };
    if (std::ranges::equal(b.operands(), a.operands(), same) || sameArguments(b, a, moved)) return "";
    std::vector<InstructionId> left, right;
    for (const Instruction* operand : b.operands()) left.push_back(matching_.after(*operand));
    for (const Instruction* operand : a.operands()) right.push_back(operand->id());
    std::ranges::sort(left, {}, &InstructionId::value);
    std::ranges::sort(right, {}, &InstructionId::value);
    return left == right ? "operand order" : "operands";
  }

  // Of callers whose parameters came to be numbered otherwise: each parameter is given what it was given.
  bool sameArguments(const Instruction& b, const Instruction& a, bool moved) const {
    const auto mine = b.calledComputations(), theirs = a.calledComputations();
    if (b.operandCount() != a.operandCount() || mine.size() != 1 || theirs.size() != 1) return false;
    const auto left = mine[0]->parameters();
    if (left.size() != b.operandCount() || theirs[0]->parameters().size() != a.operandCount()) return false;
    for (size_t n = 0; n < left.size(); ++n) {
      const Instruction* parameter =
          left[n] == nullptr ? nullptr : after_.instruction(matching_.after(*left[n]));
      if (parameter == nullptr || parameter->opcode() != Opcode::Parameter ||
          &parameter->parent() != theirs[0])
        return false;
      const auto number = static_cast<size_t>(parameter->parameterNumber());
      if (number >= a.operandCount() || !sameOperand(b.operand(n), a.operand(number), moved)) return false;
    }
    return true;
  }

  // What a person reads of metadata: where the source lies says nothing of the instruction.
  static bool sameLabels(const Instruction& b, const Instruction& a) {
    const auto opType = [](const Instruction& i) {
      const OpMetadata* metadata = i.get<Attr::Metadata>();
      return metadata == nullptr ? std::string_view() : metadata->opType;
    };
    return b.opName() == a.opName() && opType(b) == opType(a);
  }

  bool sameElement(const Instruction& b, const Instruction& a) {
    return b.operandCount() == 1 && a.operandCount() == 1 && samePartner(b.operand(0), a.operand(0)) &&
           elements_.elementBefore(*b.operand(0), *a.operand(0), a.tupleIndex()) == b.tupleIndex();
  }

  bool sameAttribute(const Attribute& b, const Attribute& a) {
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

  void changedAttributes(const Instruction& b, const Instruction& a, std::vector<std::string_view>& what) {
    const auto counts = [&](Attr key) {
      switch (key) {
        case Attr::UniqueId:  // of the proto form: bookkeeping
        case Attr::UnknownFields:
        case Attr::Metadata:  // see sameLabels
          return false;
        case Attr::ParameterNumber:
          return reordered_.contains(&a);
        case Attr::Index:
          return !sameElement(b, a);
        default:
          return true;
      }
    };
    for (const Attribute& attribute : b.attributes()) {
      if (!counts(attribute.key)) continue;
      const Attribute* other = a.find(attribute.key);
      if (other == nullptr || !sameAttribute(attribute, *other)) what.push_back(attrName(attribute.key));
    }
    for (const Attribute& attribute : a.attributes()) {
      if (counts(attribute.key) && !b.has(attribute.key)) what.push_back(attrName(attribute.key));
    }
  }

  std::string whatChanged(const Instruction& b, const Instruction& a, bool moved) {
    std::vector<std::string_view> what;
    if (!sameOpcode(b, a)) what.push_back("opcode");
    if (b.shape().withoutLayout() != a.shape().withoutLayout()) {
      what.push_back("shape");
    } else if (b.shape().withDefaultLayout() != a.shape().withDefaultLayout()) {
      what.push_back("layout");
    }
    if (const std::string_view operands = operandChange(b, a, moved); !operands.empty())
      what.push_back(operands);
    if (!moved && b.isRoot() != a.isRoot()) what.push_back("root");
    // What another operation has for attributes says nothing.
    if (sameOpcode(b, a)) changedAttributes(b, a, what);
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
  const bool countMetadata_;
  ModuleMatching matching_;
  ThroughCalls throughBefore_, throughAfter_;
  TupleElements elements_;
  absl::flat_hash_set<const Instruction*> reordered_;  // parameters of the after module's entry
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
    case ChangeKind::Reordered:
      return "reordered";
  }
  return {};
}

StepDiff diffModules(const Module& before, const Module& after, const DiffOptions& options) {
  return diffMatched(before, after, matchModules(before, after, options.sharedIds), options);
}

StepDiff diffMatched(const Module& before, const Module& after, ModuleMatching matching,
                     const DiffOptions& options) {
  return ModuleDiffer(before, after, std::move(matching), options.metadata).run();
}

std::vector<OpcodeDelta> opcodeDeltas(const Module& before, const Module& after, const StepDiff& diff) {
  absl::btree_map<std::string_view, OpcodeDelta> byOpcode;
  const auto count = [&](const Module& module, auto side) {
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
