#include "core/analysis/grouping/grouping.h"

#include <algorithm>

#include "core/analysis/grouping/grouping_division.h"
#include "core/analysis/grouping/grouping_names.h"
#include "core/base/check.h"

namespace hilo {
namespace {

// Of a computation's own tree: a scope, before it becomes a node.
struct ScopeTree {
  struct Scope {
    uint32_t parent = 0;
    std::string_view name;
    absl::flat_hash_map<std::string_view, uint32_t> byName;
    std::vector<uint32_t> order;  // items in the order met: scopes as index, instructions as ~index
    uint32_t instructionCount = 0;
  };
  std::vector<Scope> scopes = std::vector<Scope>(1);

  uint32_t child(uint32_t scope, std::string_view name) {
    if (const auto found = scopes[scope].byName.find(name); found != scopes[scope].byName.end())
      return found->second;
    const auto made = static_cast<uint32_t>(scopes.size());
    scopes[scope].byName.emplace(name, made);
    scopes[scope].order.push_back(made);
    scopes.push_back({scope, name, {}, {}, 0});
    return made;
  }

  uint32_t commonScope(uint32_t a, uint32_t b) const {
    auto depth = [&](uint32_t scope) {
      uint32_t depth = 0;
      for (; scope != 0; scope = scopes[scope].parent) ++depth;
      return depth;
    };
    uint32_t depthA = depth(a), depthB = depth(b);
    for (; depthA > depthB; --depthA) a = scopes[a].parent;
    for (; depthB > depthA; --depthB) b = scopes[b].parent;
    while (a != b) {
      a = scopes[a].parent;
      b = scopes[b].parent;
    }
    return a;
  }
};

// op_names nest only so deep in real programs; a hostile one must not nest without end.
constexpr size_t kMaxScopeDepth = 64;

uint64_t mix(uint64_t a, uint64_t b) {
  // The finaliser of MurmurHash3 over the sum: every bit of both counts.
  uint64_t x = a * 0x9e3779b97f4a7c15u + b + 0x165667b19e3779f9u;
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdu;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53u;
  return x ^ (x >> 33);
}

uint64_t hashText(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

bool operandsAreParameters(const Instruction& caller) {
  return caller.opcode() == Opcode::Fusion || caller.opcode() == Opcode::Call ||
         caller.opcode() == Opcode::AsyncStart;
}

}  // namespace

bool isMargin(GroupKind kind) {
  return kind == GroupKind::Parameters || kind == GroupKind::Results || kind == GroupKind::Unused;
}

std::vector<std::string_view> opNameParts(std::string_view opName) {
  std::vector<std::string_view> parts;
  int depth = 0;
  size_t start = 0;
  size_t at = 0;
  for (; at < opName.size(); ++at) {
    const char c = opName[at];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if ((c == ')' || c == ']' || c == '}') && depth > 0) --depth;
    if (c == ';' && depth == 0) break;
    if (c != '/' || depth > 0) continue;
    if (at > start) parts.push_back(opName.substr(start, at - start));
    start = at + 1;
  }
  if (at > start) parts.push_back(opName.substr(start, at - start));
  return parts;
}

bool Grouping::isCaller(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::Fusion:
    case Opcode::Call:
    case Opcode::While:
    case Opcode::Conditional:
    case Opcode::AsyncStart:
    case Opcode::CustomCall:
    case Opcode::Opaque:
      return !instruction.calledComputations().empty();
    default:
      return false;
  }
}

// Makes the nodes and edges of one computation shown in one place.
class GroupBuilder {
 public:
  GroupBuilder(Grouping& grouping, const Computation& computation, GroupId home, const CancelToken& cancel)
      : grouping_(grouping),
        computation_(computation),
        home_(home),
        homeKey_(grouping.nodes_[home].key),
        cancel_(cancel) {}

