// Short forms of layouts and systems for the tests of constraints.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "core/analysis/kernel_layouts/inference/constraint_system.h"
#include "core/analysis/kernel_layouts/layout_families.h"

namespace hilo::inference {

inline TiledLayout tiledFamily(std::string_view name) {
  return std::ranges::find(namedLayouts(), name, &NamedLayout::name)->layout;
}
inline LayoutConstant family(std::string_view name) { return RegisterLayout(tiledFamily(name)); }
inline LayoutConstant splat(Sizes shape) { return RegisterLayout(SplatLayout{std::move(shape)}); }
inline LayoutConstant strided(Sizes shape, int64_t vector) {
  return RegisterLayout(StridedLayout{std::move(shape), vector});
}
inline LayoutConstant shared(Sizes tile, int64_t swizzle) {
  return SharedTransforms{std::move(tile), swizzle};
}
inline LayoutConstant tensor(TiledLayout layout) { return TensorLayout{std::move(layout)}; }

// Variables of one shape in registers.
inline std::vector<LayoutVariable> inRegisters(size_t count, const Sizes& shape, int64_t bits = 32) {
  std::vector<LayoutVariable> variables;
  for (size_t i = 0; i < count; ++i)
    variables.push_back({.name = "v" + std::to_string(i),
                         .shape = shape,
                         .elementBits = bits,
                         .strides = {},
                         .usualInTensor = {}});
  return variables;
}

inline ConstraintSystem systemOf(const std::vector<LayoutVariable>& variables,
                                 std::vector<LayoutConstraint> constraints) {
  return {.variables = &variables, .known = {}, .constraints = std::move(constraints)};
}

inline bool isRefuted(ConstraintSystem& system) {
  InferenceTrace trace;
  return reduceSystem(system, trace).has_value();
}

inline bool says(const std::vector<LayoutConstraint>& found, const std::vector<LayoutConstraint>& wanted) {
  return std::ranges::equal(found, wanted, [](const auto& a, const auto& b) { return a.says(b); });
}

inline LayoutConstraint notSplat(LayoutExpression of) {
  return about(std::move(of), NotOfKind{RegisterKind::Splat});
}
inline LayoutConstraint divides(LayoutExpression of, Sizes multiple) {
  return about(std::move(of), Divides{std::move(multiple)});
}

}  // namespace hilo::inference
