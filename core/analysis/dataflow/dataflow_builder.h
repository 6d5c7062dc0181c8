// Builds a DataflowAnalysis: first every part of every shape gets the values its instruction defines, then
// values are passed on until nothing changes, then phis that were not needed go. Private to this folder.
#pragma once

#include <queue>

#include "core/analysis/dataflow/dataflow_analysis.h"
#include "core/analysis/dataflow/phi_graph.h"

namespace hilo {

class DataflowBuilder {
 public:
  DataflowBuilder(const Module& module, const DataflowOptions& options);
  Result<DataflowAnalysis> build();

 private:
  // A run of ordinals: a part of an instruction's shape and all within it.
  struct Part {
    const Instruction* instruction;
    uint32_t ordinal;
  };

  bool included(const Computation& computation) const;
  bool includedAsync(const Instruction& link) const;

  // Setting up.
  Status layOut();
  void defineValues(const Instruction& instruction);
  bool definesPart(const Instruction& instruction, const SubshapeTable::Part& part) const;
  bool parameterDefines(const Computation& computation) const;
  ValueId newValue(const Instruction& instruction, uint32_t ordinal, bool isPhi);
  void orderInstructions(const Computation& computation);

  // Passing on. Each says whether the instruction's sets changed.
  void propagate();
  bool update(const Instruction& instruction);
  bool updateStart(const Instruction& start);
  bool updateCollectivePermuteStart(const Instruction& start);
  bool updateAsync(const Instruction& link);
  bool updateAsyncResult(const Instruction& link);
  bool updateParameter(const Instruction& parameter);
  bool join(const Instruction& into, std::span<const Instruction* const> inputs, bool phi);
  bool joinPart(const Instruction& into, uint32_t ordinal, ValueSet inputs, bool phi);
  bool forward(Part to, Part from);
  bool forwardLeaves(Part to, Part from);
  Part at(const Instruction& instruction, std::initializer_list<int64_t> index = {});
  const Instruction* nextQueued();
  void enqueue(const Instruction& instruction);
  void enqueueUsers(const Instruction& instruction);
  void enqueueCallers(const Computation& computation);

  // Finishing.
  void replacePhis();
  void compactValues();
  void collectPositionsAndUses();

  ValueSet& setOf(Part part) {
    return result_.sets_[result_.firstSet_[part.instruction->id().value] + part.ordinal];
  }
  const SubshapeTable& tableOf(const Instruction& instruction) const {
    return *result_.tables_[instruction.id().value];
  }

  const Module& module_;
  DataflowAnalysis result_;
  struct Definition {
    const Instruction* instruction;
    uint32_t ordinal;
    bool isPhi;
  };
  std::vector<Definition> definitions_;  // by value id
  PhiGraph phis_;
  static constexpr uint32_t kNoPlace = UINT32_MAX;
  std::vector<const Instruction*> inOrder_;
  std::vector<uint32_t> placeOf_;  // in inOrder_, by instruction id
  uint32_t swept_ = 0;             // places taken for the first time
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> again_;  // places below swept_
  std::vector<bool> queued_;                                                    // by instruction id
  const Instruction* inconsistent_ = nullptr;
};

}  // namespace hilo
