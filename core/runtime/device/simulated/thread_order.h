// Private to the room: what orders threads of a grid, by PTX's memory model: barriers, operations of warps,
// fences around accesses that others see (strong ones, atomics), barriers in memory. Such events
// count the time.
//
// A thread that read what another published is taken to know it after its next barrier, or its next fence:
// one of the block alone for what its own block published.
#pragma once

#include "core/runtime/device/simulated/grid.h"
#include "core/runtime/device/simulated/knowledge.h"

namespace hilo {

class ThreadOrderings {
 public:
  explicit ThreadOrderings(Grid& grid) : grid_(grid) {}

  void beginBlock(SimBlock& block);
  // All lanes of `lanes` met; `mask`: whom they named. Those of all who ended are taken to be before.
  void warpMet(Warp& warp, uint32_t lanes, uint32_t mask);
  void barrierMet(SimBlock& block, const BlockBarrier& barrier);
  void fence(Lane& lane, bool isForBlock);
  // A strong access: what others see, or what the lane sees of them.
  void publish(Lane& lane, const void* address);
  void see(Lane& lane, const void* address);
  // Barriers in memory and of clusters: fence and access at once.
  void release(Lane& lane, const void* object);
  void acquire(Lane& lane, const void* object);

  // Whether what the mark of this launch says is before what the lane does now. `floor`: all before it is.
  bool isBefore(const AccessMark& mark, const Lane& lane, uint32_t floor) const;

 private:
  ThreadOrder& of(Lane& lane);
  Knowledge allThat(const Lane& lane) const;
  void take(ThreadOrder& order, bool ofBlockAlone = false);
  void letKnow(SimBlock& block, const Knowledge& known);

  Grid& grid_;
  absl::flat_hash_map<const void*, Published> published_;
};

uint32_t numberOf(const Lane& lane);

}  // namespace hilo
