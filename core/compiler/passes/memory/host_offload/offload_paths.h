// Values on the host followed to where they end: back on the device, in work, among the program's results.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "core/compiler/pass/pass.h"
#include "core/compiler/passes/memory/host_offload/host_offloader.h"
#include "core/compiler/passes/memory/host_offload/value_walk.h"

namespace hilo {

// What the program takes and gives, with the memory each array lies in: the header's word, or the entry's.
struct EntryShapes {
  std::vector<Shape> parameters;
  Shape result;
};
EntryShapes entryShapes(const Module& module);

class OffloadPaths {
 public:
  OffloadPaths(Module& module, PassContext& context, ValueWalk walk, EntryShapes entry,
               const HostOffloadSettings& settings)
      : module_(module),
        context_(context),
        walk_(std::move(walk)),
        entry_(std::move(entry)),
        settings_(settings) {}

  const ValueWalk& walk() const { return walk_; }
  const EntryShapes& entry() const { return entry_; }

  // Puts the value at these positions, and all it goes through from there, on the host. `origin`: who moved
  // it there, for messages. Updates in place are only collected: where they lie is known when all is placed.
  Status follow(std::vector<ValuePosition> starts, const Instruction& origin);
  // The same of a buffer that is written on the host. A loop's condition must not compute with it.
  Status followBuffer(std::vector<ValuePosition> starts, const Instruction& origin);
  // Updates met so far, in that order.
  std::span<Instruction* const> updates() const { return updates_; }
  void addUpdate(Instruction& update);

  void place(const ValuePosition& at);
  // A copy on the host of what an instruction gives, right behind it; the same one each time. The value
  // itself where it is there.
  Instruction* copyToHost(Instruction& value);
  // Error kind "host-result-on-device" where the position is a result that the program has on the device.
  Status verifyResult(const ValuePosition& at, const Instruction& origin) const;
  // Marks it as work of the host and has its result there.
  Status computeOnHost(Instruction& i);

 private:
  enum class Step : uint8_t { Pass, Compute, End };
  struct Ends {
    std::vector<Instruction*> movesToHost, movesToDevice, slices;
  };
  Status followAll(std::vector<ValuePosition> starts, const Instruction& origin, bool isBuffer);
  Step stepAt(Instruction& i, Ends& ends) const;
  bool endsOnDevice(Instruction& slice) const;
  Status verifyCondition(const Instruction& i) const;
  void finish(const Ends& ends);

  Module& module_;
  PassContext& context_;
  ValueWalk walk_;
  EntryShapes entry_;
  HostOffloadSettings settings_;
  std::vector<Instruction*> updates_;
  absl::flat_hash_set<const Instruction*> seenUpdates_;
  absl::flat_hash_map<const Instruction*, Instruction*> copies_;
  absl::flat_hash_set<const Instruction*> arrivals_;  // copies in front of MoveToDevice
};

// What may stand between a value and the slice that is written with it or read of it: bytes as they are.
bool renamesBytes(const Instruction& i);
// Uses its operand instead of a call that gives its operand back, and drops the call.
void bypass(Instruction& call);
Place instructionPlace(const Instruction& i);

}  // namespace hilo
