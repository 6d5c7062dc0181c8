#include "core/compiler/passes/collectives/group_by_key.h"

#include <algorithm>
#include <map>

#include "core/analysis/async_op.h"
#include "core/analysis/call_graph.h"
#include "core/analysis/schedule/verify_order.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/collectives/collective_attributes.h"
#include "core/compiler/passes/collectives/collective_match.h"
#include "core/compiler/passes/collectives/group_sharding.h"
#include "core/compiler/passes/collectives/merged_attributes.h"
#include "core/compiler/passes/control_edges.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

struct Group {
  std::string key;
  std::vector<Instruction*> members;
};

bool isGrouped(const Instruction& i, const GroupedCollectives& which) {
  return (i.opcode() == Opcode::AllGather && which.allGathers) ||
         (i.opcode() == Opcode::ReduceScatter && which.reduceScatters) ||
         (i.opcode() == Opcode::AllReduce && which.allReduces);
}

std::vector<Group> groupsOf(Computation& computation, PassContext& context, const GroupedCollectives& which) {
  std::map<std::string, std::vector<Instruction*>> byKey;
  for (Instruction* i : computation.instructions()) {
    if (isGrouped(*i, which) && !collectiveGroupKey(*i).empty())
      byKey[std::string(collectiveGroupKey(*i))].push_back(i);
  }
  std::vector<Group> groups;
  for (auto& [key, members] : byKey) {
    if (members.size() > 1) {
      groups.push_back({key, std::move(members)});
    } else {
      context.remark(*members[0], "missed", fmt::format("no other collective has the key {}", key));
    }
  }
  return groups;
}

// The way from `from` to what waits for it, as names.
std::string wayBetween(const Instruction& from, const Instruction& to) {
  std::string way(from.name());
  for (const Instruction* at = &from; at != &to;) {
    const Instruction* next = nullptr;
    for (const Instruction* i : from.parent().instructions()) {
      const auto before = i->get<Attr::ControlPredecessors>();
      const bool follows = std::ranges::find(i->operands(), at) != i->operands().end() ||
                           std::ranges::find(before, at) != before.end();
      if (follows && next == nullptr && waitsFor(to, *i)) next = i;
    }
    if (next == nullptr) break;
    way += fmt::format(" -> {}", next->name());
    at = next;
  }
  return way;
}

Status requireIndependent(const Group& group) {
  for (const Instruction* a : group.members) {
    for (const Instruction* b : group.members) {
      if (a == b || !waitsFor(*b, *a)) continue;
      return fail("dependent-collectives",
                  fmt::format("{} and {} of {} share collective_group_key={}, but the second needs the first",
                              a->name(), b->name(), a->parent().name(), group.key),
                  {}, {wayBetween(*a, *b)});
    }
  }
  return {};
}

bool waitsForAny(const Group& later, const Group& earlier) {
  return std::ranges::any_of(later.members, [&](const Instruction* b) {
    return std::ranges::any_of(earlier.members, [&](const Instruction* a) { return waitsFor(*b, *a); });
  });
}

// Groups that wait for no other are taken out until none is left.
Status requireAcyclic(const std::vector<Group>& groups) {
  std::vector<const Group*> left;
  for (const Group& group : groups) left.push_back(&group);
  for (size_t before = groups.size() + 1; left.size() < before;) {
    before = left.size();
    std::vector<const Group*> waiting;
    for (const Group* group : left) {
      const bool waits = std::ranges::any_of(
          left, [&](const Group* other) { return other != group && waitsForAny(*group, *other); });
      if (waits) waiting.push_back(group);
    }
    left = std::move(waiting);
  }
  if (left.empty()) return {};
  std::string keys;
  for (const Group* group : left) keys += (keys.empty() ? "" : ", ") + group->key;
  return fail("dependent-collectives", fmt::format("collectives of the keys {} need each other in {}", keys,
                                                   left[0]->members[0]->parent().name()));
}

class GroupMaker {
 public:
  explicit GroupMaker(const Group& group)
      : members_(group.members), computation_(members_[0]->parent()), thread_(executionThread(computation_)) {
    for (const Instruction* member : members_) {
      operands_.insert(operands_.end(), member->operands().begin(), member->operands().end());
      results_.push_back(member->shape());
    }
  }

