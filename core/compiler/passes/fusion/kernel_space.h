// What a kernel goes over.
#pragma once

#include <optional>
#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo {

// Sizes, and of a reduction the dimensions it reduces.
struct KernelSpace {
  std::vector<int64_t> sizes, reduced;
  friend bool operator==(const KernelSpace&, const KernelSpace&) = default;
};

// Of a fusion or an instruction that is a kernel by itself. nullopt: one that writes into its operand, or
// gives a tuple by itself.
std::optional<KernelSpace> kernelSpace(const Instruction& kernel);

}  // namespace hilo
