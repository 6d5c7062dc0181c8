// Which of XLA's emitters makes a fusion's kernel, as backends/gpu/codegen and
// service/gpu/hlo_fusion_analysis.cc tell it from its results: a reduction, transpose or concatenation is
// what a kernel is about where only elementwise work on it lies between it and the result.
#pragma once

#include <absl/functional/function_ref.h>

#include <optional>
#include <span>
#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo {

enum class KernelEmitter : uint8_t { Loop, Reduction, Transpose, Concatenate, Scatter };

// Of a kernel with these results, of instructions in row-major order; `holds` says which instructions are
// part of it. Linear in those between results and heroes.
KernelEmitter kernelEmitter(std::span<const Instruction* const> results,
                            absl::FunctionRef<bool(const Instruction&)> holds);
KernelEmitter kernelEmitter(const Computation& fused);

// The instruction that a kernel is about which gives `result`: the reduction, transpose or concatenation that
// only elementwise work lies behind, else the result itself.
const Instruction& kernelHero(const Instruction& result, absl::FunctionRef<bool(const Instruction&)> holds);

// A reduction of rows as {batch, kept, row}, of columns as {kept, reduced, columns}.
struct ReductionForm {
  bool isRow = false;
  int64_t sizes[3] = {1, 1, 1};
  friend bool operator==(const ReductionForm&, const ReductionForm&) = default;
};
// nullopt: neither what is reduced nor what is kept lies together.
std::optional<ReductionForm> reductionForm(const Instruction& reduce);

// Sizes and order of a transpose with neighbours that stay together made one.
struct TransposeForm {
  std::vector<int64_t> sizes, order;
  friend bool operator==(const TransposeForm&, const TransposeForm&) = default;
};
// nullopt: no transpose, or one that no tiles in shared memory help.
std::optional<TransposeForm> tiledTranspose(const Instruction& instruction);

// Whether threads that share the elements of one result gain over one thread a result.
bool isSharedReduction(const Instruction& reduce);

}  // namespace hilo
