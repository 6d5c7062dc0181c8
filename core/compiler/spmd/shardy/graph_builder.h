// Builds the value graph of a module (value_graph.h), each computation where it is called from.
#pragma once

#include "core/compiler/spmd/shardy/value_graph.h"

namespace hilo::sdy {

// One array as one place of the program sees it: several may be one value.
struct LeafRecord {
  ValueId value = 0;
  int uses = 0;
};
using LeafId = size_t;
using Leaves = std::vector<LeafId>;

size_t leafCount(Shape shape);

class GraphBuilder {
 public:
  GraphBuilder(const Module& module, const Statements& statements)
      : module_(module), statements_(statements) {}
  Result<ValueGraph> run();

 private:
  Status add(const Computation& computation);
  Status add(const Instruction& instruction);
  Status addWhile(const Instruction& loop);
  Status addConditional(const Instruction& conditional);
  Status addCall(const Instruction& call);
  void addOperation(const Instruction& instruction);
  void addBorder(const Instruction& call, const ManualBorder& border);
  void addBarrier(const Instruction& instruction);
  void addResults();
  Status enter(const Computation& callee, const Instruction& caller);
  void finishUses();

  Leaves operandLeaves(const Instruction& instruction, size_t operand) const {
    return leaves_.at(instruction.operand(operand));
  }
  LeafId makeLeaf(ValueId value) {
    records_.push_back({value, 0});
    return records_.size() - 1;
  }
  ValueId makeValue(const Instruction& owner, size_t leaf, Shape shape);
  Leaves makeLeaves(const Instruction& owner);
  void addEdge(const Instruction& instruction, const Leaves& sources, LeafId target);
  // The leaf of the operand that a loop hands through as it is, as the body sees it.
  LeafId openInLoop(const Instruction& loop, LeafId outer);
  bool passesThrough(const Instruction& loop, size_t leaf);
  std::pair<const Instruction*, size_t> origin(const Instruction* instruction, size_t leaf);

  const Module& module_;
  const Statements& statements_;
  ValueGraph graph_;
  std::vector<LeafRecord> records_;
  absl::flat_hash_map<const Instruction*, Leaves> leaves_;
  std::vector<Leaves> nodeLeaves_;  // operands of nodes, for counting uses
  absl::flat_hash_set<const Computation*> entered_;
  absl::flat_hash_map<std::pair<const Instruction*, size_t>, bool> passes_;
};

}  // namespace hilo::sdy
