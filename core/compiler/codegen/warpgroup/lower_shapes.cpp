// Arrays in registers made of others' elements: broadcast, reshaped, cut and put together. The layouts are
// such that each thread has what it needs.
#include <fmt/format.h>

#include <algorithm>

#include "core/compiler/codegen/warpgroup/kernel_lowering.h"

namespace hilo::warpgroup {

namespace {

// Gives the result by where its elements come from; operands are laid out as the operation wants them.
Status giveGathered(KernelLowering& lowering, OpId op, size_t operands, const OriginOf& originOf) {
  const KernelOp& one = lowering.op(op);
  std::vector<RegisterArray> sources;
  for (size_t i = 0; i < operands; ++i) {
    TRY(RegisterArray array, lowering.array(op, i));
    sources.push_back(std::move(array));
  }
  TRY(const RegisterMap map, lowering.resultMap(op));
  auto result = gathered(sources, map, originOf);
  if (!result) return refuse(one, "elements that other threads hold");
  lowering.give(one.results[0], *std::move(result));
  return {};
}

Sizes plus(Sizes index, const Sizes& offsets, int64_t sign) {
  for (size_t i = 0; i < std::min(index.size(), offsets.size()); ++i) index[i] += sign * offsets[i];
  return index;
}

bool isWithin(const Sizes& index, const Sizes& shape) {
  for (size_t i = 0; i < shape.size(); ++i)
    if (index[i] < 0 || index[i] >= shape[i]) return false;
  return true;
}

// Whether a slice of this shape at these offsets lies within the array.
bool fits(const Sizes& offsets, const Sizes& slice, const Sizes& shape) {
  if (offsets.size() != shape.size() || slice.size() != shape.size()) return false;
  for (size_t i = 0; i < shape.size(); ++i)
    if (offsets[i] < 0 || offsets[i] + slice[i] > shape[i]) return false;
  return true;
}

Status checkUnitStrides(const KernelOp& op) {
  const auto* strides = op.attribute<Sizes>("strides");
  if (strides && std::ranges::any_of(*strides, [](int64_t stride) { return stride != 1; }))
    return refuse(op, "strides other than 1");
  return {};
}

const Sizes& shapeOf(const KernelLowering& lowering, ValueId value) {
  return lowering.kernel().type(value).shape;
}

}  // namespace

Status lowerBroadcast(KernelLowering& lowering, OpId op) {
  const KernelOp& one = lowering.op(op);
  TRY_STATUS(needs(one, 1, 1));
  TRY(const Sizes dimensions, listOf(one, "broadcast_dimensions"));
  const Sizes& from = shapeOf(lowering, one.operands[0]);
  const auto rank = static_cast<int64_t>(shapeOf(lowering, one.results[0]).size());
  if (dimensions.size() != from.size() ||
      std::ranges::any_of(dimensions, [&](int64_t d) { return d < 0 || d >= rank; }))
    return refuse(one, "broadcast_dimensions are not those of its operand");
  return giveGathered(lowering, op, 1, [&](const Sizes& index) {
    Sizes source;
    for (size_t i = 0; i < from.size(); ++i)
      source.push_back(from[i] == 1 ? 0 : index[static_cast<size_t>(dimensions[i])]);
    return Origin{0, std::move(source)};
  });
}

Status lowerShapeCast(KernelLowering& lowering, OpId op) {
  const KernelOp& one = lowering.op(op);
  TRY_STATUS(needs(one, 1, 1));
  const Sizes &from = shapeOf(lowering, one.operands[0]), &to = shapeOf(lowering, one.results[0]);
  if (elementCount(from) != elementCount(to)) return refuse(one, "another number of elements");
  return giveGathered(lowering, op, 1,
                      [&](const Sizes& index) { return Origin{0, indexAt(linearIndex(index, to), from)}; });
}

Status lowerConcatenate(KernelLowering& lowering, OpId op) {
  const KernelOp& one = lowering.op(op);
  TRY_STATUS(needs(one, 1, 1));
  const auto* dimension = one.attribute<int64_t>("dimension");
  const Sizes& shape = shapeOf(lowering, one.results[0]);
  if (!dimension || *dimension < 0 || *dimension >= static_cast<int64_t>(shape.size()))
    return refuse(one, "it has no dimension of its result");
  const auto along = static_cast<size_t>(*dimension);
  Sizes ends;
  for (ValueId operand : one.operands)
    ends.push_back((ends.empty() ? 0 : ends.back()) + shapeOf(lowering, operand)[along]);
  if (ends.back() != shape[along]) return refuse(one, "operands that do not fill its result");
  return giveGathered(lowering, op, one.operands.size(), [&](Sizes index) {
    const auto source = static_cast<size_t>(std::ranges::upper_bound(ends, index[along]) - ends.begin());
    if (source > 0) index[along] -= ends[source - 1];
    return Origin{source, std::move(index)};
  });
}

Status lowerExtractSlice(KernelLowering& lowering, OpId op) {
  const KernelOp& one = lowering.op(op);
  TRY_STATUS(needs(one, 1, 1));
  TRY_STATUS(checkUnitStrides(one));
  TRY(const Sizes offsets, listOf(one, "offsets"));
  if (!fits(offsets, shapeOf(lowering, one.results[0]), shapeOf(lowering, one.operands[0])))
    return refuse(one, "a slice that is not within its operand");
  return giveGathered(lowering, op, 1,
                      [&](const Sizes& index) { return Origin{0, plus(index, offsets, 1)}; });
}

Status lowerInsertSlice(KernelLowering& lowering, OpId op) {
  const KernelOp& one = lowering.op(op);
  TRY_STATUS(needs(one, 2, 1));
  TRY_STATUS(checkUnitStrides(one));
  TRY(const Sizes offsets, listOf(one, "offsets"));
  const Sizes& slice = shapeOf(lowering, one.operands[0]);
  if (!fits(offsets, slice, shapeOf(lowering, one.results[0])))
    return refuse(one, "a slice that is not within its result");
  return giveGathered(lowering, op, 2, [&](const Sizes& index) {
    Sizes inSlice = plus(index, offsets, -1);
    const bool isInserted = isWithin(inSlice, slice);
    return isInserted ? Origin{0, std::move(inSlice)} : Origin{1, index};
  });
}

// The part of an array at positions in its first dimensions; of an array of equal elements one of them.
Status lowerExtract(KernelLowering& lowering, OpId op) {
  const KernelOp& one = lowering.op(op);
  TRY_STATUS(needs(one, 1, 1));
  TRY(const Sizes position, listOf(one, "static_position"));
  const Sizes& shape = shapeOf(lowering, one.operands[0]);
  for (size_t i = 0; i < position.size(); ++i)
    if (i >= shape.size() || position[i] < 0 || position[i] >= shape[i])
      return refuse(one, "a position that is not within its operand, or not known before it runs");
  return giveGathered(lowering, op, 1, [&](const Sizes& index) {
    Sizes source = position;
    source.insert(source.end(), index.begin(), index.end());
    return Origin{0, std::move(source)};
  });
}

}  // namespace hilo::warpgroup
