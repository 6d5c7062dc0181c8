// Where every value of a module is made, goes to and is used. The answer to "what is in this tuple element?"
// without running anything: each part of each instruction's shape has a set of values. Behaves like XLA's
// hlo/analysis/hlo_dataflow_analysis.cc.
//
// Rules: tuple, get-tuple-element, domain, opt-barrier and add-dependency pass values on; so does bitcast
// unless bitcastDefinesValue. copy makes a new top level only. Starts of asynchronous operations pass their
// operands on beside what they make; dones take it out. Calls, loops, branches and asynchronous wrappers pass
// values into parameters and out of roots. Where control flow joins, ssaForm gives a phi of its own; without
// it the set has several values. Computations applied to elements, and fused ones, have parameters that are
// values of theirs.
#pragma once

#include <memory>
#include <vector>

#include "core/analysis/call_graph.h"
#include "core/analysis/dataflow/hlo_value.h"

namespace hilo {

struct DataflowOptions {
  bool ssaForm = false;
  bool bitcastDefinesValue = false;
  bool propagateThroughCalls = true;
  // Only computations of these threads are looked at; empty: all. The main thread is "main".
  std::vector<std::string> executionThreads;
};

class DataflowAnalysis {
 public:
  // The module must outlive the analysis and stay as it is. Error kinds: those of CallGraph::build and
  // requireWellFormed, "both-contexts" (a computation both called and applied), "mixed-callers" (without
  // propagateThroughCalls: called by a call and by other control flow), "inconsistent-shapes" (the verifier
  // says where in detail), "module-too-large" (over kMaxPositions parts of shapes).
  static Result<DataflowAnalysis> run(const Module& module, const DataflowOptions& options = {});
  static constexpr size_t kMaxPositions = size_t{1} << 27;

  const Module& module() const { return *module_; }
  const CallGraph& callGraph() const { return callGraph_; }
  const DataflowOptions& options() const { return options_; }

  // All values, by id; ids count from 0 with no gaps.
  std::span<const HloValue> values() const { return values_; }
  const HloValue& value(ValueId id) const { return values_[id.value]; }

  // The values that may be at a part of an instruction's shape. The index must be one the shape has.
  std::span<const ValueId> valuesAt(const Instruction& instruction, const ShapeIndex& index = {}) const;
  // Of every part in pre-order, beginning with the whole.
  std::span<const ValueSet> valueSetsOf(const Instruction& instruction) const;
  const SubshapeTable& subshapes(const Instruction& instruction) const;
  // All values anywhere in an instruction's result, each once, by id.
  std::vector<ValueId> flattenedValues(const Instruction& instruction) const;

  bool isDefinedAt(const Instruction& instruction, const ShapeIndex& index = {}) const;
  // The one value there; CHECKs that it is one.
  const HloValue& uniqueValueAt(const Instruction& instruction, const ShapeIndex& index = {}) const;

 private:
  friend class DataflowBuilder;
  const Module* module_ = nullptr;
  DataflowOptions options_;
  CallGraph callGraph_;
  std::vector<HloValue> values_;
  std::vector<ValueSet> sets_;                // of all parts of all instructions
  std::vector<uint32_t> firstSet_;            // by instruction id
  std::vector<const SubshapeTable*> tables_;  // by instruction id
  std::unique_ptr<SubshapeTables> tableStorage_;
};

}  // namespace hilo
