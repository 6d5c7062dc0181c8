// One copy that changes the layout of an array on the host, moved to where the array comes back.
#pragma once

#include <absl/container/flat_hash_map.h>

#include "core/compiler/passes/memory/host_offload/value_walk.h"

namespace hilo {

// How an array on the host goes on from one position to the next where its layout is being followed.
enum class LayoutStep : uint8_t {
  Through,  // it is the same array, or the same array with a slice written over
  End,      // a slice of it is read, or it comes back to the device
  Blocked,  // anything else
};
LayoutStep layoutStepAt(const Instruction& from, const Instruction& to);

// What will change, found out before anything does.
class LayoutCopyMove {
 public:
  LayoutCopyMove(const ValueWalk& walk, Instruction& copy) : walk_(walk), copy_(copy) {}

  // "" where the copy can move; else why not.
  std::string plan();
  // As planned. The copy is gone afterwards.
  void make();

 private:
  struct End {
    Instruction* instruction;
    Layout layout;
  };
  std::string add(const ValuePosition& at, const Layout& layout, const Instruction& from);
  std::string addEnd(Instruction& end, const Layout& layout);
  bool isClosed() const;
  void bringBack(const End& end);
  void writeIn(Instruction& update, const Layout& layout);

  const ValueWalk& walk_;
  Instruction& copy_;
  std::vector<ValuePosition> order_;
  absl::flat_hash_map<ValuePosition, Layout> layouts_;
  std::vector<End> ends_;
};

// The MoveToDevice that a slice leads to, by uses of its own alone; null where there is none.
Instruction* moveToDeviceBehind(Instruction& slice);
// The MoveToHost that what an update writes comes from, by what nothing else uses; null where there is none.
Instruction* moveToHostBefore(Instruction& update);

}  // namespace hilo
