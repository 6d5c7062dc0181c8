// One kernel with its layouts, as it is printed.
#pragma once

#include <fmt/format.h>

#include <nlohmann/json_fwd.hpp>

#include "core/analysis/kernel_layouts/inference/inference_steps.h"
#include "core/workspace/kernels/inferred_kernel.h"

namespace hilo::cli {

inline constexpr size_t kMostListedSteps = 10'000;

class KernelListing {
 public:
  explicit KernelListing(const InferredKernel& inferred) : inferred_(inferred) {}

  const inference::KernelDescription& kernel() const { return inferred_.kernel; }
  const inference::KernelLayouts& layouts() const { return inferred_.layouts; }
  const inference::LayoutVariable& variable(inference::VariableId id) const {
    return layouts().derived.variables[id];
  }
  uint32_t line(inference::OpId op) const { return kernel().ops[op].line; }
  std::string lineOf(inference::OpId op) const {
    return line(op) == 0 ? "" : fmt::format("line {}: ", line(op));
  }
  std::string cause(const inference::SetLayout& set) const {
    return inference::causeText(kernel(), layouts(), set.cause);
  }
  std::vector<inference::ListedStep> steps() const { return inference::listedSteps(kernel(), layouts()); }
  Diagnostic whyNot() const { return inference::whyNoLayouts(kernel(), layouts()); }

 private:
  const InferredKernel& inferred_;
};

// What the solver set, tried and took back.
void printSteps(const KernelListing& listing);
// Layouts, copies and shared memory of a kernel whose layouts are found.
void print(const KernelListing& listing);
// The same, or why there are no layouts.
nlohmann::json jsonOf(const KernelListing& listing, bool withSteps);

}  // namespace hilo::cli
