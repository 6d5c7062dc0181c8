#include "core/compiler/passes/dots/cudnn_scales.h"

#include <algorithm>

#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/shape_ops.h"
#include "core/hlo/expand/block_scaling.h"

namespace hilo {

int64_t roundedUp(int64_t size, int64_t multiple) { return (size + multiple - 1) / multiple * multiple; }

std::vector<int64_t> withRows(Shape shape, int64_t rows, int64_t columns) {
  std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
  sizes[sizes.size() - 2] = rows;
  sizes.back() = columns;
  return sizes;
}

Instruction* paddedWith(Instruction* value, const std::vector<int64_t>& sizes, double fill,
                        Instruction& before) {
  if (std::ranges::equal(sizes, value->shape().dimensions())) return value;
  const Shape scalar = arrayLike(value->shape(), value->shape().elementType(), {});
  return padTo(value, sizes, algebra::makeSplat(before, scalar, fill), before);
}

Instruction* scalesForCudnn(Instruction* scales, int64_t rows, KeepsOrder reshape, Instruction& before) {
  const Shape shape = scales->shape();
  const int64_t blocks = shape.dimensions().back(), own = shape.dimension(shape.rank() - 2);
  scales = cutTo(scales, withRows(shape, std::min(rows, own), blocks), before);
  scales = paddedWith(scales, withRows(shape, rows, roundedUp(blocks, 4)), 1, before);
  const library::ScaleSwizzle swizzle = library::scaleSwizzle(scales->shape());
  Instruction* tiles = reshape(scales, swizzle.plain, before);
  return reshape(transposeBy(tiles, library::ScaleSwizzle::kOrder, before), scales->shape().dimensions(),
                 before);
}

Instruction* scalesFromCudnn(Instruction* swizzled, std::span<const int64_t> sizes, KeepsOrder reshape,
                             Instruction& before) {
  const library::ScaleSwizzle swizzle = library::scaleSwizzle(swizzled->shape());
  Instruction* tiles = reshape(swizzled, swizzle.swizzled, before);
  Instruction* plain = reshape(transposeBy(tiles, library::ScaleSwizzle::kOrder, before),
                               swizzled->shape().dimensions(), before);
  return cutTo(plain, sizes, before);
}

}  // namespace hilo
