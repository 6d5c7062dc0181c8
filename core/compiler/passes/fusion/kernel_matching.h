// Which kernels may become one kernel of several results, as XLA's service/gpu/gpu_fusible.cc says: they go
// over the same elements in the same way, and one kernel has room for both.
#pragma once

#include "core/compiler/passes/fusion/kernel_emitter.h"

namespace hilo {

// A fusion or an instruction that is a kernel by itself, with what decides about merging it.
struct KernelFacts {
  const Instruction* hero = nullptr;  // of the result that binds it most; in a fusion one of its body
  std::optional<ReductionForm> reduction;
  std::optional<TransposeForm> transpose;
  int64_t elements = 0;  // that it goes over
  int64_t sharedBytes = 0;
  int64_t reductions = 0;  // each done by threads together
  int64_t results = 1;
  bool writesInPlace = false;
  bool givesArrays = true;  // none of its results is a tuple, as of a reduction of several arrays
};
KernelFacts kernelFacts(const Instruction& kernel);

// Whether a kernel of several results may hold it as other than its producer.
bool mayBeResult(const Instruction& kernel, const KernelFacts& facts);
// As the producer, whose value its user and others need.
bool mayBeProducer(const Instruction& kernel, const KernelFacts& facts);

// They go over the same elements in the same way.
bool goTogether(const KernelFacts& one, const KernelFacts& other);
// Registers, shared memory and parameters of one kernel hold both.
bool fitOneKernel(const Instruction& one, const KernelFacts& factsOfOne, const Instruction& other,
                  const KernelFacts& factsOfOther);

// Shared memory that a kernel uses for this instruction, done by threads together.
int64_t sharedBytesOf(const Instruction& instruction);
inline constexpr int64_t kMostSharedBytes = 48 * 1024, kMostReductions = 8;
inline constexpr size_t kMostKernelArguments = 96;  // operands and results

}  // namespace hilo
