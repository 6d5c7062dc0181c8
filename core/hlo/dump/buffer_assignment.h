// Where the buffers of a compiled module lie: allocations, the values in each with offset and size, live
// ranges and the allocator's traces. Plain data; read from BufferAssignmentProto or from XLA's
// "-buffer-assignment.txt" (BufferAllocation::ToString and BufferAssignment::ToString in
// service/buffer_assignment.cc).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/ir/module.h"

namespace hilo {

namespace pb {
class BufferAssignmentProto;
}

// One value that needs memory: an instruction's output or a part of it.
struct LogicalBuffer {
  int64_t id = 0;
  int64_t sizeBytes = 0;
  std::string computation;  // "" when not known
  std::string instruction;
  std::vector<int64_t> shapeIndex;
  int64_t color = 0;  // memory space
  std::string shape;  // as XLA prints it; "" when not known
};

struct AssignedBuffer {
  int64_t bufferId = 0;  // of a LogicalBuffer
  int64_t offsetBytes = 0;
  int64_t sizeBytes = 0;
};

struct BufferAllocation {
  int64_t index = 0;
  int64_t sizeBytes = 0;
  int64_t color = 0;
  bool isThreadLocal = false;
  bool isTuple = false;
  bool isConstant = false;
  bool isEntryParameter = false;
  bool isPreallocatedTemp = false;
  bool maybeLiveOut = false;
  bool isParameterAliasedWithOutput = false;
  int64_t parameterNumber = -1;
  std::vector<int64_t> parameterShapeIndex;
  std::string parameterShape;  // text form only
  std::string outputShape;     // text form only: this allocation is returned
  std::vector<AssignedBuffer> assigned;
};

struct BufferAlias {
  int64_t sourceBufferId = 0;
  std::string instruction;
  std::vector<int64_t> shapeIndex;
};

struct HeapEvent {
  enum class Kind : uint8_t { Alloc, Free, ShareWith };
  Kind kind = Kind::Alloc;
  int64_t bufferId = 0;
  std::string computation;
  std::string instruction;
  int64_t sharedWithBufferId = 0;
};
struct HeapTrace {
  int64_t allocationIndex = 0;
  bool wholeModule = false;
  std::vector<HeapEvent> events;
};

// Positions in the sequence of instructions, both inclusive, as XLA prints them. Text form only.
struct BufferLiveRange {
  std::string instruction;
  std::vector<int64_t> shapeIndex;
  int64_t start = 0;
  int64_t end = 0;
};

struct BufferAssignment {
  std::vector<BufferAllocation> allocations;
  std::vector<LogicalBuffer> buffers;
  std::vector<BufferAlias> aliases;
  std::vector<HeapTrace> heapTraces;
  std::vector<std::vector<int64_t>>
      peakBuffers;                    // ids, by position of the allocation in `allocations`; or empty
  std::vector<std::string> sequence;  // text form only
  std::vector<BufferLiveRange> liveRanges;
  int64_t totalBytes = 0;

  const LogicalBuffer* buffer(int64_t id) const;  // nullptr when there is none; binary search
};

// `module` names the instructions where the proto has ids only; may be nullptr. Error kind:
// "bad-buffer-assignment" for a negative offset or size.
Result<BufferAssignment> readBufferAssignment(const pb::BufferAssignmentProto& proto, const Module* module);

// Error kinds: "not-a-buffer-assignment", "bad-buffer-assignment" with the line.
Result<BufferAssignment> parseBufferAssignment(std::string_view text, const std::string& file = {});

}  // namespace hilo
