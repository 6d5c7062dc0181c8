#include "core/compiler/passes/collectives/all_reduce_folder.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/compiler/passes/collectives/collective_attributes.h"
#include "core/compiler/passes/collectives/collective_match.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/spmd/op_factors.h"
#include "core/hlo/eval/collective_groups.h"

namespace hilo {
namespace {

using Groups = std::vector<std::vector<int64_t>>;

// The groups of which each device has the values of all, each once, after both; nullopt where there are none.
std::optional<Groups> foldedGroups(const Groups& first, const Groups& second) {
  std::map<int64_t, const std::vector<int64_t>*> firstOf;
  for (const auto& group : first) {
    for (const int64_t id : group) firstOf[id] = &group;
  }
  std::map<int64_t, std::vector<int64_t>> reached;
  for (const auto& group : second) {
    std::vector<int64_t> all;
    for (const int64_t id : group) {
      if (!firstOf.contains(id)) return std::nullopt;
      all.insert(all.end(), firstOf[id]->begin(), firstOf[id]->end());
    }
    std::ranges::sort(all);
    if (std::ranges::adjacent_find(all) != all.end()) return std::nullopt;
    for (const int64_t id : group) reached[id] = all;
  }
  std::set<std::vector<int64_t>> folded;
  for (const auto& [id, all] : reached) {
    for (const int64_t other : all) {
      if (!reached.contains(other) || reached.at(other) != all) return std::nullopt;
    }
    folded.insert(all);
  }
  return folded.empty() ? std::nullopt : std::optional<Groups>({folded.begin(), folded.end()});
}

// Numbers of replicas that stand for all partitions of each.
bool joinsPartitionsTwice(const Instruction& collective) {
  const auto mode = groupModeOf(collective);
  return !mode ||
         (*mode == DeviceGroupMode::CrossReplicaAndPartition && collective.module().partitionCount() > 1);
}

bool isOfOneArray(const Instruction& i) {
  return i.opcode() == Opcode::AllReduce && i.operandCount() == 1 && i.shape().isArray() &&
         !i.get<Attr::ConstrainLayout>().value_or(false);
}

bool isFoldable(const Instruction& outer) {
  if (!isOfOneArray(outer) || !isOfOneArray(*outer.operand(0))) return false;
  const Instruction& inner = *outer.operand(0);
  return inner.users().size() == 1 && !inner.isRoot() && !inner.has(Attr::ControlPredecessors) &&
         sameButGroups(inner, outer) && plainCombiner(inner.get<Attr::ToApply>()) &&
         !joinsPartitionsTwice(inner) && foldedGroups(writtenGroups(inner), writtenGroups(outer));
}

// Of an attribute that both have, both values. The group key has one value, or there is none.
void addAttributesOf(const Instruction& other, Instruction& made) {
  for (const FrontendAttribute& attribute : other.get<Attr::FrontendAttributes>()) {
    const std::string_view own = frontendValue(made, attribute.name);
    if (own == attribute.value) continue;
    const bool isKey = attribute.name == kGroupKey;
    const std::string both = own.empty() ? std::string(attribute.value)
                             : isKey     ? std::string()
                                         : fmt::format("{},{}", own, attribute.value);
    setFrontendValue(made, attribute.name, both);
  }
}

Instruction* folded(Instruction& outer) {
  Instruction& inner = *outer.operand(0);
  Instruction* made = outer.parent().createLike(inner, inner.operands(), &outer);
  made->setShape(outer.shape());
  setGroups(*made, *foldedGroups(writtenGroups(inner), writtenGroups(outer)));
  giveOwnChannel(*made);
  addAttributesOf(outer, *made);
  return made;
}

}  // namespace

Result<bool> foldAllReduces(Module& module, PassContext& context) {
  return rewriteEach(module, context, "folded", isFoldable, folded);
}

}  // namespace hilo
