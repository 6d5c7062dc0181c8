#include "core/compiler/spmd/shardy/factor_propagation.h"

#include "core/compiler/spmd/shardy/factor_conflicts.h"

namespace hilo::sdy {
namespace {

std::vector<ArrayProjection*> arraysOf(Projection& projection) {
  std::vector<ArrayProjection*> arrays;
  for (ArrayProjection& array : projection.operands) arrays.push_back(&array);
  for (ArrayProjection& array : projection.results) arrays.push_back(&array);
  return arrays;
}

Axes compatible(const Projection& projection, size_t factor, Direction direction) {
  return compatibleAxes(projection, factor, direction == Direction::Forward || direction == Direction::Both,
                        direction == Direction::Backward || direction == Direction::Both);
}

// The first array that has the axes, or what of them it can have.
size_t sourceOf(const std::vector<ArrayProjection*>& arrays, size_t factor, std::span<const AxisRef> axes) {
  size_t best = 0;
  int64_t most = 0;
  for (size_t i = 0; i < arrays.size(); ++i) {
    const Axes& has = arrays[i]->factors[factor].axes;
    if (has.empty() || sizeOf(has) <= most || prefixKind(axes, has) == PrefixKind::None) continue;
    best = i;
    most = sizeOf(has);
  }
  return best;
}

bool grow(FactorSharding& factor, const Axes& axes) {
  if (!factor.isUsed || prefixKind(factor.axes, axes) != PrefixKind::Strict) return false;
  factor.axes = axes;
  return true;
}

// Of what each factor hands on, the largest array that has it all.
struct Source {
  int64_t array = -1;
  int64_t size = -1;
};

std::vector<Source> largestSources(const std::vector<ArrayProjection*>& arrays, const ShardingRule& rule,
                                   std::span<const Axes> axes) {
  std::vector<Source> sources(axes.size());
  for (size_t i = 0; i < arrays.size(); ++i) {
    int64_t size = 1;
    for (size_t f = 0; f < axes.size(); ++f) {
      if (arrays[i]->factors[f].isUsed) size *= rule.factors[f].size;
    }
    for (size_t f = 0; f < axes.size(); ++f) {
      const FactorSharding& factor = arrays[i]->factors[f];
      const bool isSource =
          factor.isUsed && !axes[f].empty() && prefixKind(axes[f], factor.axes) != PrefixKind::None;
      if (isSource && size > sources[f].size) sources[f] = {static_cast<int64_t>(i), size};
    }
  }
  return sources;
}

// The factors in the order in which they may take axes.
std::vector<size_t> orderOfFactors(std::span<const Axes> axes, std::span<const Source> sources,
                                   bool isElementwise) {
  std::vector<size_t> order(axes.size());
  for (size_t f = 0; f < order.size(); ++f) order[f] = f;
  std::ranges::sort(order, {}, [&](size_t f) {
    return std::tuple(-sources[f].size, isElementwise ? -sizeOf(axes[f]) : int64_t{0}, sources[f].array, f);
  });
  return order;
}

}  // namespace

Direction either(Direction a, Direction b) {
  return static_cast<Direction>(static_cast<uint8_t>(a) | static_cast<uint8_t>(b));
}
Direction both(Direction a, Direction b) {
  return static_cast<Direction>(static_cast<uint8_t>(a) & static_cast<uint8_t>(b));
}

std::vector<FactorUpdate> propagateBasic(Projection& projection, const ShardingRule& rule,
                                         const DirectionOfFactor& direction) {
  std::vector<FactorUpdate> updates;
  const auto arrays = arraysOf(projection);
  for (size_t f = 0; f < rule.factors.size(); ++f) {
    Axes axes = compatible(projection, f, direction(f));
    for (const ArrayProjection* array : arrays) {
      axes = fittingBeside(*array, f, axes);
      if (array->factors[f].isUsed) axes = fittingWithin(*array, f, rule.factors[f].size, axes);
    }
    const size_t source = sourceOf(arrays, f, axes);
    for (size_t i = 0; i < arrays.size(); ++i) {
      if (grow(arrays[i]->factors[f], axes)) updates.push_back({i, f, source});
    }
  }
  return updates;
}

std::vector<FactorUpdate> propagateAggressive(Projection& projection, const ShardingRule& rule,
                                              const DirectionOfFactor& direction, bool isElementwise) {
  std::vector<Axes> axes;
  for (size_t f = 0; f < rule.factors.size(); ++f) axes.push_back(compatible(projection, f, direction(f)));
  if (std::ranges::all_of(axes, &Axes::empty)) return {};
  const auto arrays = arraysOf(projection);
  const auto sources = largestSources(arrays, rule, axes);
  const auto order = orderOfFactors(axes, sources, isElementwise);
  std::vector<FactorUpdate> updates;
  const auto update = [&](size_t i) {
    for (size_t f : order) {
      if (!arrays[i]->factors[f].isUsed) continue;
      Axes taken = fittingWithin(*arrays[i], f, rule.factors[f].size, axes[f]);
      if (prefixKind(arrays[i]->factors[f].axes, taken) != PrefixKind::Strict) continue;
      taken = fittingBeside(*arrays[i], f, taken);
      const bool isOperand = i < projection.operands.size();
      // What an elementwise result could not take, its operands would have to be moved for.
      for (const ArrayProjection& result : projection.results) {
        const FactorSharding& of = result.factors[f];
        if (isElementwise && isOperand && of.isUsed && prefixKind(of.axes, taken) == PrefixKind::Strict)
          taken = of.axes;
      }
      const auto source = static_cast<size_t>(std::max(sources[f].array, int64_t{0}));
      if (grow(arrays[i]->factors[f], taken)) updates.push_back({i, f, source});
    }
  };
  for (size_t i = projection.operands.size(); i < arrays.size(); ++i) update(i);
  for (size_t i = 0; i < projection.operands.size(); ++i) update(i);
  return updates;
}

}  // namespace hilo::sdy
