#include "core/analysis/dimension_order.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace hilo {

DimensionOrder majorToMinor(Shape shape) {
  DimensionOrder order(shape.rank());
  for (size_t i = 0; i < order.size(); ++i) {
    order[i] = shape.layout() == nullptr ? static_cast<int64_t>(i)
                                         : shape.layout()->minorToMajor[order.size() - 1 - i];
  }
  return order;
}

std::vector<int64_t> layoutStrides(Shape shape) {
  std::vector<int64_t> strides(shape.rank());
  const DimensionOrder order = majorToMinor(shape);
  int64_t stride = 1;
  for (size_t i = order.size(); i-- > 0;) {
    strides[static_cast<size_t>(order[i])] = stride;
    stride *= shape.dimension(static_cast<size_t>(order[i]));
  }
  return strides;
}

bool sameMemoryOrder(Shape a, Shape b) {
  if (!std::ranges::equal(a.dimensions(), b.dimensions())) return false;
  const auto x = layoutStrides(a), y = layoutStrides(b);
  for (size_t d = 0; d < x.size(); ++d) {
    if (a.dimension(d) != 1 && x[d] != y[d]) return false;
  }
  return true;
}

Shape inDimensionOrder(Shape shape, const DimensionOrder& order) {
  if (shape.layout() == nullptr && std::ranges::is_sorted(order)) return shape;
  const Layout layout{.minorToMajor = {order.rbegin(), order.rend()}};
  return shape.withLayout(&layout);
}

std::string layoutText(const DimensionOrder& order) {
  return fmt::format("{{{}}}", fmt::join(order.rbegin(), order.rend(), ","));
}

DimensionOrder throughTranspose(const DimensionOrder& operand, std::span<const int64_t> permutation) {
  std::vector<int64_t> resultOf(permutation.size());
  for (size_t d = 0; d < permutation.size(); ++d)
    resultOf[static_cast<size_t>(permutation[d])] = static_cast<int64_t>(d);
  DimensionOrder order;
  for (const int64_t d : operand) order.push_back(resultOf[static_cast<size_t>(d)]);
  return order;
}

DimensionOrder backThroughTranspose(const DimensionOrder& result, std::span<const int64_t> permutation) {
  DimensionOrder order;
  for (const int64_t d : result) order.push_back(permutation[static_cast<size_t>(d)]);
  return order;
}

DimensionOrder throughReduction(const DimensionOrder& operand, std::span<const int64_t> folded) {
  DimensionOrder order;
  for (const int64_t d : operand) {
    if (std::ranges::find(folded, d) == folded.end())
      order.push_back(d - std::ranges::count_if(folded, [&](int64_t f) { return f < d; }));
  }
  return order;
}

namespace {

std::vector<int64_t> longerThanOne(Shape shape) {
  std::vector<int64_t> dims;
  for (size_t d = 0; d < shape.rank(); ++d) {
    if (shape.dimension(d) != 1) dims.push_back(static_cast<int64_t>(d));
  }
  return dims;
}

// Dimensions of size one, which lie anywhere: each behind the one before it.
void insertOnes(Shape shape, DimensionOrder& order) {
  for (size_t d = 0; d < shape.rank(); ++d) {
    if (shape.dimension(d) != 1) continue;
    const auto before = d == 0 ? order.end() : std::ranges::find(order, static_cast<int64_t>(d) - 1);
    order.insert(d == 0 ? order.begin() : before + 1, static_cast<int64_t>(d));
  }
}

// Neighbouring dimensions of both shapes with as many elements.
struct CommonFactor {
  std::span<const int64_t> from, to;
};

std::vector<CommonFactor> commonFactors(Shape from, std::span<const int64_t> fromDims, Shape to,
                                        std::span<const int64_t> toDims) {
  std::vector<CommonFactor> factors;
  size_t i = 0, j = 0;
  while (i < fromDims.size() && j < toDims.size()) {
    const size_t firstFrom = i, firstTo = j;
    int64_t fromSize = from.dimension(static_cast<size_t>(fromDims[i++]));
    int64_t toSize = to.dimension(static_cast<size_t>(toDims[j++]));
    while (fromSize != toSize) {
      if (fromSize < toSize) {
        fromSize *= from.dimension(static_cast<size_t>(fromDims[i++]));
      } else {
        toSize *= to.dimension(static_cast<size_t>(toDims[j++]));
      }
    }
    factors.push_back({fromDims.subspan(firstFrom, i - firstFrom), toDims.subspan(firstTo, j - firstTo)});
  }
  return factors;
}

}  // namespace

std::optional<DimensionOrder> throughReshape(Shape from, const DimensionOrder& order, Shape to) {
  const int64_t count = from.elementCount();
  if (count == 0 || count == std::numeric_limits<int64_t>::max() || count != to.elementCount())
    return std::nullopt;
  const std::vector<int64_t> fromDims = longerThanOne(from), toDims = longerThanOne(to);
  std::vector<size_t> placeOf(from.rank());
  size_t place = 0;
  for (const int64_t d : order) {
    if (from.dimension(static_cast<size_t>(d)) != 1) placeOf[static_cast<size_t>(d)] = place++;
  }
  auto factors = commonFactors(from, fromDims, to, toDims);
  for (const CommonFactor& factor : factors) {
    for (size_t i = 1; i < factor.from.size(); ++i) {
      if (placeOf[static_cast<size_t>(factor.from[i])] !=
          placeOf[static_cast<size_t>(factor.from[i - 1])] + 1)
        return std::nullopt;
    }
  }
  std::ranges::sort(factors, {},
                    [&](const CommonFactor& factor) { return placeOf[static_cast<size_t>(factor.from[0])]; });
  DimensionOrder result;
  for (const CommonFactor& factor : factors) result.insert(result.end(), factor.to.begin(), factor.to.end());
  insertOnes(to, result);
  return result;
}

}  // namespace hilo
