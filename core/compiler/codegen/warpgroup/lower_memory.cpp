// Arrays in memory: slices of shared memory, views of arrays, loads and stores of registers.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/analysis/kernel_layouts/inference/known_divisor.h"
#include "core/compiler/codegen/warpgroup/kernel_lowering.h"

namespace hilo::warpgroup {

using inference::kDynamicSize;
using inference::NestedDimension;
using inference::SharedTransforms;
using inference::StridedSize;
using llvm::Value;

namespace {

// The first `size` indices of a dimension, which begin where a piece does.
std::optional<NestedDimension> shortened(const NestedDimension& dimension, int64_t size) {
  NestedDimension reversed;
  for (size_t i = dimension.size(); i-- > 0;) {
    const auto [length, stride] = dimension[i];
    if (size <= length || i == 0) {
      reversed.push_back({size, stride});
      size = 1;
    } else {
      if (size % length != 0) return std::nullopt;
      reversed.push_back({length, stride});
      size /= length;
    }
    if (size == 1) break;
  }
  std::ranges::reverse(reversed);
  return reversed;
}

// What divides the elements before every offset that is a multiple of `divisor`.
int64_t steps(const NestedDimension& dimension, int64_t divisor) {
  int64_t common = 0, inside = 1;
  for (size_t i = dimension.size(); i-- > 0;) {
    const auto [size, stride] = dimension[i];
    const int64_t digit = divisor % inside == 0 ? divisor / inside : 1;
    if (i == 0)
      common = std::gcd(common, stride * digit);
    else if (digit % size != 0)
      common = std::gcd(common, stride * std::gcd(digit, size));
    inside *= size;
  }
  return common;
}

struct SliceAt {
  Sizes offsets, sizes;
  std::vector<Value*> values;
  std::vector<int64_t> divisors;
};
Result<SliceAt> sliceOf(KernelLowering& lowering, OpId op, const MemoryView& view) {
  const KernelOp& one = lowering.op(op);
  SliceAt slice;
  TRY(slice.offsets, listOf(one, "static_offsets"));
  TRY(slice.sizes, listOf(one, "static_sizes"));
  if (slice.offsets.size() != view.rank() || slice.sizes.size() != view.rank())
    return refuse(one, "offsets and sizes for each dimension of its operand");
  if (const auto* strides = one.attribute<Sizes>("static_strides");
      strides && std::ranges::any_of(*strides, [](int64_t stride) { return stride != 1; }))
    return refuse(one, "strides other than 1");
  size_t next = 1;
  for (size_t i = 0; i < view.rank(); ++i) {
    if (slice.sizes[i] <= 0) return refuse(one, "sizes that are not known, or not positive");
    if (slice.offsets[i] != kDynamicSize) {
      slice.values.push_back(lowering.code().int64(slice.offsets[i]));
      slice.divisors.push_back(slice.offsets[i]);
      continue;
    }
    if (next >= one.operands.size()) return refuse(one, "an offset without an operand");
    TRY(Value* const offset, lowering.scalar(op, next));
    slice.values.push_back(lowering.b().CreateSExtOrTrunc(offset, lowering.b().getInt64Ty()));
    slice.divisors.push_back(
        inference::commonDivisor(lowering.kernel(), int64_t{1} << 20, one.operands[next++]));
  }
  return slice;
}

// Dimensions of size 1 that a result of lower rank lacks, by the order of its sizes.
std::optional<std::vector<NestedDimension>> withRank(std::vector<NestedDimension> dimensions,
                                                     const Sizes& sizes, const Sizes& shape) {
  std::vector<NestedDimension> kept;
  size_t next = 0, toDrop = sizes.size() - shape.size();
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (toDrop > 0 && sizes[i] == 1 && (next == shape.size() || shape[next] != 1)) {
      --toDrop;
      continue;
    }
    if (next == shape.size() || sizes[i] != shape[next]) return std::nullopt;
    kept.push_back(std::move(dimensions[i]));
    ++next;
  }
  // Where the result has a 1 too, the first of them are dropped.
  if (toDrop > 0 || next != shape.size()) return std::nullopt;
  return kept;
}

}  // namespace

