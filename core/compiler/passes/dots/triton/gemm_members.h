// What a product's kernel of tiles may do besides the product: work element by element, broadcasts,
// transposes, slices and bitcasts that lead to its operands, and that follow its result. XLA's
// backends/gpu/transforms/gemm_fusion.cc with --xla_gpu_experimental_gemm_fusion_v2.
#pragma once

#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo {

// The dot and what goes into its kernel, users before their operands; the first is the kernel's result. Each
// side of the dot, and what follows it, reads at most four arrays.
std::vector<Instruction*> gemmMembers(Instruction& dot);

// Whether a kernel that computes `i` instead of reading it reads little more, or something nobody else reads.
bool isWorthComputing(const Instruction& i);

}  // namespace hilo
