// What ranks of an all-reduce in a tile program share, and where they meet: a kernel that shares an array
// writes down where it lies, and an all-gather tells all ranks where each one's lies. Addresses are those of
// one memory: ranks are of one process, or of one device.
//
// XLA's kernels wait for flags in each other's memory; here the all-gather has ranks wait between kernels, so
// that ranks that take turns on one device get on.
#pragma once

#include "core/analysis/tile_program/all_reduce_kernel.h"
#include "core/compiler/codegen/lower/lowering_context.h"

namespace hilo::tiles {

// The first buffers of a kernel that reads what was shared, of u64: all ranks' addresses, and its own.
inline constexpr int kAddressesBuffer = 0, kOwnAddressBuffer = 1;

class RankRendezvous {
 public:
  // `fusion`: what the thunks are of.
  RankRendezvous(const Instruction& fusion, const AllReduceKernel& kernel, LoweringContext& context);

  // Another array, as the all-reduce's operand, and where its address is written for the next rendezvous.
  LeafValues share();
  // Addresses and own address.
  LeafValues tables() const { return {addresses_, met_}; }
  // After the last kernel too: what was shared is read until then.
  void meet();

 private:
  const Instruction& fusion_;
  const Instruction& allReduce_;
  LoweringContext& context_;
  CollectivePlace collective_;
  LeafValue addresses_, own_, met_;  // own address to be told next, and told last
};

}  // namespace hilo::tiles
