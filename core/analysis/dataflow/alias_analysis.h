// Which values must share storage: the entry's aliased parameters and results, what a loop carries, what
// branches give back, and what is updated in place. Each group is a buffer. Matches XLA's hlo/analysis/
// hlo_alias_analysis.cc, on values in SSA form.
#pragma once

#include "core/analysis/backend.h"
#include "core/analysis/dataflow/dataflow_analysis.h"

namespace hilo {

using BufferId = TypedId<struct BufferTag>;

struct HloBuffer {
  BufferId id;
  absl::InlinedVector<ValueId, 2> values;  // by id
  bool livesOut = false;
};

class AliasAnalysis {
 public:
  // The module must outlive the analysis and stay as it is. Error kinds: those of DataflowAnalysis::run, and
  // "call-graph-not-flat": a loop's or branch's computation with several callers has no one place
  // for its values.
  static Result<AliasAnalysis> run(const Module& module, Backend backend = Backend::Cpu);

  const DataflowAnalysis& dataflow() const { return dataflow_; }
  Backend backend() const { return backend_; }
  std::span<const HloBuffer> buffers() const { return buffers_; }
  const HloBuffer& bufferOf(ValueId value) const { return buffers_[bufferOf_[value.value].value]; }
  // Buffers of all values at a position, each once, by id.
  std::vector<BufferId> buffersAt(const Instruction& instruction, const ShapeIndex& index = {}) const;
  // The one buffer there; CHECKs that it is one.
  const HloBuffer& uniqueBufferAt(const Instruction& instruction, const ShapeIndex& index = {}) const;

 private:
  Backend backend_ = Backend::Cpu;
  DataflowAnalysis dataflow_;
  std::vector<HloBuffer> buffers_;
  std::vector<BufferId> bufferOf_;  // by value id
};

}  // namespace hilo
