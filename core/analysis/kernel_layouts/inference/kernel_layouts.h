// Layouts of all arrays of a kernel in registers, shared and tensor memory, each with what set it; or the
// constraints that cannot hold together.
#pragma once

#include "core/analysis/kernel_layouts/inference/derivation.h"
#include "core/analysis/kernel_layouts/inference/layout_conflict.h"

namespace hilo::inference {

struct KernelLayouts {
  DerivedConstraints derived;
  SearchOutcome outcome;    // layouts of all variables when found
  LayoutConflict conflict;  // of an outcome that is Unsatisfiable

  bool isFound() const { return outcome.kind == SearchOutcome::Kind::Found; }
  // Of the operands, results or arguments that have one, by their number.
  std::vector<std::pair<ValueSite, LayoutConstant>> layoutsOf(OpId op, ValueSite::Kind kind) const;
};

// "kernel-inference" at the line of an operation that has no rule, or that its rule does not support. That
// constraints cannot hold together, that fuel ended or that it was cancelled is an outcome.
Result<KernelLayouts> inferLayouts(const KernelDescription& kernel, const SearchLimits& limits = {});

// "%x of arith.addf equals WGMMA": a constraint with the names of its variables.
std::string toString(const LayoutConstraint& constraint, const std::vector<LayoutVariable>& variables);

// Why there are no layouts, with the constraints of the conflict as notes: "kernel-layout-conflict",
// "kernel-layout-fuel" or "cancelled". The outcome is not Found.
Diagnostic whyNoLayouts(const KernelDescription& kernel, const KernelLayouts& layouts);

}  // namespace hilo::inference
