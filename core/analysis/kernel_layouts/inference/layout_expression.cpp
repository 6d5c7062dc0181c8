#include "core/analysis/kernel_layouts/inference/layout_expression.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "core/analysis/kernel_layouts/inference/collapsed_tile.h"
#include "core/analysis/kernel_layouts/inference/has_item.h"

namespace hilo::inference {
namespace {

using Applied = std::expected<LayoutConstant, NoLayout>;
constexpr std::unexpected<NoLayout> kStuck{NoLayout::Stuck}, kImpossible{NoLayout::Impossible};

int64_t signedSize(const Sizes& sizes) { return static_cast<int64_t>(sizes.size()); }

Sizes reducedShape(const Sizes& shape, const ReduceStep& step) {
  Sizes left;
  for (int64_t i = 0; i < signedSize(shape); ++i) {
    if (!hasItem(step.axes, i))
      left.push_back(shape[i]);
    else if (step.keepsDimensions)
      left.push_back(1);
  }
  return left;
}

Applied reducedTiled(TiledLayout layout, const ReduceStep& step) {
  if (step.keepsDimensions) return kStuck;
  const int64_t untiled = step.rank - signedSize(layout.tiling.tiles.front());
  for (size_t i = step.axes.size(); i-- > 0;) {
    if (step.axes[i] < untiled) continue;
    if (layout.tiling.tiles.front().size() < 2) return kStuck;
    layout = withoutDimension(layout, step.axes[i] - untiled);
  }
  return RegisterLayout(layout);
}

Applied apply(const ReduceStep& step, const LayoutConstant& constant) {
  if (const TiledLayout* tiled = asTiled(constant)) return reducedTiled(*tiled, step);
  if (const SplatLayout* splat = asSplat(constant))
    return RegisterLayout(SplatLayout{reducedShape(splat->shape, step)});
  const StridedLayout* strided = asStrided(constant);
  if (!strided || step.axes.back() >= signedSize(strided->shape)) return kStuck;
  // Whole turns of the threads behind the last axis: no thread has to give an element to another one.
  const Sizes behind(strided->shape.begin() + step.axes.back() + 1, strided->shape.end());
  if (elementCount(behind) % (strided->vectorSize * kThreadsOfWarpgroup) != 0) return kStuck;
  return RegisterLayout(StridedLayout{reducedShape(strided->shape, step), strided->vectorSize});
}

// A tiled layout stays as it is when only dimensions before the tile change, or the first of the tile's.
Applied reshapedTiled(const TiledLayout& layout, const ReshapeStep& step) {
  const Sizes& tile = layout.tiling.tiles.front();
  if (step.from.size() < tile.size() || step.to.size() < tile.size()) return kStuck;
  const auto from = step.from.end() - signedSize(tile), to = step.to.end() - signedSize(tile);
  for (size_t i = 0; i < tile.size(); ++i)
    if (from[static_cast<int64_t>(i)] % tile[i] != 0) return kStuck;
  if (!std::equal(from + 1, step.from.end(), to + 1) || *to % tile.front() != 0) return kStuck;
  return RegisterLayout(layout);
}

Applied apply(const ReshapeStep& step, const LayoutConstant& constant) {
  if (const TiledLayout* tiled = asTiled(constant)) return reshapedTiled(*tiled, step);
  if (asSplat(constant)) return RegisterLayout(SplatLayout{step.to});
  if (const StridedLayout* strided = asStrided(constant))
    return RegisterLayout(StridedLayout{step.to, strided->vectorSize});
  return kStuck;
}

Applied apply(const TransposeStep& step, const LayoutConstant& constant) {
  const auto* shared = std::get_if<SharedTransforms>(&constant);
  if (!shared) return kStuck;
  const int64_t untiled = signedSize(step.permutation) - signedSize(shared->tile);
  if (untiled < 0) return kImpossible;
  SharedTransforms result{.tile = {}, .swizzleBytes = shared->swizzleBytes};
  for (auto dimension = step.permutation.begin() + untiled; dimension != step.permutation.end();
       ++dimension) {
    if (*dimension < untiled) return kImpossible;  // the tile's dimensions would no longer be the last ones
    result.tile.push_back(shared->tile[*dimension - untiled]);
  }
  return result;
}

Applied apply(const CollapseStep& step, const LayoutConstant& constant) {
  const auto* shared = std::get_if<SharedTransforms>(&constant);
  if (!shared) return kImpossible;
  if (shared->tile.empty()) return constant;
  const auto tile = collapsedTile(shared->tile, step.from, step.groups);
  if (!tile) return kImpossible;
  return SharedTransforms{*tile, shared->swizzleBytes};
}

Status wrong(const std::string& what) { return fail("kernel-inference", what); }

Status check(const ReduceStep& step) {
  if (step.axes.empty() || step.axes.front() < 0 || step.axes.back() >= step.rank ||
      !std::ranges::is_sorted(step.axes) || std::ranges::adjacent_find(step.axes) != step.axes.end())
    return wrong(fmt::format("{} are no ascending dimensions of {}", tupleText(step.axes), step.rank));
  return {};
}
Status check(const ReshapeStep& step) {
  if (elementCount(step.from) != elementCount(step.to))
    return wrong(
        fmt::format("{} and {} have not as many elements", tupleText(step.from), tupleText(step.to)));
  return {};
}
Status check(const TransposeStep& step) {
  Sizes sorted = step.permutation;
  std::ranges::sort(sorted);
  for (int64_t i = 0; i < signedSize(sorted); ++i)
    if (sorted[i] != i) return wrong(fmt::format("{} is no permutation", tupleText(step.permutation)));
  return {};
}
Status check(const CollapseStep& step) {
  if (std::ranges::any_of(step.groups, [](int64_t size) { return size <= 0; }))
    return wrong("every group of collapsed dimensions has at least one dimension");
  if (std::accumulate(step.groups.begin(), step.groups.end(), int64_t{0}) != signedSize(step.from))
    return wrong(fmt::format("groups of {} dimensions are not the {} of {}", tupleText(step.groups),
                             step.from.size(), tupleText(step.from)));
  return {};
}

std::string text(const ReduceStep& step, const std::string& of) {
  return fmt::format("reduce({}, axes={}{})", of, tupleText(step.axes),
                     step.keepsDimensions ? ", keeping them" : "");
}
std::string text(const ReshapeStep& step, const std::string& of) {
  return fmt::format("reshape({}, {} to {})", of, tupleText(step.from), tupleText(step.to));
}
std::string text(const TransposeStep& step, const std::string& of) {
  return fmt::format("transpose({}, {})", of, tupleText(step.permutation));
}
std::string text(const CollapseStep& step, const std::string& of) {
  return fmt::format("collapse({}, {} by {})", of, tupleText(step.from), tupleText(step.groups));
}

}  // namespace

LayoutExpression LayoutExpression::then(LayoutStep step) const {
  LayoutExpression longer = *this;
  longer.steps.push_back(std::move(step));
  return longer;
}

std::optional<VariableId> LayoutExpression::variable() const {
  return steps.empty() ? unknown() : std::nullopt;
}

const LayoutConstant* LayoutExpression::constant() const {
  return steps.empty() ? std::get_if<LayoutConstant>(&leaf) : nullptr;
}

std::optional<VariableId> LayoutExpression::unknown() const {
  const auto* id = std::get_if<VariableId>(&leaf);
  return id ? std::optional(*id) : std::nullopt;
}

Applied applied(const LayoutStep& step, const LayoutConstant& constant) {
  return std::visit([&](const auto& one) { return apply(one, constant); }, step);
}

Status checkStep(const LayoutStep& step) {
  return std::visit([](const auto& one) { return check(one); }, step);
}

bool reduceExpression(LayoutExpression& expression) {
  size_t done = 0;
  for (; done < expression.steps.size(); ++done) {
    const auto* constant = std::get_if<LayoutConstant>(&expression.leaf);
    if (!constant) break;
    auto next = applied(expression.steps[done], *constant);
    if (!next && next.error() == NoLayout::Impossible) return false;
    if (!next) break;
    expression.leaf = *std::move(next);
  }
  expression.steps.erase(expression.steps.begin(), expression.steps.begin() + static_cast<int64_t>(done));
  return true;
}

std::string toString(const LayoutStep& step, const std::string& of) {
  return std::visit([&](const auto& one) { return text(one, of); }, step);
}

}  // namespace hilo::inference