  void make() {
    Computation* grouped = computationOfAll();
    Instruction& front = *members_[0];
    const Shape results = Shape::tuple(results_);
    std::vector<Shape> given;
    for (const Instruction* operand : operands_) given.push_back(operand->shape());
    Instruction* start =
        computation_.create(Opcode::AsyncStart, Shape::tuple(std::vector{Shape::tuple(given), results}),
                            operands_, named(*grouped, "-start"), &front);
    start->set<Attr::Calls>(grouped);
    if (thread_ != "main") start->set<Attr::AsyncExecutionThread>(thread_);
    Instruction* done =
        computation_.create(Opcode::AsyncDone, results, {start}, named(*grouped, "-done"), &front);
    describe({start, done, grouped->root()});
    shardGroup(members_, operands_, *start, *done, *grouped->root());
    replaceMembers(*start, *done);
  }

 private:
  std::string_view named(const Computation& grouped, std::string_view suffix) {
    return computation_.module().uniqueName(fmt::format("{}{}", grouped.name(), suffix));
  }

  Computation* computationOfAll() {
    Module& module = computation_.module();
    Computation* grouped = module.createComputation(module.uniqueName("collectives_group"), &computation_);
    if (thread_ != "main") {
      const auto* thread = computation_.attributes().find(Attr::ExecutionThread);
      grouped->attributes().append(module.arena(), *thread);
    }
    std::vector<Instruction*> parameters, copies;
    for (const Instruction* operand : operands_)
      parameters.push_back(
          grouped->createParameter(static_cast<int64_t>(parameters.size()), operand->shape()));
    size_t next = 0;
    for (const Instruction* member : members_) {
      copies.push_back(
          grouped->createLike(*member, std::span(parameters).subspan(next, member->operandCount())));
      // A start in each group of the schedule: that of all of them.
      setFrontendValue(*copies.back(), "_scheduling_group_id", "");
      next += member->operandCount();
    }
    grouped->setRoot(grouped->create(Opcode::Tuple, Shape::tuple(results_), copies));
    return grouped;
  }

  void describe(std::initializer_list<Instruction*> all) {
    for (Instruction* each : all) {
      mergeAttributes(members_, *each);
      const auto merged = each->get<Attr::FrontendAttributes>();
      std::vector<FrontendAttribute> attributes(merged.begin(), merged.end());
      attributes.insert(attributes.begin(), {.name = "_collectives_group", .value = ""});
      std::ranges::sort(attributes, {}, &FrontendAttribute::name);
      each->set<Attr::FrontendAttributes>(attributes);
      each->erase(Attr::Metadata);
      if (each->opcode() == Opcode::Tuple) continue;
      if (const OpMetadata* metadata = members_[0]->get<Attr::Metadata>())
        each->set<Attr::Metadata>(metadata);
      if (const auto config = members_[0]->get<Attr::BackendConfig>(); !config.empty())
        each->set<Attr::BackendConfig>(config);
    }
  }

  void replaceMembers(Instruction& start, Instruction& done) {
    absl::flat_hash_map<const Instruction*, Instruction*> replacedBy;
    for (size_t k = 0; k < members_.size(); ++k) {
      Instruction& member = *members_[k];
      Instruction* element = elementOfTuple(&done, static_cast<int64_t>(k), member);
      if (const Sharding* sharding = member.get<Attr::Sharding>()) element->set<Attr::Sharding>(sharding);
      for (Instruction* before : member.get<Attr::ControlPredecessors>())
        addControlPredecessor(start, *before);
      computation_.replaceAllUses(&member, element);
      replacedBy[&member] = &done;
    }
    redirectControlPredecessors(computation_, replacedBy);
    for (Instruction* member : members_) member->erase(Attr::ControlPredecessors);
    computation_.removeAll(members_);
  }

  const std::vector<Instruction*>& members_;
  Computation& computation_;
  std::string_view thread_;
  std::vector<Instruction*> operands_;
  std::vector<Shape> results_;
};

}  // namespace

Result<bool> groupByKey(Module& module, PassContext& context, const GroupedCollectives& which) {
  TRY(const CallGraph graph, CallGraph::build(module));
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    if (context.cancelled()) return changed;
    // Not within groups that were made.
    if (!graph.runsInstructions(*computation)) continue;
    std::vector<Group> groups = groupsOf(*computation, context, which);
    for (const Group& group : groups) TRY_STATUS(requireIndependent(group));
    TRY_STATUS(requireAcyclic(groups));
    bool grouped = false;
    for (const Group& group : groups) {
      if (!context.mayChange(*group.members[0])) break;
      for (const Instruction* member : group.members)
        context.remark(*member, "grouped",
                       fmt::format("with {} others of key {}", group.members.size() - 1, group.key));
      GroupMaker(group).make();
      computation->reorder(postOrder(*computation));
      grouped = true;
    }
    changed |= grouped;
  }
  return changed;
}

}  // namespace hilo
