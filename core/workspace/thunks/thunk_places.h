// Which instructions printed thunks come from, and where the values lie that these read and write.
#pragma once

#include "core/analysis/dataflow/dataflow_analysis.h"
#include "core/hlo/dump/thunk_sequence.h"
#include "core/workspace/thunks/instruction_buffers.h"
#include "core/workspace/thunks/thunk_study.h"

namespace hilo {

// What XLA calls the thunk of a custom call that calls a library: "kGemm" of "__cublas$gemm"; "" of another.
std::string_view libraryKindOf(std::string_view target);

class ThunkPlaces {
 public:
  explicit ThunkPlaces(const Module& module);

  // Of each of these thunks, which come of one computation in its order (null: not known of which), its
  // instructions; empty where it cannot be told. `call`: the one that all of them are for, where they are.
  std::vector<std::vector<const Instruction*>> instructionsOf(const std::vector<DumpedThunk>& thunks,
                                                              const Computation* computation,
                                                              const Instruction* call) const;
  // What the thunks of a group come of.
  struct Origin {
    // A loop's or a branch's, or the one around; null: not known of which.
    const Computation* computation = nullptr;
    // The one that all of them are for; null: of several.
    const Instruction* call = nullptr;
  };
  Origin originOf(const ThunkGroup& group, const std::vector<const Instruction*>& of,
                  const Computation* around) const;

 private:
  const Computation* computationOf(const ThunkGroup& group, const std::vector<const Instruction*>& of,
                                   const Computation* around) const;
  std::vector<const Instruction*> named(const DumpedThunk& thunk, const Computation* computation) const;

  absl::flat_hash_map<std::string, std::vector<const Instruction*>> named_;
};

// The values of a module in the allocations XLA's buffer assignment gave them.
// Bytes a thunk uses of which no values are known.
ThunkUse useOfSlice(const ThunkSlice& slice);

class AssignedValues {
 public:
  AssignedValues(const Module& module, const ModuleBuffers& buffers);
  // What an instruction reads and writes, arrays alone; empty where one of its values is not known.
  std::vector<ThunkUse> usesOf(const Instruction& instruction) const;
  // A slice that the thunk of `instruction` (null: not known) uses, with the value that lies there: of
  // several of the same bytes that of the instruction or an operand, else the first.
  ThunkUse useOf(const ThunkSlice& slice, const Instruction* instruction) const;

 private:
  bool add(const Instruction& instruction, bool writes, std::vector<ThunkUse>& uses) const;

  std::string nameOf(const ValueSlice& slice) const;

  const Module& module_;
  const ModuleBuffers& buffers_;
  // Positions of slices by the allocation's number, offset and size.
  absl::flat_hash_map<std::tuple<int64_t, int64_t, int64_t>, std::vector<size_t>> byBytes_;
  Result<DataflowAnalysis> dataflow_;
};

}  // namespace hilo