  // False when stopped midway: what is made so far is of no use.
  bool run() {
    for (Instruction* instruction : computation_.instructions()) instructions_.push_back(instruction);
    ids_ = idsOf(computation_);
    index_.assign(ids_.size(), kNone);
    for (uint32_t i = 0; i < instructions_.size(); ++i) index_[instructions_[i]->id().value - ids_.first] = i;
    findApart();
    if (!splitIntoScopes()) return false;
    nodeOf_.assign(instructions_.size(), kNoGroup);
    makeRoom();
    std::vector<GroupId> children = makeChildren(0, home_);
    if (cancel_.cancelled()) return false;
    addTo(home_, std::move(children));
    GroupNode& home = grouping_.nodes_[home_];
    home.instructionCount += static_cast<uint32_t>(instructions_.size());
    home.expanded = true;
    if (!addEdges()) return false;
    for (uint32_t& at : index_) at = at == kNone ? kNoGroup : nodeOf_[at];
    grouping_.nodesIn_.insert_or_assign(home_, Grouping::InstructionNodes{ids_, std::move(index_)});
    grouping_.shownIn_.try_emplace(&computation_, home_);
    return true;
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  uint32_t indexOf(const Instruction& instruction) const {
    const uint32_t id = instruction.id().value;
    return ids_.contains(id) ? index_[id - ids_.first] : kNone;
  }

  // For a computation that is most of what is shown; little by little it would be moved again and again.
  void makeRoom() {
    const size_t nodes = grouping_.nodes_.size() + instructions_.size();
    if (nodes < 2 * grouping_.nodes_.size()) return;
    grouping_.nodes_.reserve(nodes);
    grouping_.byKey_.reserve(nodes);
  }

  // Of a training step there are hundreds of results, one for each parameter that it updates.
  void findApart() {
    isApart_.assign(instructions_.size(), false);
    for (uint32_t i = 0; i < instructions_.size(); ++i) {
      const Instruction& instruction = *instructions_[i];
      if (instruction.isRoot() || Grouping::isCaller(instruction)) continue;
      if (instruction.opcode() == Opcode::Parameter) {
        parameters_.push_back(i);
      } else if (std::ranges::all_of(instruction.users(), &Instruction::isRoot) && !isInScope(instruction)) {
        (instruction.users().empty() ? unused_ : results_).push_back(i);
      }
    }
    for (std::vector<uint32_t>* members : {&parameters_, &results_, &unused_}) {
      if (members->size() < grouping_.options_.minParameters) members->clear();
      for (uint32_t i : *members) isApart_[i] = true;
    }
  }

  bool isInScope(const Instruction& instruction) const {
    return grouping_.options_.mode == GroupingMode::ByScope && opNameParts(instruction.opName()).size() > 1;
  }

  bool stops(size_t i) const { return i % 1024 == 0 && cancel_.cancelled(); }

  bool splitIntoScopes() {
    const size_t count = instructions_.size();
    std::vector<uint32_t> scopeOf(count, 0);
    if (grouping_.options_.mode == GroupingMode::ByScope) {
      // Users come later in the list, so those without a name of their own find their users' scopes known.
      for (size_t i = count; i-- > 0;) {
        if (stops(i)) return false;
        scopeOf[i] = scopeFor(i, scopeOf);
      }
      scopeOf = renumberInListOrder(scopeOf);
    }
    for (uint32_t i = 0; i < count; ++i) {
      if (isApart_[i]) continue;
      tree_.scopes[scopeOf[i]].order.push_back(~i);
    }
    for (uint32_t i = 0; i < count; ++i) {
      if (isApart_[i]) continue;
      for (uint32_t scope = scopeOf[i];; scope = tree_.scopes[scope].parent) {
        ++tree_.scopes[scope].instructionCount;
        if (scope == 0) break;
      }
    }
    return true;
  }

  uint32_t scopeFor(size_t i, const std::vector<uint32_t>& scopeOf) {
    const Instruction& instruction = *instructions_[i];
    if (instruction.opcode() == Opcode::Parameter || instruction.isRoot()) return 0;
    std::vector<std::string_view> parts = opNameParts(instruction.opName());
    if (parts.size() > 1) {
      // Neighbours mostly share their scope, and with it the front of their names.
      const std::string_view front = instruction.opName().substr(
          0, static_cast<size_t>(parts.back().data() - instruction.opName().data()));
      if (front == lastFront_) return lastScope_;
      parts.pop_back();
      if (parts.size() > kMaxScopeDepth) parts.resize(kMaxScopeDepth);
      uint32_t scope = 0;
      for (std::string_view part : parts) scope = tree_.child(scope, part);
      lastFront_ = front;
      return lastScope_ = scope;
    }
    std::optional<uint32_t> common;
    for (const Instruction* user : instruction.users()) {
      const uint32_t known = indexOf(*user);
      if (known == kNone) continue;
      const uint32_t scope = scopeOf[known];
      common = common ? tree_.commonScope(*common, scope) : scope;
    }
    return common.value_or(0);
  }

  // Scopes were met from the last instruction to the first; puts them into the order of their first.
  std::vector<uint32_t> renumberInListOrder(const std::vector<uint32_t>& scopeOf) {
    ScopeTree ordered;
    std::vector<uint32_t> newOf(tree_.scopes.size(), UINT32_MAX);
    newOf[0] = 0;
    std::vector<uint32_t> path;
    std::vector<uint32_t> result(scopeOf.size());
    for (size_t i = 0; i < scopeOf.size(); ++i) {
      uint32_t scope = scopeOf[i];
      for (path.clear(); newOf[scope] == UINT32_MAX; scope = tree_.scopes[scope].parent)
        path.push_back(scope);
      for (size_t k = path.size(); k-- > 0;) {
        newOf[path[k]] = ordered.child(newOf[tree_.scopes[path[k]].parent], tree_.scopes[path[k]].name);
      }
      result[i] = newOf[scopeOf[i]];
    }
    tree_ = std::move(ordered);
    return result;
  }

  GroupId addNode(GroupNode node) {
    const auto id = static_cast<GroupId>(grouping_.nodes_.size());
    grouping_.byKey_.emplace(node.key, id);
    grouping_.nodes_.push_back(std::move(node));
    return id;
  }

  GroupId addInstruction(uint32_t i, GroupId parent) {
    const Instruction& instruction = *instructions_[i];
    GroupNode node;
    node.kind = GroupKind::Instruction;
    node.group = Grouping::isCaller(instruction);
    node.parent = parent;
    node.key = mix(homeKey_, instruction.id().value);
    node.instruction = &instruction;
    node.computation = &computation_;
    node.instructionCount = 1;
    return nodeOf_[i] = addNode(std::move(node));
  }

  GroupId addScope(GroupKind kind, GroupId parent, uint64_t key, std::string label,
                   uint32_t instructionCount) {
    GroupNode node;
    node.kind = kind;
    node.group = true;
    node.parent = parent;
    node.key = key;
    node.computation = &computation_;
    node.label = std::move(label);
    node.instructionCount = instructionCount;
    node.expanded = true;
    return addNode(std::move(node));
  }

  // The nodes for what is in a scope, under `parent`.
  std::vector<GroupId> makeChildren(uint32_t scope, GroupId parent) {
    std::vector<GroupId> children;
    if (scope == 0) {
      auto add = [&](GroupKind kind, const char* label, const std::vector<uint32_t>& members) {
        if (!members.empty()) children.push_back(makeApart(kind, label, members, parent));
      };
      add(GroupKind::Parameters, "parameters", parameters_);
      add(GroupKind::Results, "results", results_);
      add(GroupKind::Unused, "unused", unused_);
    }
    for (uint32_t item : tree_.scopes[scope].order) {
      const bool isScope = item < tree_.scopes.size();
      children.push_back(isScope ? makeScope(item, parent) : addInstruction(~item, parent));
    }
    return children;
  }

  GroupId makeApart(GroupKind kind, const char* label, const std::vector<uint32_t>& members, GroupId parent) {
    const GroupId group =
        addScope(kind, parent, mix(homeKey_, hashText(label)), label, static_cast<uint32_t>(members.size()));
    std::vector<GroupId> children;
    for (uint32_t i : members) children.push_back(addInstruction(i, group));
    addTo(group, std::move(children));
    return group;
  }

  GroupId makeScope(uint32_t scope, GroupId parent) {
    std::string label(tree_.scopes[scope].name);
    uint64_t key = mix(grouping_.nodes_[parent].key, hashText(label));
    // A scope that holds one scope and nothing else is shown as one: "encoder/layer_0".
    while (tree_.scopes[scope].order.size() == 1 && tree_.scopes[scope].order[0] < tree_.scopes.size()) {
      scope = tree_.scopes[scope].order[0];
      label += '/';
      label += tree_.scopes[scope].name;
      key = mix(key, hashText(tree_.scopes[scope].name));
    }
    const GroupId group =
        addScope(GroupKind::Scope, parent, key, std::move(label), tree_.scopes[scope].instructionCount);
    addTo(group, makeChildren(scope, group));
    return group;
  }

  // Of too many children, the instructions are divided. Groups have names that say more than a page would:
  // they stay, unless they are too many themselves.
  void addTo(GroupId parent, std::vector<GroupId> children) {
    gatherNames(parent, children);
    const auto isGroup = [&](GroupId id) { return grouping_.nodes_[id].kind != GroupKind::Instruction; };
    const auto groups = static_cast<size_t>(std::ranges::count_if(children, isGroup));
    auto& list = grouping_.nodes_[parent].children;
    if (groups <= grouping_.options_.pageSize) {
      const auto loose = std::stable_partition(children.begin(), children.end(), isGroup);
      list.assign(children.begin(), loose);
      children.erase(children.begin(), loose);
    }
    std::vector<const Instruction*> instructions;
    for (GroupId id : children)
      instructions.push_back(isGroup(id) ? nullptr : grouping_.nodes_[id].instruction);
    std::vector<ListPart> parts = divideList(instructions, grouping_.options_.pageSize);
    const auto isPage = [](const ListPart& part) { return part.kind == GroupKind::Page; };
    if (!parts.empty() && std::ranges::all_of(parts, isPage)) {
      sortByPart(instructions, children);
      parts = divideList(instructions, grouping_.options_.pageSize);
    }
    addParts(parent, parts, children);
  }

  // What belongs together comes together, so that pages and repeats are of whole parts.
  static void sortByPart(std::vector<const Instruction*>& instructions, std::vector<GroupId>& ids) {
    std::vector<const Instruction*> sorted;
    std::vector<GroupId> sortedIds;
    for (const uint32_t at : orderByPart(instructions)) {
      sorted.push_back(instructions[at]);
      sortedIds.push_back(ids[at]);
    }
    instructions = std::move(sorted);
    ids = std::move(sortedIds);
  }

  // Puts scopes among `children` whose names begin alike into groups, where there are many.
  void gatherNames(GroupId parent, std::vector<GroupId>& children) {
    std::vector<std::string_view> names;
    std::vector<GroupId> scopes;
    for (GroupId id : children) {
      if (grouping_.nodes_[id].kind != GroupKind::Scope) continue;
      names.push_back(grouping_.nodes_[id].label);
      scopes.push_back(id);
    }
    const std::vector<NamePart> parts = divideNames(names);
    if (parts.empty()) return;
    std::erase_if(children, [&](GroupId id) { return grouping_.nodes_[id].kind == GroupKind::Scope; });
    for (const NamePart& part : parts) children.push_back(addNames(parent, part, scopes));
  }

  GroupId addNames(GroupId parent, const NamePart& part, std::span<const GroupId> scopes) {
    if (part.parts.empty()) {
      grouping_.nodes_[scopes[part.name]].parent = parent;
      return scopes[part.name];
    }
    const uint64_t key = mix(grouping_.nodes_[parent].key, mix(hashText("names"), hashText(part.label)));
    const GroupId group = addScope(GroupKind::Names, parent, key, part.label, 0);
    for (const NamePart& below : part.parts) {
      const GroupId child = addNames(group, below, scopes);
      grouping_.nodes_[group].children.push_back(child);
      grouping_.nodes_[group].instructionCount += grouping_.nodes_[child].instructionCount;
    }
    return group;
  }

  void addParts(GroupId parent, const std::vector<ListPart>& parts, std::span<const GroupId> items) {
    for (size_t i = 0; i < parts.size(); ++i) {
      const ListPart& part = parts[i];
      if (part.kind == GroupKind::Instruction) {
        for (uint32_t k = part.begin; k < part.end; ++k) {
          grouping_.nodes_[items[k]].parent = parent;
          grouping_.nodes_[parent].children.push_back(items[k]);
        }
        continue;
      }
      uint32_t count = 0;
      for (uint32_t k = part.begin; k < part.end; ++k) count += grouping_.nodes_[items[k]].instructionCount;
      const uint64_t key = mix(grouping_.nodes_[parent].key, mix(hashText("part"), i));
      const GroupId group = addScope(part.kind, parent, key, part.label, count);
      grouping_.nodes_[parent].children.push_back(group);
      addParts(group, part.parts, items);
    }
  }

  bool addEdges() {
    for (uint32_t i = 0; i < instructions_.size(); ++i) {
      if (stops(i)) return false;
      const Instruction& user = *instructions_[i];
      for (uint32_t k = 0; k < user.operandCount(); ++k) {
        const uint32_t from = indexOf(*user.operand(k));
        if (from == kNone) continue;
        grouping_.edges_.push_back(
            {nodeOf_[from], nodeOf_[i], GroupEdgeKind::Data, k, user.operand(k)->shape().byteSize()});
      }
      for (const Instruction* before : user.get<Attr::ControlPredecessors>()) {
        const uint32_t from = indexOf(*before);
        if (from == kNone) continue;
        grouping_.edges_.push_back({nodeOf_[from], nodeOf_[i], GroupEdgeKind::Control, 0, 0});
      }
    }
    return true;
  }

  Grouping& grouping_;
  const Computation& computation_;
  const GroupId home_;
  const uint64_t homeKey_;
  const CancelToken& cancel_;
  std::vector<const Instruction*> instructions_;
  IdRange ids_;
  std::vector<uint32_t> index_;  // in instructions_, by place among ids_
  ScopeTree tree_;
  std::string_view lastFront_;  // of the op_name that lay in lastScope_
  uint32_t lastScope_ = 0;
  std::vector<GroupId> nodeOf_;
  // Instructions that stand in groups of their own under the computation; empty when there are few.
  std::vector<uint32_t> parameters_;
  std::vector<uint32_t> results_;
  std::vector<uint32_t> unused_;
  std::vector<bool> isApart_;  // in one of these
};

Grouping::Grouping(std::shared_ptr<const Module> module, GroupingOptions options, const CancelToken& cancel)
    : module_(std::move(module)), options_(options) {
  const Computation* entry = module_->entry();
  if (entry == nullptr) return;
  for (const Computation* computation : module_->computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      if (!isCaller(*instruction)) continue;
      for (const Computation* called : instruction->calledComputations())
        callers_.try_emplace(called, instruction);
    }
  }
  GroupNode root;
  root.kind = GroupKind::Computation;
  root.group = true;
  root.key = mix(hashText("entry"), entry->id().value);
  root.computation = entry;
  root.label = entry->name();
  byKey_.emplace(root.key, 0);
  nodes_.push_back(std::move(root));
  if (GroupBuilder(*this, *entry, 0, cancel).run()) return;
  cancelled_ = true;
  nodes_.clear();
  edges_.clear();
  byKey_.clear();
}

bool Grouping::expand(GroupId id, const CancelToken& cancel) {
  if (nodes_[id].expanded || !nodes_[id].group) return true;
  CHECK(nodes_[id].instruction != nullptr, "only callers are made without their children");
  const auto called = nodes_[id].instruction->calledComputations();
  nodes_[id].expanded = true;
  // Broken modules call in a circle: what is inside itself stays empty.
  for (GroupId at = id; at != kNoGroup; at = nodes_[at].parent) {
    if (std::ranges::find(called, nodes_[at].computation) != called.end()) return true;
  }
  const size_t nodeCount = nodes_.size(), edgeCount = edges_.size();
  if (called.size() == 1) {
    if (GroupBuilder(*this, *called[0], id, cancel).run()) return true;
    takeBack(id, nodeCount, edgeCount);
    return false;
  }
  for (uint32_t i = 0; i < called.size(); ++i) {
    GroupNode node;
    node.kind = GroupKind::Computation;
    node.group = true;
    node.parent = id;
    node.key = mix(mix(nodes_[id].key, i), called[i]->id().value);
    node.computation = called[i];
    node.label = called[i]->name();
    const auto child = static_cast<GroupId>(nodes_.size());
    byKey_.emplace(node.key, child);
    nodes_.push_back(std::move(node));
    nodes_[id].children.push_back(child);
    if (GroupBuilder(*this, *called[i], child, cancel).run()) continue;
    takeBack(id, nodeCount, edgeCount);
    return false;
  }
  return true;
}

// As if the caller had not been expanded.
void Grouping::takeBack(GroupId home, size_t nodeCount, size_t edgeCount) {
  for (size_t id = nodeCount; id < nodes_.size(); ++id) {
    if (const auto known = byKey_.find(nodes_[id].key); known != byKey_.end() && known->second == id)
      byKey_.erase(known);
    nodesIn_.erase(static_cast<GroupId>(id));
  }
  nodesIn_.erase(home);
  absl::erase_if(shownIn_, [&](const auto& item) { return item.second == home || item.second >= nodeCount; });
  nodes_.erase(nodes_.begin() + static_cast<ptrdiff_t>(nodeCount), nodes_.end());
  edges_.erase(edges_.begin() + static_cast<ptrdiff_t>(edgeCount), edges_.end());
  nodes_[home].children.clear();
  nodes_[home].expanded = false;
  nodes_[home].instructionCount = 1;
}

GroupId Grouping::find(const Instruction& instruction, const CancelToken& cancel) {
  // The callers on the way, innermost first; a hostile module may call in a circle.
  std::vector<const Instruction*> way;
  const Computation* computation = &instruction.parent();
  while (!shownIn_.contains(computation)) {
    const auto caller = callers_.find(computation);
    if (caller == callers_.end() || way.size() > callers_.size()) return kNoGroup;
    way.push_back(caller->second);
    computation = &caller->second->parent();
  }
  for (size_t i = way.size(); i-- > 0;) {
    if (!expand(nodesIn_.at(shownIn_.at(&way[i]->parent())).at(way[i]), cancel)) return kNoGroup;
  }
  return findMade(instruction);
}

GroupId Grouping::findMade(const Instruction& instruction) const {
  const Instruction* at = &instruction;
  for (size_t steps = 0; steps <= callers_.size(); ++steps) {
    if (const auto home = shownIn_.find(&at->parent()); home != shownIn_.end())
      return nodesIn_.at(home->second).at(at);
    const auto caller = callers_.find(&at->parent());
    if (caller == callers_.end()) return kNoGroup;
    at = caller->second;
  }
  return kNoGroup;
}

GroupId Grouping::findKey(uint64_t key) const {
  const auto found = byKey_.find(key);
  return found == byKey_.end() ? kNoGroup : found->second;
}

// Those a caller shows, in the order it calls them; empty when it is not expanded.
std::vector<Grouping::Inside> Grouping::computationsInside(GroupId caller) const {
  const GroupNode& node = nodes_[caller];
  if (node.instruction == nullptr || !node.expanded) return {};
  const auto called = node.instruction->calledComputations();
  if (called.size() == 1 && nodesIn_.contains(caller)) return {{caller, called[0]}};
  std::vector<Inside> inside;
  for (GroupId child : node.children) {
    if (nodes_[child].kind == GroupKind::Computation && nodesIn_.contains(child))
      inside.push_back({child, nodes_[child].computation});
  }
  return inside;
}

std::vector<GroupId> Grouping::parametersInside(GroupId caller, uint32_t operand) const {
  std::vector<Inside> inside = computationsInside(caller);
  if (inside.empty()) return {};
  const Opcode opcode = nodes_[caller].instruction->opcode();
  uint32_t parameter = 0;
  if (opcode == Opcode::Conditional) {
    // Operand 0 chooses; each branch has one of the others.
    if (operand == 0 || operand > inside.size()) return {};
    inside = {inside[operand - 1]};
  } else if (opcode == Opcode::While) {
    if (operand != 0) return {};
  } else if (operandsAreParameters(*nodes_[caller].instruction)) {
    parameter = operand;
  } else {
    return {};
  }
  std::vector<GroupId> found;
  for (const auto& [home, computation] : inside) {
    const auto parameters = computation->parameters();
    if (parameter < parameters.size() && parameters[parameter] != nullptr)
      found.push_back(nodesIn_.at(home).at(parameters[parameter]));
  }
  return found;
}

std::vector<GroupId> Grouping::rootsInside(GroupId caller) const {
  std::vector<Inside> inside = computationsInside(caller);
  if (inside.empty()) return {};
  const Instruction& instruction = *nodes_[caller].instruction;
  if (instruction.opcode() == Opcode::While) {
    const Computation* body = instruction.get<Attr::Body>();
    std::erase_if(inside, [&](const Inside& at) { return at.computation != body; });
  } else if (instruction.opcode() != Opcode::Conditional && !operandsAreParameters(instruction)) {
    return {};
  }
  std::vector<GroupId> found;
  for (const auto& [home, computation] : inside) {
    if (computation->root() != nullptr) found.push_back(nodesIn_.at(home).at(computation->root()));
  }
  return found;
}

}  // namespace hilo
