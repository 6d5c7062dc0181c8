// Layouts that follow from another one: of what a reduction leaves, of the same elements under other sizes.
// The nodes are those of jax/experimental/mosaic/gpu/constraints.py; each has one operand there too, so that
// an expression is a variable or a constant and the steps from it.
#pragma once

#include <expected>
#include <optional>
#include <vector>

#include "core/analysis/kernel_layouts/inference/layout_constant.h"

namespace hilo::inference {

using VariableId = uint32_t;

// Of an array of `rank` dimensions, those of `axes` (ascending) are folded; kept with size 1 or gone.
struct ReduceStep {
  Sizes axes;
  int64_t rank = 0;
  bool keepsDimensions = false;
  bool operator==(const ReduceStep&) const = default;
};

struct ReshapeStep {
  Sizes from, to;  // of as many elements
  bool operator==(const ReshapeStep&) const = default;
};

// Dimension i of the result is dimension permutation[i].
struct TransposeStep {
  Sizes permutation;
  bool operator==(const TransposeStep&) const = default;
};

// groups[i] neighbouring dimensions of `from` become dimension i of the result; groups are positive, and
// together the rank of `from`.
struct CollapseStep {
  Sizes from, groups;
  bool operator==(const CollapseStep&) const = default;
};

using LayoutStep = std::variant<ReduceStep, ReshapeStep, TransposeStep, CollapseStep>;

struct LayoutExpression {
  std::variant<VariableId, LayoutConstant> leaf;
  std::vector<LayoutStep> steps;  // the one next to the leaf first

  LayoutExpression(VariableId variable) : leaf(variable) {}
  LayoutExpression(LayoutConstant constant) : leaf(std::move(constant)) {}
  LayoutExpression then(LayoutStep step) const;

  // The variable, or the constant, that it is alone; nothing where there is a step, or the other is there.
  std::optional<VariableId> variable() const;
  const LayoutConstant* constant() const;
  // The variable it depends on.
  std::optional<VariableId> unknown() const;
  bool operator==(const LayoutExpression&) const = default;
};

// Why a step has no result: nothing known says how (Stuck), or there is none (Impossible).
enum class NoLayout : uint8_t { Stuck, Impossible };
std::expected<LayoutConstant, NoLayout> applied(const LayoutStep& step, const LayoutConstant& constant);

// "kernel-inference" when axes are not ascending, a permutation is none, or groups do not make the rank.
Status checkStep(const LayoutStep& step);

// Steps are done as far as the leaf is known; false when one of them is impossible.
bool reduceExpression(LayoutExpression& expression);

std::string toString(const LayoutStep& step, const std::string& of);

}  // namespace hilo::inference
