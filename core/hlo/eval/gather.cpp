#include "core/hlo/eval/handlers.h"
#include "core/hlo/eval/index_vectors.h"

namespace hilo::eval {

// Copies one window of the operand a position of the index vectors, each moved to lie inside the operand.
Result<Literal> gather(const Instruction& instruction, std::span<Literal> operands, EvalContext& context) {
  const Literal& operand = operands[0];
  const Shape from = operand.shape(), to = instruction.shape();
  EVAL_REQUIRE(from.isArray() && to.isArray() && from.elementType() == to.elementType(),
               "operand and result types differ");
  const auto offsetDims = instruction.get<Attr::OffsetDims>(),
             collapsed = instruction.get<Attr::CollapsedSliceDims>();
  const auto batching = instruction.get<Attr::OperandBatchingDims>(),
             sizes = instruction.get<Attr::SliceSizes>();
  TRY(IndexVectors vectors,
      IndexVectors::make(instruction, operands[1], from, instruction.get<Attr::StartIndexMap>(), batching,
                         instruction.get<Attr::StartIndicesBatchingDims>()));
  EVAL_REQUIRE(sizes.size() == from.rank() && areDistinctDimensions(offsetDims, to.rank()),
               "slice_sizes or offset_dims do not fit");
  const DimVector windowDims = otherDimensions(from.rank(), collapsed, batching);
  const DimVector batchDims = otherDimensions(to.rank(), offsetDims);
  EVAL_REQUIRE(windowDims.size() == offsetDims.size() && batchDims.size() == vectors.positionSizes().size(),
               "the dimension numbers do not give the result's rank");
  const DimVector fromStrides = rowMajorStrides(from.dimensions()),
                  toStrides = rowMajorStrides(to.dimensions());
  DimVector windowSizes, windowFrom, windowTo, positionTo;
  for (size_t d = 0; d < from.rank(); ++d) {
    EVAL_REQUIRE(sizes[d] >= 0 && sizes[d] <= from.dimension(d), "a slice size exceeds the operand");
    EVAL_REQUIRE(containsDimension(windowDims, static_cast<int64_t>(d)) || sizes[d] <= 1,
                 "a collapsed slice has more than one element");
  }
  for (size_t i = 0; i < windowDims.size(); ++i) {
    EVAL_REQUIRE(sizes[windowDims[i]] == to.dimension(offsetDims[i]),
                 "an offset dimension differs from its slice size");
    windowSizes.push_back(sizes[windowDims[i]]);
    windowFrom.push_back(fromStrides[windowDims[i]]);
    windowTo.push_back(toStrides[offsetDims[i]]);
  }
  for (size_t i = 0; i < batchDims.size(); ++i) {
    EVAL_REQUIRE(to.dimension(batchDims[i]) == vectors.positionSizes()[i],
                 "a batch dimension differs from the indices");
    positionTo.push_back(toStrides[batchDims[i]]);
  }
  TRY(Literal result, context.make(to));
  std::byte* out = result.mutableBytes().data();
  if (to.elementCount() == 0) return result;
  int64_t count = 0;
  for (StridedCounter<2> at(vectors.positionSizes(), {positionTo, vectors.positionStrides()}); !at.done();
       at.next()) {
    if (++count % 4096 == 0) TRY_STATUS(context.poll());
    const auto start = vectors.startAt(at.index(), at.offset(1));
    int64_t base = 0;
    for (size_t d = 0; d < from.rank(); ++d)
      base += std::clamp<int64_t>(start[d], 0, from.dimension(d) - sizes[d]) * fromStrides[d];
    moveStrided(out, {at.offset(0), windowTo}, operand.bytes().data(), {base, windowFrom}, storageBytes(to),
                windowSizes);
  }
  return result;
}

}  // namespace hilo::eval
