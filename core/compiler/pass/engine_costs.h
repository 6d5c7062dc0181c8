// What an engine's kernels cost: the one model that fusing, splitting and sharing work among
// threads ask. In nanoseconds of one thread; rough, but good enough to tell a recomputed addition
// from a recomputed exponential.
#pragma once

#include "core/hlo/ir/instruction.h"

namespace hilo {

// From when on a reduction to one element is worth sharing among threads.
struct SharedReduction {
  int64_t fewestElements, shortestLine, fewestLines;
};

class EngineCosts {
 public:
  virtual ~EngineCosts() = default;

  // What a kernel of its own costs beside its work: the thunk, the call, the first touch of its result.
  virtual double kernelNs() const = 0;
  // One pass over the bytes of an array, read or written.
  virtual double memoryNs(Shape array) const = 0;
  // The work on one element of the result, its operands given. Of a reduction: for each element folded in.
  virtual double elementWorkNs(const Instruction& instruction) const = 0;
  // How many elements of operand `index` are computed when `evaluations` elements of the user are. Scalars do
  // not change inside the loop and count once.
  virtual double operandEvaluations(const Instruction& user, size_t index, double evaluations) const = 0;
  virtual SharedReduction sharedReduction() const = 0;
};

}  // namespace hilo
