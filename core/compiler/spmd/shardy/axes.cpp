#include "core/compiler/spmd/shardy/axes.h"

#include <fmt/format.h>

#include <algorithm>

namespace hilo::sdy {

int64_t sizeOf(std::span<const AxisRef> axes) {
  int64_t size = 1;
  for (const AxisRef& axis : axes) size *= axis.size;
  return size;
}

bool overlap(const AxisRef& a, const AxisRef& b) {
  return a.axis == b.axis && a.before < b.end() && b.before < a.end();
}

bool canCoexist(const AxisRef& a, const AxisRef& b) {
  if (a.axis != b.axis) return true;
  int64_t points[] = {a.before, a.end(), b.before, b.end()};
  std::ranges::sort(points);
  for (size_t i = 0; i + 1 < std::size(points); ++i) {
    if (points[i + 1] % points[i] != 0) return false;
  }
  return true;
}

bool isPrefix(const AxisRef& prefix, const AxisRef& of) {
  return prefix.axis == of.axis && prefix.before == of.before && of.size % prefix.size == 0;
}

bool contains(const AxisRef& outer, const AxisRef& inner) {
  return outer.axis == inner.axis && outer.before <= inner.before && inner.end() <= outer.end() &&
         canCoexist(outer, inner);
}

std::optional<AxisRef> prefixWithout(AxisRef axis, std::span<const AxisRef> others) {
  for (const AxisRef& other : others) {
    if (!canCoexist(axis, other)) return std::nullopt;
    if (!overlap(axis, other)) continue;
    if (other.before <= axis.before) return std::nullopt;
    axis.size = other.before / axis.before;
  }
  return axis;
}

PrefixKind prefixKind(std::span<const AxisRef> prefix, std::span<const AxisRef> of) {
  if (prefix.empty()) return of.empty() ? PrefixKind::Equal : PrefixKind::Strict;
  if (prefix.size() > of.size()) return PrefixKind::None;
  const size_t last = prefix.size() - 1;
  if (!std::ranges::equal(prefix.first(last), of.first(last))) return PrefixKind::None;
  if (prefix[last] == of[last]) return prefix.size() == of.size() ? PrefixKind::Equal : PrefixKind::Strict;
  return isPrefix(prefix[last], of[last]) ? PrefixKind::Strict : PrefixKind::None;
}

void append(Axes& axes, const AxisRef& axis) {
  if (!axes.empty() && axes.back().axis == axis.axis && axes.back().end() == axis.before) {
    axes.back().size *= axis.size;
  } else {
    axes.push_back(axis);
  }
}

void sortAndMerge(Axes& axes) {
  std::ranges::sort(axes, {}, [](const AxisRef& axis) { return std::pair(axis.axis, axis.before); });
  Axes merged;
  for (const AxisRef& axis : axes) append(merged, axis);
  axes = std::move(merged);
}

Axes without(std::span<const AxisRef> axes, std::span<const AxisRef> others) {
  Axes left;
  for (const AxisRef& axis : axes) {
    Axes cuts;
    for (const AxisRef& other : others) {
      if (overlap(axis, other)) cuts.push_back(other);
    }
    std::ranges::sort(cuts, {}, &AxisRef::before);
    int64_t at = axis.before;
    for (const AxisRef& cut : cuts) {
      if (cut.before > at) left.push_back({axis.axis, at, cut.before / at});
      at = std::max(at, cut.end());
    }
    if (at < axis.end()) left.push_back({axis.axis, at, axis.end() / at});
  }
  return left;
}

std::string toString(const Mesh& mesh, const AxisRef& axis) {
  const Axis& whole = mesh.axes[static_cast<size_t>(axis.axis)];
  if (axis.before == 1 && axis.size == whole.size) return fmt::format("\"{}\"", whole.name);
  return fmt::format("\"{}\":({}){}", whole.name, axis.before, axis.size);
}

}  // namespace hilo::sdy