Status lowerSlice(KernelLowering& lowering, OpId op) {
  const KernelOp& one = lowering.op(op);
  TRY_STATUS(needs(one, 0, 1));
  const KernelType& type = lowering.kernel().type(one.results[0]);
  TRY(const ElementType element, lowering.elementOf(one, one.results[0]));
  const int64_t bytes = *elementBytesOf(type);  // launchFormOf looked
  const int64_t at = *one.attribute<int64_t>("offset");
  SharedTransforms transforms;
  if (type.element != "barrier") {
    TRY(transforms, lowering.resultTransforms(op));
  }
  const Sizes strides = stridesOf(type);
  auto dimensions = transforms.tile.empty() ? std::optional(dimensionsOf(type.shape, strides))
                                            : inference::tiledMemory(type.shape, strides, transforms.tile);
  if (!dimensions) return refuse(one, "its tile does not fit its strides");
  if (at % bytes != 0 || (transforms.swizzleBytes > 16 && at % (8 * transforms.swizzleBytes) != 0))
    return refuse(one, fmt::format("byte {} of shared memory is not where such an array begins", at));
  lowering.give(one.results[0], MemoryView{.element = element,
                                           .elementBytes = bytes,
                                           .dimensions = *std::move(dimensions),
                                           .swizzleBytes = std::max<int64_t>(16, transforms.swizzleBytes),
                                           .base = lowering.code().shared(),
                                           .offset = lowering.code().int64(at / bytes),
                                           .alignment = std::gcd(at, int64_t{1024}) / bytes});
  return {};
}

Status lowerSameMemory(KernelLowering& lowering, OpId op) {
  TRY_STATUS(needs(lowering.op(op), 1, 1));
  TRY(MemoryView view, lowering.memory(op, 0));
  lowering.give(lowering.op(op).results[0], std::move(view));
  return {};
}

Status lowerSubview(KernelLowering& lowering, OpId op) {
  const KernelOp& one = lowering.op(op);
  TRY_STATUS(needs(one, 1, 1));
  TRY(MemoryView view, lowering.memory(op, 0));
  TRY(const SliceAt slice, sliceOf(lowering, op, view));
  view.offset = elementsBefore(lowering.code(), view, slice.values);
  std::vector<NestedDimension> dimensions;
  for (size_t i = 0; i < view.rank(); ++i) {
    view.alignment =
        std::gcd(view.alignment, slice.divisors[i] == 0 ? 0 : steps(view.dimensions[i], slice.divisors[i]));
    auto shorter = shortened(view.dimensions[i], slice.sizes[i]);
    if (!shorter) return refuse(one, "a slice that ends within a tile");
    dimensions.push_back(*std::move(shorter));
  }
  auto kept = withRank(std::move(dimensions), slice.sizes, lowering.kernel().type(one.results[0]).shape);
  if (!kept) return refuse(one, "a result of other sizes than the slice");
  view.dimensions = *std::move(kept);
  lowering.give(one.results[0], std::move(view));
  return {};
}

Status lowerMemoryTranspose(KernelLowering& lowering, OpId op) {
  const KernelOp& one = lowering.op(op);
  TRY_STATUS(needs(one, 1, 1));
  TRY(MemoryView view, lowering.memory(op, 0));
  TRY(const Sizes permutation, listOf(one, "permutation"));
  std::vector<NestedDimension> dimensions;
  for (int64_t dimension : permutation) {
    if (dimension < 0 || dimension >= static_cast<int64_t>(view.rank()))
      return refuse(one, "a permutation of other dimensions than its operand's");
    dimensions.push_back(view.dimensions[static_cast<size_t>(dimension)]);
  }
  view.dimensions = std::move(dimensions);
  lowering.give(one.results[0], std::move(view));
  return {};
}

Status lowerCollapseShape(KernelLowering& lowering, OpId op) {
  const KernelOp& one = lowering.op(op);
  TRY_STATUS(needs(one, 1, 1));
  TRY(MemoryView view, lowering.memory(op, 0));
  const auto* groups = one.attribute<std::vector<Sizes>>("reassociation");
  if (!groups) return refuse(one, "it has no reassociation");
  std::vector<NestedDimension> dimensions;
  for (const Sizes& group : *groups) {
    NestedDimension& joined = dimensions.emplace_back();
    for (int64_t i : group) {
      if (i < 0 || i >= static_cast<int64_t>(view.rank()))
        return refuse(one, "a dimension that is not there");
      const NestedDimension& pieces = view.dimensions[static_cast<size_t>(i)];
      joined.insert(joined.end(), pieces.begin(), pieces.end());
    }
    if (joined.empty()) joined.push_back({1, 1});
  }
  view.dimensions = std::move(dimensions);
  lowering.give(one.results[0], std::move(view));
  return {};
}

