// Where the values of a module lie, as a dump's buffer assignment has it. Private to the room.
#pragma once

#include <absl/container/flat_hash_map.h>

#include "core/analysis/dataflow/dataflow_analysis.h"
#include "core/hlo/dump/buffer_assignment.h"
#include "core/runtime/program/program.h"

namespace hilo {

class DumpedBuffers {
 public:
  // Error kinds: those of DataflowAnalysis::run.
  static Result<DumpedBuffers> make(const Module& module, BufferAssignment assignment);

  // Of an array or a part of a tuple. Kind "unsupported-program": the assignment does not
  // say, or says several.
  Result<BufferSlice> sliceOf(const Instruction& instruction, const ShapeIndex& index) const;
  // Of every array in it, in order.
  Result<std::vector<BufferSlice>> slicesOf(const Instruction& instruction) const;

  const BufferAssignment& assignment() const { return assignment_; }

 private:
  DumpedBuffers(DataflowAnalysis dataflow, BufferAssignment assignment)
      : dataflow_(std::move(dataflow)), assignment_(std::move(assignment)) {}

  DataflowAnalysis dataflow_;
  BufferAssignment assignment_;
  absl::flat_hash_map<std::string, BufferSlice> sliceOf_;  // by "instruction{0,1}"
};

}  // namespace hilo
