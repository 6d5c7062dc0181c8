#include "core/hlo/dump/plan_sums.h"

#include <functional>

namespace hilo {
namespace {

using SizeOf = std::function<int64_t(const LogicalBuffer&)>;

bool isIndefinite(const BufferAllocation& a) {
  return a.isThreadLocal || a.isEntryParameter || a.isConstant || a.maybeLiveOut;
}

// Plays the events of all traces in turn.
class Playback {
 public:
  Playback(const BufferAssignment& plan, const SizeOf& sizeOf) : plan_(plan), sizeOf_(sizeOf) {}

  int64_t peak() {
    holdFixed();
    int64_t most = 0;
    for (const HeapTrace& trace : plan_.heapTraces) {
      for (const HeapEvent& event : trace.events) {
        play(event);
        most = std::max(most, live_);
      }
    }
    return fixed_ + most;
  }

 private:
  int64_t sizeOf(int64_t id) const {
    const LogicalBuffer* buffer = plan_.buffer(id);
    return buffer == nullptr ? 0 : sizeOf_(*buffer);
  }

  void holdFixed() {
    for (const BufferAllocation& allocation : plan_.allocations) {
      if (allocation.isThreadLocal || !isIndefinite(allocation)) continue;
      int64_t largest = 0;
      for (const AssignedBuffer& assigned : allocation.assigned) {
        largest = std::max(largest, sizeOf(assigned.bufferId));
        isFixed_.insert(assigned.bufferId);
      }
      fixed_ += largest;
    }
  }

  void hold(int64_t id) {
    if (!isFixed_.contains(id) && users_[id]++ == 0) live_ += sizeOf(id);
  }

  void play(const HeapEvent& event) {
    if (event.kind == HeapEvent::Kind::Alloc) {
      standsFor_[event.bufferId] = event.bufferId;
      hold(event.bufferId);
    } else if (event.kind == HeapEvent::Kind::ShareWith) {
      const auto found = standsFor_.find(event.sharedWithBufferId);
      const bool isNew = found == standsFor_.end();
      const int64_t shared = isNew ? event.sharedWithBufferId : found->second;
      if (isNew) standsFor_[shared] = shared;  // never allocated, and there from now on
      hold(shared);
      standsFor_[event.bufferId] = shared;
    } else if (const auto found = standsFor_.find(event.bufferId); found != standsFor_.end()) {
      const int64_t id = found->second;
      if (!isFixed_.contains(id) && users_[id] > 0 && --users_[id] == 0) live_ -= sizeOf(id);
    }
  }

  const BufferAssignment& plan_;
  const SizeOf& sizeOf_;
  absl::flat_hash_set<int64_t> isFixed_;
  absl::flat_hash_map<int64_t, int64_t> standsFor_;  // the value it shares with, itself when none
  absl::flat_hash_map<int64_t, int64_t> users_;
  int64_t fixed_ = 0, live_ = 0;
};

int64_t sum(const BufferAssignment& plan, int64_t color,
            const std::function<bool(const BufferAllocation&)>& counts) {
  int64_t bytes = 0;
  for (const BufferAllocation& allocation : plan.allocations) {
    if (allocation.color == color && counts(allocation)) bytes += allocation.sizeBytes;
  }
  return bytes;
}

}  // namespace

PeakBytes peakBytes(const BufferAssignment& plan, const Module* module) {
  const SizeOf padded = [](const LogicalBuffer& buffer) { return buffer.sizeBytes; };
  PeakBytes peak{.padded = Playback(plan, padded).peak()};
  if (module == nullptr) return {peak.padded, peak.padded};
  const std::vector<int64_t> sizes = unpaddedBytes(plan, *module);
  const SizeOf unpadded = [&](const LogicalBuffer& buffer) {
    const int64_t size = sizes[static_cast<size_t>(&buffer - plan.buffers.data())];
    return size < 0 ? buffer.sizeBytes : size;
  };
  peak.unpadded = Playback(plan, unpadded).peak();
  return peak;
}

std::vector<int64_t> unpaddedBytes(const BufferAssignment& plan, const Module& module) {
  std::vector<int64_t> sizes;
  for (const LogicalBuffer& buffer : plan.buffers) {
    const Instruction* instruction = module.findInstruction(buffer.instruction);
    Shape shape = instruction == nullptr ? Shape() : instruction->shape();
    bool known = instruction != nullptr;
    for (const int64_t i : buffer.shapeIndex) {
      known = known && shape.isTuple() && i >= 0 && i < static_cast<int64_t>(shape.tupleShapes().size());
      if (known) shape = shape.tupleShapes()[static_cast<size_t>(i)];
    }
    sizes.push_back(known && shape.isArray() ? shape.byteSize() : -1);
  }
  return sizes;
}

int64_t allocatedBytes(const BufferAssignment& plan, int64_t color) {
  return sum(plan, color, [](const BufferAllocation&) { return true; });
}

int64_t indefiniteBytes(const BufferAssignment& plan, int64_t color) {
  return sum(plan, color, isIndefinite);
}

}  // namespace hilo
