// What stands between a collective and its store, done behind the loop for all iterations at once: every
// value gets a new first dimension, one element an iteration. Private to this folder.
#pragma once

#include "core/compiler/passes/loops/body_copier.h"

namespace hilo {

// Can it be given one more dimension?
bool canFormatForAllIterations(const Instruction& formatting);

// The shape with a new major dimension in front.
Shape stackedShape(Shape shape, int64_t trips);

class StackedFormatting {
 public:
  // Instructions are made at the end of `outside`. `numbers` must outlive this.
  StackedFormatting(Computation& outside, int64_t trips, CopyNumbers& numbers)
      : outside_(outside), trips_(trips), plain_(outside, numbers), copies_(outside, numbers) {}

  // What stands for a value of the body: one array of all iterations' values, or one that they share.
  void setStacked(const Instruction* original, Instruction* value) { copies_.map(original, value); }
  void setShared(const Instruction* original, Instruction* value) { plain_.map(original, value); }

  // `isInvariant`: the same in every iteration. Operands must be known or constants.
  Status add(const Instruction& formatting, bool isInvariant);
  // A shared value is broadcast, once.
  Result<Instruction*> stacked(const Instruction* original);

 private:
  Result<Instruction*> shared(const Instruction* original);
  Instruction* broadcast(Instruction* value, Shape shape, std::span<const int64_t> dimensions);
  Status adjust(const Instruction& formatting, Instruction& copy);
  Status addBroadcast(const Instruction& formatting, bool isInvariant);
  Status addStore(const Instruction& store);

  Computation& outside_;
  const int64_t trips_;
  BodyCopier plain_, copies_;
};

}  // namespace hilo
