#include "core/compiler/spmd/shardy/factor_conflicts.h"

#include <numeric>

namespace hilo::sdy {
namespace {

// The outer part of axes for which `fit` says what of each can be had, given how far those before it cut.
template <typename Fit>
Axes longest(std::span<const AxisRef> axes, Fit fit) {
  Axes result;
  int64_t cut = 1;
  for (const AxisRef& axis : axes) {
    const std::optional<AxisRef> fitting = fit(axis, cut);
    if (!fitting) break;
    result.push_back(*fitting);
    if (!(*fitting == axis)) break;
    cut *= axis.size;
  }
  return result;
}

std::optional<AxisRef> fitOpen(const FactorSharding& factor, const AxisRef& axis, int64_t cut, int64_t size) {
  if (factor.isInnermost) return axis;
  if (size % cut != 0) return std::nullopt;
  const int64_t common = std::gcd(size / cut, axis.size);
  if (common == 1 && axis.size != 1) return std::nullopt;
  return AxisRef{axis.axis, axis.before, common};
}

std::optional<AxisRef> fitOne(const ArrayProjection& array, const FactorSharding& factor, AxisRef axis,
                              int64_t cut, int64_t size) {
  for (const Axes* taken : {&array.replicated, &array.unreduced}) {
    const auto free = prefixWithout(axis, *taken);
    if (!free) return std::nullopt;
    axis = *free;
  }
  if (std::ranges::any_of(factor.axes, [&](const AxisRef& has) { return contains(has, axis); })) return axis;
  if (!factor.isClosed && factor.overflow.empty()) {
    if (const auto open = fitOpen(factor, axis, cut, size)) return open;
  }
  if (!factor.axes.empty() && isPrefix(factor.axes.back(), axis)) return factor.axes.back();
  return std::nullopt;
}

struct Agreed {
  Axes axes;
  bool canGrow = true;
};

// Both lists from the outer end while they agree.
Agreed agree(std::span<const AxisRef> old, std::span<const AxisRef> more, bool canGrow) {
  Axes result;
  size_t i = 0;
  for (; i < old.size() && i < more.size(); ++i) {
    const AxisRef &a = old[i], &b = more[i];
    if (a == b) {
      result.push_back(a);
    } else if (isPrefix(b, a)) {
      result.push_back(i + 1 < more.size() ? b : a);
      if (i + 1 < more.size()) return {result, false};
    } else if (isPrefix(a, b)) {
      const bool stops = !canGrow || i + 1 < old.size();
      result.push_back(stops ? a : b);
      if (stops) return {result, false};
    } else {
      return {result, false};
    }
  }
  if (i < old.size()) result.insert(result.end(), old.begin() + static_cast<int64_t>(i), old.end());
  if (canGrow && i < more.size())
    result.insert(result.end(), more.begin() + static_cast<int64_t>(i), more.end());
  return {result, canGrow};
}

}  // namespace

Axes fittingWithin(const ArrayProjection& array, size_t factor, int64_t size, std::span<const AxisRef> axes) {
  const FactorSharding& of = array.factors[factor];
  return longest(axes, [&](const AxisRef& axis, int64_t cut) { return fitOne(array, of, axis, cut, size); });
}

Axes fittingBeside(const ArrayProjection& array, size_t factor, std::span<const AxisRef> axes) {
  return longest(axes, [&](const AxisRef& axis, int64_t) -> std::optional<AxisRef> {
    std::optional<AxisRef> left = axis;
    for (size_t other = 0; left && other < array.factors.size(); ++other) {
      if (other == factor || !array.factors[other].isUsed) continue;
      left = prefixWithout(*left, array.factors[other].overflow);
      if (left) left = prefixWithout(*left, array.factors[other].axes);
    }
    return left;
  });
}

Axes compatibleAxes(const Projection& projection, size_t factor, bool fromOperands, bool fromResults) {
  if (!fromOperands && !fromResults) return {};
  Agreed agreed;
  const auto join = [&](const std::vector<ArrayProjection>& arrays) {
    for (const ArrayProjection& array : arrays) {
      const FactorSharding& of = array.factors[factor];
      if (of.isUsed) agreed = agree(agreed.axes, of.axes, agreed.canGrow);
    }
  };
  join(fromOperands ? projection.operands : projection.results);
  if (!fromOperands || !fromResults) agreed.canGrow = false;
  join(fromOperands ? projection.results : projection.operands);
  return agreed.axes;
}

}  // namespace hilo::sdy
