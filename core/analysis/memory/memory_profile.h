// What a buffer plan means step by step: which bytes are in use when, what they hold at the peak or at any
// instruction, and how far the plan is from the least there could be. The same for XLA's plan and for Hilo's:
// the plan is any BufferAssignment, its values are found in the module by name. Plain data afterwards.
#pragma once

#include <string>
#include <vector>

#include "core/analysis/dataflow/value_live_ranges.h"
#include "core/hlo/dump/buffer_assignment.h"

namespace hilo {

// Sums of allocations, bytes: all but `host` of the device's memory.
struct MemoryTotals {
  int64_t parameters = 0;  // those the results are written over included
  int64_t constants = 0;
  int64_t outputs = 0;      // live out, and in no parameter
  int64_t temporaries = 0;  // the heaps
  int64_t threadLocal = 0;  // of computations that are applied; not in `total`
  int64_t total = 0;
  int64_t host = 0;  // in the host's memory, S(5)
};

struct PlacedValue {
  InstructionId instruction;
  ShapeIndex index;
  std::string name;  // "while.1{0}"
  LiveRange range;   // in steps of the sequence
  int64_t sizeBytes = 0;
  size_t allocation = 0;  // position in the plan
  int64_t offsetBytes = 0;
  uint32_t place = 0;  // values of one place share its bytes
};

struct MemoryProfile {
  MemoryTotals totals;
  std::vector<PlacedValue> values;  // by place, then by start; none of the host's memory
  std::vector<int64_t> placeBytes;  // by place
  std::vector<bool> placeIsFixed;   // parameters and constants: there from first to last
  // Bytes in use at each step: fixed places, and others with a live value. One more than
  // there are instructions.
  std::vector<int64_t> liveBytes;
  int64_t peakStep = 0;
  int64_t peakBytes = 0;  // the most in use at one step: no plan of this order can be smaller
  // Values of the plan that the module does not have.
  size_t unknownValues = 0;

  int64_t fragmentationBytes() const { return totals.total - peakBytes; }
};

// Finds a plan's values in the module: by the names of computation and instruction, and by the instruction's
// alone where the plan does not say more. Must not outlive the dataflow.
class PlanValues {
 public:
  explicit PlanValues(const DataflowAnalysis& dataflow);
  std::optional<ValueId> find(const LogicalBuffer& buffer) const;

 private:
  const DataflowAnalysis& dataflow_;
  absl::flat_hash_map<std::pair<std::string_view, ShapeIndex>, ValueId> lastOfName_;
  std::vector<ValueId> before_;  // by value: the one before of this name, in another computation
};

MemoryProfile profileMemory(const ValueLiveRanges& ranges, const BufferAssignment& plan);
MemoryProfile profileMemory(const ValueLiveRanges& ranges, const PlanValues& values,
                            const BufferAssignment& plan);

// Indices of the values live at a step, largest first; one for each place. `fixed` says whether parameters
// and constants are among them.
std::vector<size_t> liveSetAt(const MemoryProfile& profile, int64_t step, bool fixed = true);

enum class MemoryGrouping : uint8_t { Scope, Source, Opcode };
struct MemoryGroup {
  std::string name;  // of an op_name all but its last part; "file:line"; an opcode; "" where there is none
  int64_t bytes = 0;
  size_t values = 0;
};
// Largest first.
std::vector<MemoryGroup> groupValues(const MemoryProfile& profile, const Module& module,
                                     std::span<const size_t> values, MemoryGrouping grouping);

// Of all values of a plan the group each is in, groups counted by falling bytes times steps.
struct RankedGroups {
  std::vector<std::string> names;
  std::vector<uint32_t> of;  // by position in the profile: position in `names`
};
RankedGroups rankGroups(const MemoryProfile& profile, const Module& module, MemoryGrouping grouping);

// Values that must be one, and why.
struct AliasRow {
  std::string kind;           // "input-output", "loop", "branch", "in-place"
  std::string from;           // "p{0}"
  std::string to;             // "while.1{0}"
  InstructionId instruction;  // that makes them one; of "input-output" the entry's root
  int64_t bytes = 0;
};
// Arrays alone, largest first.
std::vector<AliasRow> mustAliases(const AliasAnalysis& aliases);

}  // namespace hilo