// Of each group the sizes cut its dimension, the last from the innermost piece on.
Status lowerExpandShape(KernelLowering& lowering, OpId op) {
  const KernelOp& one = lowering.op(op);
  TRY_STATUS(needs(one, 1, 1));
  TRY(MemoryView view, lowering.memory(op, 0));
  const auto* groups = one.attribute<std::vector<Sizes>>("reassociation");
  if (!groups || groups->size() != view.rank()) return refuse(one, "it has no reassociation of its operand");
  const Sizes& shape = lowering.kernel().type(one.results[0]).shape;
  std::vector<NestedDimension> dimensions(shape.size(), {{1, 1}});
  for (size_t g = 0; g < groups->size(); ++g) {
    const Sizes& group = (*groups)[g];
    if (group.size() == 1) {
      dimensions[static_cast<size_t>(group[0])] = view.dimensions[g];
      continue;
    }
    if (view.dimensions[g].size() != 1) return refuse(one, "a dimension that is tiled");
    int64_t stride = view.dimensions[g][0].stride;
    for (auto i = group.rbegin(); i != group.rend(); ++i) {
      const int64_t size = shape[static_cast<size_t>(*i)];
      dimensions[static_cast<size_t>(*i)] = {{size, stride}};
      stride *= size;
    }
  }
  view.dimensions = std::move(dimensions);
  lowering.give(one.results[0], std::move(view));
  return {};
}

Status lowerAddress(KernelLowering& lowering, OpId op) {
  const KernelOp& one = lowering.op(op);
  TRY_STATUS(needs(one, 1, 1));
  TRY(const MemoryView view, lowering.memory(op, 0));
  const std::vector<Value*> first(view.rank(), lowering.code().int64(0));
  Value* address = addressOf(lowering.code(), view, first);
  return lowering.giveScalar(one.results[0], lowering.b().CreatePtrToInt(address, lowering.b().getInt64Ty()));
}

Status lowerVectorLoad(KernelLowering& lowering, OpId op) {
  const KernelOp& one = lowering.op(op);
  TRY_STATUS(needs(one, 1, 1));
  TRY(const MemoryView view, lowering.memory(op, 0));
  TRY(const RegisterMap map, lowering.resultMap(op));
  if (std::holds_alternative<SplatLayout>(map.layout())) return refuse(one, "its elements may differ");
  if (view.shape() != map.shape()) return refuse(one, "memory of another shape than its result");
  lowering.give(one.results[0], loadArray(lowering.code(), view, map));
  return {};
}

// What was read from there before is read by then, and what is read afterwards is there.
Status lowerVectorStore(KernelLowering& lowering, OpId op) {
  const KernelOp& one = lowering.op(op);
  TRY_STATUS(needs(one, 2, 0));
  if (one.attributes.contains("atomic_type") || one.flag("multimem"))
    return refuse(one, "atomic stores and stores to several devices");
  TRY(const RegisterArray array, lowering.array(op, 0));
  TRY(const MemoryView view, lowering.memory(op, 1));
  if (view.shape() != array.map.shape()) return refuse(one, "memory of another shape than its array");
  lowering.code().warpgroupBarrier();
  storeArray(lowering.code(), view, array);
  lowering.code().warpgroupBarrier();
  return {};
}

Status lowerElementLoad(KernelLowering& lowering, OpId op) {
  const KernelOp& one = lowering.op(op);
  TRY_STATUS(needs(one, 1, 1));
  TRY(const MemoryView view, lowering.memory(op, 0));
  TRY_STATUS(needs(one, 1 + view.rank(), 1));
  std::vector<Value*> index;
  for (size_t i = 0; i < view.rank(); ++i) {
    TRY(index.emplace_back(), lowering.scalar(op, 1 + i));
  }
  lowering.give(one.results[0], scalarArray(view.element, load(lowering.code(), view, index, 1)[0]));
  return {};
}

// By one thread: all have the same value.
Status lowerElementStore(KernelLowering& lowering, OpId op) {
  const KernelOp& one = lowering.op(op);
  TRY_STATUS(needs(one, 2, 0));
  TRY(const RegisterArray value, lowering.array(op, 0));
  TRY(const MemoryView view, lowering.memory(op, 1));
  TRY_STATUS(needs(one, 2 + view.rank(), 0));
  if (!value.map.shape().empty()) return refuse(one, "a scalar is stored");
  std::vector<Value*> index;
  for (size_t i = 0; i < view.rank(); ++i) {
    TRY(index.emplace_back(), lowering.scalar(op, 2 + i));
  }
  lowering.code().warpgroupBarrier();
  lowering.code().once([&] { store(lowering.code(), view, index, value.elements); });
  lowering.code().warpgroupBarrier();
  return {};
}

}  // namespace hilo::warpgroup
