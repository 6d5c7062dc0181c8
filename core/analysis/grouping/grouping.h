// How a module is folded into groups for the graph: computations inside the instructions that call them, and
// inside a computation either its instructions as they are or the scopes of their op_names. What a caller
// holds is made when it is first asked for, so a large module costs only what has been looked into.
//
// Not thread-safe; a grouping belongs to one thread. The module must not change while it lives.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/id_range.h"
#include "core/base/cancel.h"
#include "core/hlo/ir/module.h"

namespace hilo {

enum class GroupingMode : uint8_t { ByComputation, ByScope };

enum class GroupKind : uint8_t {
  Computation,  // the entry, or one of several computations of a caller
  Instruction,  // a caller is a group, all others are not
  Scope,        // instructions that share the front of their op_name
  Names,        // scopes of one scope whose names begin alike, where there are many
  Parameters,   // a computation's parameters, when there are many
  Results,      // instructions outside all scopes that only the root uses, when there are many
  Unused,       // instructions outside all scopes that nothing uses, when there are many
  Repeats,      // a run of instructions in list order, in which about the same is written several times
  Repeat,       // one of these times
  Page,         // a run of instructions in list order, where a group would hold too many
};

using GroupId = uint32_t;  // index into Grouping::nodes()
inline constexpr GroupId kNoGroup = UINT32_MAX;

struct GroupNode {
  GroupKind kind = GroupKind::Instruction;
  bool group = false;
  GroupId parent = kNoGroup;
  // The same for the same path through the same module text, in every run: for scenes and bookmarks.
  uint64_t key = 0;
  const Instruction* instruction = nullptr;  // of Instruction
  const Computation* computation = nullptr;  // of Computation: what it shows; else where it is in
  std::string label;                         // of a scope: the part of the op_name below its parent's
  uint32_t instructionCount = 0;             // in it, called computations not counted; 1 for a leaf
  std::vector<GroupId> children;             // in list order; of a caller empty until expand()
  bool expanded = false;                     // children are made
};

enum class GroupEdgeKind : uint8_t { Data, Control };

// From the instruction that makes a value to one that uses it, both in one computation.
struct GroupEdge {
  GroupId from = kNoGroup;  // nodes of kind Instruction
  GroupId to = kNoGroup;
  GroupEdgeKind kind = GroupEdgeKind::Data;
  uint32_t operand = 0;
  int64_t bytes = 0;  // of the value
};

struct GroupingOptions {
  GroupingMode mode = GroupingMode::ByScope;
  uint32_t pageSize = 200;      // a group of more children than twice this is cut into pages
  uint32_t minParameters = 12;  // fewer parameters, results or unused stand by themselves
};

class Grouping {
 public:
  // When `cancel` asks to stop, the grouping is empty and wasCancelled().
  explicit Grouping(std::shared_ptr<const Module> module, GroupingOptions options = {},
                    const CancelToken& cancel = CancelToken());
  bool wasCancelled() const { return cancelled_; }

  const Module& module() const { return *module_; }
  const std::shared_ptr<const Module>& sharedModule() const { return module_; }
  GroupingMode mode() const { return options_.mode; }
  // The entry computation, which is node 0. kNoGroup in a module without one.
  GroupId root() const { return nodes_.empty() ? kNoGroup : 0; }
  const GroupNode& node(GroupId id) const { return nodes_[id]; }
  size_t nodeCount() const { return nodes_.size(); }
  // Every edge between instructions of the computations made so far.
  std::span<const GroupEdge> edges() const { return edges_; }

  // Makes a caller's children; none where it would show a computation within itself. References to nodes and
  // edges are void after it. False when `cancel` asked to stop; the grouping is then as before.
  bool expand(GroupId id, const CancelToken& cancel = CancelToken());
  // The node of an instruction, making the callers on the way from the entry; kNoGroup when no way leads
  // there (its computation is not called, or only by an instruction that is no group, such as a reduce), or
  // when `cancel` asked to stop.
  GroupId find(const Instruction& instruction, const CancelToken& cancel = CancelToken());
  // The same without making anything: the instruction's node, or the innermost made caller that holds it.
  GroupId findMade(const Instruction& instruction) const;
  // The one with this key among the nodes made so far.
  GroupId findKey(uint64_t key) const;
  // Where an operand's value comes in below a caller: the parameter of a fusion, call or async-start, that of
  // both computations of a while, that of the branch of a conditional. Empty when it is not expanded, or is
  // another kind of caller, or the operand comes in nowhere (a predicate).
  std::vector<GroupId> parametersInside(GroupId caller, uint32_t operand) const;
  // What a caller's value is below it: the root of what it calls, of a while's body, of each branch.
  std::vector<GroupId> rootsInside(GroupId caller) const;

  // Whether instructions of this opcode are groups of what they call: not those that only carry a scalar
  // function, such as reduce and sort.
  static bool isCaller(const Instruction& instruction);

 private:
  friend class GroupBuilder;
  struct Inside {
    GroupId home;
    const Computation* computation;
  };
  std::vector<Inside> computationsInside(GroupId caller) const;
  void takeBack(GroupId home, size_t nodeCount, size_t edgeCount);

  std::shared_ptr<const Module> module_;
  GroupingOptions options_;
  bool cancelled_ = false;
  std::vector<GroupNode> nodes_;
  std::vector<GroupEdge> edges_;
  absl::flat_hash_map<uint64_t, GroupId> byKey_;
  // The first instruction in the module that is a group of each computation.
  absl::flat_hash_map<const Computation*, const Instruction*> callers_;
  // The group each computation was first shown in.
  absl::flat_hash_map<const Computation*, GroupId> shownIn_;
  // Nodes of the instructions of each computation shown, by the group it is shown in.
  struct InstructionNodes {
    IdRange ids;
    std::vector<GroupId> nodes;  // by place among ids
    GroupId at(const Instruction* instruction) const { return nodes[instruction->id().value - ids.first]; }
  };
  absl::flat_hash_map<GroupId, InstructionNodes> nodesIn_;
};

// Whether a group holds parameters, results or unused instructions: the edge of a computation, not its work.
bool isMargin(GroupKind kind);

// The parts of an op_name: cut at each '/' outside brackets; of several names separated by ';' the first.
std::vector<std::string_view> opNameParts(std::string_view opName);

}  // namespace hilo
