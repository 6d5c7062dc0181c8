// How a kernel is launched, read off its description.
#pragma once

#include "core/compiler/codegen/warpgroup/warpgroup_kernel.h"

namespace hilo::warpgroup {

struct LaunchForm {
  std::string name = "kernel";
  std::vector<inference::ValueId> arrays;  // global memory, in the order of the entry's parameters
  Extents grid = {1, 1, 1}, block = {128, 1, 1}, cluster = {1, 1, 1};
  int64_t sharedBytes = 0;  // what the launch says, or as far as arrays in shared memory reach
};

// "kernel-lowering": sizes that are not known, threads that make no whole warpgroups, two launches, shared
// memory that the launch does not give.
Result<LaunchForm> launchFormOf(const inference::KernelDescription& kernel);

// "kernel-lowering" at the operation's line.
std::unexpected<Diagnostic> refuse(const inference::KernelOp& op, const std::string& what);

// The number a value always is, through casts of constants.
std::optional<int64_t> constantOf(const inference::KernelDescription& kernel, inference::ValueId value);

// Bytes of an element in memory: 8 of a barrier, a whole byte of i1. Nothing for those that share a byte.
std::optional<int64_t> elementBytesOf(const inference::KernelType& type);

}  // namespace hilo::warpgroup
