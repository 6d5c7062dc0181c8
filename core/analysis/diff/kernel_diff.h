// The kernels of two optimised modules, matched: those of one kind, root and shapes are the same kernel,
// wherever they stand, whatever they are called and in whatever layouts. What is left is told apart by the
// class of its difference.
#pragma once

#include <string>
#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo {

// An instruction that is a kernel, a library's call or a copy by itself, where instructions run one by one.
bool isKernel(const Instruction& instruction);

struct TimedKernel {
  const Instruction* instruction = nullptr;
  double ns = 0;  // estimated, with the turns of the loops around it
};

// Fused: what one side has as a kernel of its own is part of a fusion of the other. Library: a library's call
// on one side, a kernel or another library's call on the other. Kind: the same root and shapes, as a fusion
// of another kind, or as no fusion. Operands: the same root and result from operands of other shapes. Only:
// nothing like it on the other side. Of those that match: None, or Layout where layouts differ.
enum class KernelDifference : uint8_t { None, Layout, Kind, Library, Operands, Fused, Only };
inline constexpr int kKernelDifferenceCount = 7;
// "none", "layout", "kind", "library", "operands", "fused", "only".
std::string_view kernelDifferenceName(KernelDifference difference);

struct KernelPair {
  TimedKernel before, after;  // the instruction of one of them is null where the other is alone
  KernelDifference difference = KernelDifference::Only;
};

struct KernelDiff {
  size_t kernelsBefore = 0, kernelsAfter = 0;
  double nsBefore = 0, nsAfter = 0;
  std::vector<KernelPair> matched;
  std::vector<KernelPair> differ;  // the longest first
  // Of the side that has more.
  double matchedShare() const;
};

// "fusion kInput reduce", "custom-call __cublas$gemm", "copy": what a kernel is, without its shapes. Of a
// fusion the root is what its root computes, seen through tuples and changes of form.
std::string kernelTitle(const Instruction& kernel);

// Linear in the numbers of kernels and of instructions in their bodies.
KernelDiff diffKernels(const std::vector<TimedKernel>& before, const std::vector<TimedKernel>& after);

}  // namespace hilo
