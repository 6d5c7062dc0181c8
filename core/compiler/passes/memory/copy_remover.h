// Takes copies out again where source and destination can share a buffer: each buffer's values stand in the
// order in which they are written, and a copy may go when the two lists can be joined around it with every
// value over before the next is written. Behaves like XLA's service/copy_removal.cc without its region
// analysis: what that proves by looking into regions of several computations at once stays a copy here.
#pragma once

#include <deque>
#include <string>

#include "core/analysis/dataflow/alias_analysis.h"
#include "core/analysis/dataflow/value_order.h"

namespace hilo {

class CopyRemover {
 public:
  // Both must outlive this. What has an id from `firstNew` on was added, and reasons name it by
  // what it copies.
  CopyRemover(const AliasAnalysis& aliases, ValueOrder& order, uint32_t firstNew);

  // "" when the copy can go: the lists are joined then, and the caller replaces its uses by its operand. Else
  // why it must stay.
  std::string tryElide(const Instruction& copy);

 private:
  struct Node {
    ValueId value;
    std::vector<HloUse> uses;
    Node* previous = nullptr;  // the list is circular
    Node* next = nullptr;
    bool isHead = false;
  };
  struct Ends {
    Node* source;
    Node* destination;
  };

  void numberInstructions(const Computation& computation);
  void makeList(const HloBuffer& buffer);
  Node* before(const Node* node) const { return node->isHead ? nullptr : node->previous; }
  Node* after(const Node* node) const { return node->next->isHead ? nullptr : node->next; }
  bool isTail(const Node* node) const { return node->next->isHead; }
  std::string nameOf(const Instruction& instruction) const;
  std::string valueName(const Node& node) const;

  std::string elideFirstDestination(Ends ends);
  std::string elideLastSource(Ends ends);
  std::string elideWithinOneBuffer(Ends ends);
  std::string whyNotBefore(Node* sources, Node* destinations);
  std::string whyNotBefore(const Node& a, const Node& b);
  void splice(Node* list, Node* after);
  void removeNode(Node* copy, Node* operand);

  const DataflowAnalysis& dataflow_;
  ValueOrder& order_;
  const uint32_t firstNew_;
  std::deque<Node> nodes_;
  std::vector<Node*> nodeOf_;                // by value id
  std::vector<uint32_t> instructionNumber_;  // by instruction id, 0: not numbered yet
  uint32_t nextNumber_ = 1;
  absl::flat_hash_map<const Instruction*, Ends> copies_;
};

}  // namespace hilo
