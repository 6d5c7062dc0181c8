// Which of XLA's emitters makes a fusion's kernel, as backends/gpu/codegen and
// service/gpu/hlo_fusion_analysis.cc tell it from its results: a reduction, transpose or concatenation is
// what a kernel is about where only elementwise work on it lies between it and the result.
#pragma once

#include <absl/functional/function_ref.h>

#include <span>

#include "core/hlo/ir/module.h"

namespace hilo {

enum class KernelEmitter : uint8_t { Loop, Reduction, Transpose, Concatenate, Scatter };

// Of a kernel with these results, of instructions in row-major order; `holds` says which instructions are
// part of it. Linear in those between results and heroes.
KernelEmitter kernelEmitter(std::span<const Instruction* const> results,
                            absl::FunctionRef<bool(const Instruction&)> holds);
KernelEmitter kernelEmitter(const Computation& fused);

// Whether threads that share the elements of one result gain over one thread a result.
bool isSharedReduction(const Instruction& reduce);

}  // namespace hilo
