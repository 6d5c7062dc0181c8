#include "core/compiler/passes/dots/dot_merger.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <absl/container/inlined_vector.h>

#include <algorithm>

#include "core/analysis/saturating.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/dots/dot_pair.h"
#include "core/compiler/passes/fusion/kernel_order.h"
#include "core/compiler/passes/fusion/merge_fusions.h"
#include "core/compiler/passes/fusion/reader_ends.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

bool mayMerge(const Instruction& i) {
  return i.opcode() == Opcode::Dot && i.operandCount() == 2 && !i.has(Attr::SparsityConfig) &&
         isPlainArray(i.shape()) && isPlainArray(i.operand(0)->shape()) &&
         isPlainArray(i.operand(1)->shape());
}

int64_t bytesOf(const Instruction& dot) {
  return saturatingAdd(dot.shape().byteSize(),
                       saturatingAdd(dot.operand(0)->shape().byteSize(), dot.operand(1)->shape().byteSize()));
}

// Dots that read one array alike, in their order: those a dot may be merged with.
using Group = std::vector<InstructionId>;
// A dot's place in a group, with the place from which on no dot goes with it, as all lie behind it.
struct Member {
  size_t group, place, end;
};
using Members = absl::InlinedVector<Member, 2>;

class DotMerger {
 public:
  DotMerger(Computation& computation, PassContext& context, int64_t maxBytes)
      : computation_(computation), context_(context), maxBytes_(maxBytes), order_(computation) {}

  bool run() {
    std::vector<InstructionId> ids;
    for (const Instruction* i : computation_.instructions()) {
      if (!mayMerge(*i)) continue;
      ids.push_back(i->id());
      if (bytesOf(*i) > maxBytes_) large_.insert(i->id());
    }
    findGroups(ids);
    bool changed = false;
    for (const InstructionId id : ids) {
      Instruction* dot = dotOf(id);
      while (dot != nullptr && !context_.cancelled() && !context_.fuel().isSpent()) {
        passed_.insert(dot->id());
        dot = mergeWithOne(*dot);
        changed |= dot != nullptr;
      }
    }
    if (changed) orderByOperands(computation_);
    return changed;
  }

 private:
  Instruction* dotOf(InstructionId id) const { return computation_.module().instruction(id); }

  void findGroups(const std::vector<InstructionId>& ids) {
    absl::flat_hash_map<DotReading, size_t> groups;
    for (const InstructionId id : ids) {
      for (const size_t side : {0, 1}) {
        const size_t group = groups.emplace(dotReading(*dotOf(id), side), groups_.size()).first->second;
        if (group == groups_.size()) groups_.emplace_back();
        // An array by itself.
        if (groups_[group].empty() || groups_[group].back() != id) groups_[group].push_back(id);
      }
    }
    for (size_t group = 0; group < groups_.size(); ++group) {
      std::vector<const Instruction*> dots;
      for (const InstructionId id : groups_[group]) dots.push_back(dotOf(id));
      const std::vector<size_t> ends = readerEnds(dots, order_);
      for (size_t place = 0; place < dots.size(); ++place)
        membersOf_[dots[place]->id()].push_back({group, place, ends[place]});
    }
  }

  // Those not looked at yet that it may go with, in the order in which they were made.
  std::vector<Instruction*> othersOf(const Instruction& first) const {
    std::vector<Instruction*> others;
    for (const Member& member : membersOf_.at(first.id())) {
      for (size_t place = member.place + 1; place < member.end; ++place) {
        const InstructionId id = groups_[member.group][place];
        if (!passed_.contains(id)) others.push_back(dotOf(id));
      }
    }
    std::ranges::sort(others, {}, [](const Instruction* i) { return i->id().value; });
    return others;
  }

  // The dot that does both; null: none goes with it.
  Instruction* mergeWithOne(Instruction& first) {
    if (order_.hasControl(first)) return nullptr;
    for (Instruction* second : othersOf(first)) {
      if (order_.hasControl(*second)) continue;
      const auto pair = dotPairOf(first, *second);
      if (!pair || order_.leadsTo(first, *second) || order_.leadsTo(*second, first) ||
          areBothLarge(first, *second) || !context_.mayChange(first))
        continue;
      context_.remark(first, "merged", fmt::format("with %{}", second->name()));
      return merge(first, *second, *pair);
    }
    return nullptr;
  }

  Instruction* merge(Instruction& first, Instruction& second, DotPair pair) {
    const int64_t one = order_.placeOf(first), other = order_.placeOf(second);
    order_.forget(first);
    order_.forget(second);
    passed_.insert(second.id());
    const bool isLarge = large_.contains(first.id()) || large_.contains(second.id());
    const Members members = membersOf_.at(first.id()), others = membersOf_.at(second.id());
    Instruction* dot = mergePair(first, second, pair);
    if (isLarge) large_.insert(dot->id());
    // Of the array that both read it takes the place of both; what else they read it reads no more.
    Members& joined = membersOf_[dot->id()];
    for (const Member& a : members) {
      for (const Member& b : others) {
        if (a.group == b.group) joined.push_back({a.group, a.place, std::min(a.end, b.end)});
      }
    }
    order_.merge(one, other, *dot->operand(1 - pair.sideInFirst));
    return dot;
  }

  // One that is large may take in small ones.
  bool areBothLarge(const Instruction& first, const Instruction& second) {
    const bool both = large_.contains(first.id()) && large_.contains(second.id());
    if (both) context_.remark(first, "missed", fmt::format("it and %{} are large", second.name()));
    return both;
  }

  Computation& computation_;
  PassContext& context_;
  const int64_t maxBytes_;
  KernelOrder order_;
  std::vector<Group> groups_;
  absl::flat_hash_map<InstructionId, Members> membersOf_;
  absl::flat_hash_set<InstructionId> large_;   // of more bytes than asked for, or with such a one in it
  absl::flat_hash_set<InstructionId> passed_;  // each pair is looked at once, from the dot that stands first
};

}  // namespace

Result<bool> mergeDots(Module& module, PassContext& context, const DotMergerSettings& settings) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module))
    changed |= DotMerger(*computation, context, settings.maxBytes).run();
  return changed;
}

}  // namespace hilo
