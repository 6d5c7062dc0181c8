#include "core/hlo/eval/index_vectors.h"

namespace hilo {

DimVector otherDimensions(size_t rank, std::span<const int64_t> a, std::span<const int64_t> b) {
  DimVector rest;
  for (int64_t d = 0; d < static_cast<int64_t>(rank); ++d) {
    if (!containsDimension(a, d) && !containsDimension(b, d)) rest.push_back(d);
  }
  return rest;
}

Result<IndexVectors> IndexVectors::make(const Instruction& instruction, const Literal& indices, Shape operand,
                                        std::span<const int64_t> indexMap,
                                        std::span<const int64_t> operandBatching,
                                        std::span<const int64_t> indicesBatching) {
  const Shape shape = indices.shape();
  const int64_t vectorDim =
      instruction.get<Attr::IndexVectorDim>().value_or(static_cast<int64_t>(shape.rank()));
  EVAL_REQUIRE(shape.isArray() && holdsIntegers(indices), "indices must be integers");
  EVAL_REQUIRE(vectorDim >= 0 && vectorDim <= static_cast<int64_t>(shape.rank()),
               "index_vector_dim is out of range");
  const bool hasVector = vectorDim < static_cast<int64_t>(shape.rank());
  EVAL_REQUIRE(areDistinctDimensions(indexMap, operand.rank()) &&
                   static_cast<int64_t>(indexMap.size()) == (hasVector ? shape.dimension(vectorDim) : 1),
               "the index map does not fit the index vectors");
  EVAL_REQUIRE(areDistinctDimensions(operandBatching, operand.rank()) &&
                   areDistinctDimensions(indicesBatching, shape.rank()) &&
                   operandBatching.size() == indicesBatching.size(),
               "the batching dimensions do not pair up");
  IndexVectors walk;
  walk.values_ = elementsAs<int64_t>(indices, ElementType::S64);
  if (shape.elementType() == ElementType::U64) {
    // What exceeds int64 is beyond any dimension.
    for (int64_t& value : walk.values_) value = value < 0 ? std::numeric_limits<int64_t>::max() : value;
  }
  const DimVector strides = rowMajorStrides(shape.dimensions());
  walk.vectorStride_ = hasVector ? strides[vectorDim] : 0;
  for (int64_t d = 0; d < static_cast<int64_t>(shape.rank()); ++d) {
    if (d == vectorDim) continue;
    walk.positionSizes_.push_back(shape.dimension(d));
    walk.positionStrides_.push_back(strides[d]);
    for (size_t i = 0; i < indicesBatching.size(); ++i) {
      if (indicesBatching[i] == d)
        walk.batching_.push_back({operandBatching[i], walk.positionSizes_.size() - 1});
    }
  }
  EVAL_REQUIRE(walk.batching_.size() == indicesBatching.size(),
               "the index vector dimension cannot be a batching dimension");
  for (const auto& [operandDim, position] : walk.batching_) {
    EVAL_REQUIRE(operand.dimension(operandDim) == walk.positionSizes_[position],
                 "batching dimensions differ in size");
  }
  walk.indexMap_.assign(indexMap.begin(), indexMap.end());
  walk.start_.assign(operand.rank(), 0);
  return walk;
}

}  // namespace hilo
