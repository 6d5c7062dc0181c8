#include "core/compiler/spmd/shardy/projection.h"

#include <numeric>

namespace hilo::sdy {
namespace {

// The axes of a dimension, handed out factor by factor from the outermost; an axis may be split.
class AxisQueue {
 public:
  explicit AxisQueue(std::span<const AxisRef> axes) : axes_(axes.begin(), axes.end()) {}

  bool isEmpty() const { return next_ == axes_.size(); }
  const AxisRef& front() const { return axes_[next_]; }
  void pop() { ++next_; }
  // The outer part of the first axis; the rest of it stays.
  AxisRef split(int64_t size) {
    AxisRef outer = axes_[next_];
    outer.size = size;
    axes_[next_].before *= size;
    axes_[next_].size /= size;
    return outer;
  }
  void takeAll(Axes& into) {
    for (; !isEmpty(); pop()) append(into, front());
  }

 private:
  Axes axes_;
  size_t next_ = 0;
};

// What of the axes fits into a factor of this size.
int64_t takeFitting(AxisQueue& queue, int64_t size, Axes& into) {
  while (!queue.isEmpty()) {
    const int64_t common = std::gcd(size, queue.front().size);
    if (common == 1 && queue.front().size != 1) break;
    size /= common;
    if (queue.front().size > common) {
      into.push_back(queue.split(common));
    } else {
      into.push_back(queue.front());
      queue.pop();
    }
  }
  return size;
}

void projectDimension(const ShardingRule& rule, const ShardingRule::Dimension& factors,
                      const DimensionSharding& sharding, ArrayProjection& projection) {
  AxisQueue queue(sharding.axes);
  bool overflows = false;
  for (size_t i = 0; i < factors.size(); ++i) {
    FactorSharding& factor = projection.factors[factors[i]];
    factor.isUsed = true;
    factor.isInnermost = i + 1 == factors.size();
    factor.isClosed = sharding.isClosed || overflows;
    if (overflows) continue;
    if (factor.isInnermost) {
      queue.takeAll(factor.axes);
      continue;
    }
    const int64_t left = takeFitting(queue, rule.factors[factors[i]].size, factor.axes);
    if (left == 1 || queue.isEmpty()) continue;
    overflows = true;
    queue.takeAll(factor.overflow);
  }
}

void appendAll(Axes& to, std::span<const AxisRef> axes) {
  for (const AxisRef& axis : axes) append(to, axis);
}

}  // namespace

ArrayProjection project(const ShardingRule& rule, const ShardingRule::Array& array,
                        const TensorSharding* sharding) {
  ArrayProjection projection;
  projection.factors.resize(rule.factors.size());
  const DimensionSharding open;
  const bool hasDimensions = sharding != nullptr && sharding->dimensions.size() == array.size();
  for (size_t d = 0; d < array.size(); ++d)
    projectDimension(rule, array[d], hasDimensions ? sharding->dimensions[d] : open, projection);
  if (sharding != nullptr) {
    projection.replicated = sharding->replicated;
    projection.unreduced = sharding->unreduced;
  }
  return projection;
}

TensorSharding unproject(const ShardingRule& rule, const ShardingRule::Array& array,
                         const ArrayProjection& projection, const TensorSharding& like) {
  TensorSharding sharding{.mesh = like.mesh,
                          .dimensions = {},
                          .replicated = projection.replicated,
                          .unreduced = projection.unreduced,
                          .reduction = like.reduction};
  for (const ShardingRule::Dimension& factors : array) {
    DimensionSharding dimension;
    for (size_t f : factors) {
      const FactorSharding& factor = projection.factors[f];
      dimension.isClosed |= factor.isClosed;
      appendAll(dimension.axes, factor.axes);
      appendAll(dimension.axes, factor.overflow);
      // What is further in would be strided, unless this factor is cut as far as it goes.
      if (!factor.overflow.empty() || sizeOf(factor.axes) < rule.factors[f].size) break;
    }
    sharding.dimensions.push_back(std::move(dimension));
  }
  return sharding;
}

}  // namespace hilo::sdy
