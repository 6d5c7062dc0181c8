// How many bytes are live while instructions are scheduled one after the other, and how many more or fewer
// the next would make it. Behaves like BufferInfoTracker, MemoryPressureTracker and ModulePressureState of
// XLA's latency_hiding_scheduler.cc: only buffers in the default memory space count, the entry's parameters
// do not, and computations applied to elements are left out.
#pragma once

#include <functional>
#include <vector>

#include "core/analysis/dataflow/alias_analysis.h"
#include "core/analysis/id_range.h"

namespace hilo {

// What is known of each buffer before scheduling, from the order the module has.
class BufferInfoTracker {
 public:
  struct Info {
    int64_t bytes = 0;
    const Instruction* firstDefinition = nullptr;
    const Instruction* lastUse = nullptr;
    int32_t frame = -1;  // the calls around the first definition
    bool defaultMemorySpace = true;
  };
  // `shapeBytes` may be null: arrays as they are, tuples as tables of pointers.
  BufferInfoTracker(const Module& module, const AliasAnalysis& alias,
                    const std::function<int64_t(Shape)>& shapeBytes);

  const Info& info(BufferId id) const { return infos_[id.value]; }
  // Is `instruction` one of the calls around the buffer's first definition?
  bool definedWithin(BufferId id, const Instruction& instruction) const;

 private:
  struct Frame {
    const Instruction* call;
    int32_t outer;
  };
  void walk(const Computation& computation, int32_t frame, int depth);
  void noteParts(const Instruction& instruction, int32_t frame);

  const AliasAnalysis& alias_;
  std::vector<Info> infos_;
  std::vector<Frame> frames_;
  std::vector<bool> visited_;  // by computation id
};

struct MemoryPressureState {
  int64_t peakBytes = 0;               // above what is live outside the computation
  std::vector<BufferId> liveAtBottom;  // when the computation is called
};
using PressureStates = absl::flat_hash_map<const Computation*, MemoryPressureState>;

class MemoryPressureTracker {
 public:
  // The arguments must outlive the tracker; `states` is read as it grows.
  MemoryPressureTracker(const Computation& computation, const AliasAnalysis& alias,
                        const BufferInfoTracker& buffers, const PressureStates& states, bool topDown);
  void reset(std::span<const BufferId> initiallyLive);

  struct Change {
    int64_t increase = 0;  // bytes more (or fewer) once it is scheduled
    int64_t peak = 0;      // bytes more while it runs
  };
  Change changeOf(const Instruction& instruction) const;
  void update(const Instruction& instruction);

  int64_t usageBytes() const { return live_ + initial_; }
  const MemoryPressureState& state() const { return state_; }
  std::vector<BufferId> liveBuffers() const;

 private:
  struct Span {
    uint32_t start = 0, allocated = 0, released = 0;
  };
  struct Output {
    BufferId buffer;
    bool top;  // the whole, not a part within
  };
  uint32_t indexOf(const Instruction& instruction) const {
    return indexOf_[instruction.id().value - ids_.first];
  }
  std::span<const Output> outputsOf(const Instruction& instruction) const;
  void findOutputs(const Computation& computation);
  void addAllocations(const Instruction& instruction);
  void addReleases(const Instruction& instruction);
  bool defines(const Instruction& instruction, BufferId buffer) const;
  bool lastUses(const Instruction& instruction, BufferId buffer) const;
  int64_t calledPeak(const Instruction& instruction) const;
  void touch(BufferId buffer);
  bool isLive(uint32_t slot) const { return placeOfSlot_[slot] != kDead; }
  void makeLive(uint32_t slot);
  void makeDead(uint32_t slot);
  int64_t bytesOf(uint32_t slot) const { return buffers_.info(bufferOfSlot_[slot]).bytes; }
  static constexpr uint32_t kDead = UINT32_MAX;

  const AliasAnalysis& alias_;
  const BufferInfoTracker& buffers_;
  const PressureStates& states_;
  const bool topDown_;
  IdRange ids_;
  std::vector<uint32_t> indexOf_;  // by place among ids_
  std::vector<Output> outputs_;
  std::vector<uint32_t> firstOutput_;
  // The buffers this computation touches have slots, for there may be many computations with
  // few buffers each.
  absl::flat_hash_map<uint32_t, uint32_t> slotOf_;  // by buffer id
  std::vector<BufferId> bufferOfSlot_;
  std::vector<uint32_t> touched_;  // slots: allocated, then released, of each instruction
  std::vector<Span> spans_;
  std::vector<uint32_t> liveSlots_;
  std::vector<uint32_t> placeOfSlot_;  // in liveSlots_; kDead: none
  std::vector<BufferId> liveAround_;   // live from the start to the end, without slots
  int64_t live_ = 0;
  int64_t initial_ = 0;
  MemoryPressureState state_;
};

class ModulePressureState {
 public:
  // The arguments must outlive this; `topDown`: walk from the parameters.
  ModulePressureState(const Module& module, const AliasAnalysis& alias, bool topDown,
                      const std::function<int64_t(Shape)>& shapeBytes = nullptr);
  // From the order the module has now.
  void compute();
  const BufferInfoTracker& buffers() const { return buffers_; }
  const PressureStates& states() const { return states_; }
  bool isTracked(const Computation& computation) const { return states_.contains(&computation); }
  const MemoryPressureState& state(const Computation& computation) const { return states_.at(&computation); }
  // Made once for a computation, whatever its order is. Whoever asks resets it.
  MemoryPressureTracker& tracker(const Computation& computation);
  void update(const Computation& computation, MemoryPressureState state);
  int64_t peakBytes() const;

 private:
  void walk(const Computation& computation, std::span<const BufferId> live, int depth);

  const Module& module_;
  const AliasAnalysis& alias_;
  BufferInfoTracker buffers_;
  PressureStates states_;
  absl::flat_hash_map<const Computation*, std::unique_ptr<MemoryPressureTracker>> trackers_;
  bool topDown_;
};

// Computations that run when the instruction does and whose buffers count: not fused ones, not those
// applied to elements.
absl::InlinedVector<const Computation*, 2> calledForMemory(const Instruction& instruction);

}  // namespace hilo
