// What gather and scatter have in common: reading index vectors.
#pragma once

#include "core/hlo/eval/eval_context.h"
#include "core/hlo/eval/literal_access.h"

namespace hilo {

inline bool containsDimension(std::span<const int64_t> list, int64_t value) {
  return std::ranges::find(list, value) != list.end();
}

// Dimensions of [0, rank) in neither list, in order.
DimVector otherDimensions(size_t rank, std::span<const int64_t> a, std::span<const int64_t> b = {});

// Walks the index vectors of gather and scatter: positions in the indices array with its index vector
// dimension taken out, the start index each gives in the operand, and batching dimensions.
class IndexVectors {
 public:
  // Error kind "malformed-instruction" when the dimension numbers do not fit the shapes.
  static Result<IndexVectors> make(const Instruction& instruction, const Literal& indices, Shape operand,
                                   std::span<const int64_t> indexMap,
                                   std::span<const int64_t> operandBatching,
                                   std::span<const int64_t> indicesBatching);

  std::span<const int64_t> positionSizes() const { return positionSizes_; }
  std::span<const int64_t> positionStrides() const { return positionStrides_; }

  // The start index in the operand of the vector at `position`, whose offset in the indices
  // array is `offset`.
  std::span<const int64_t> startAt(std::span<const int64_t> position, int64_t offset) {
    for (size_t i = 0; i < indexMap_.size(); ++i)
      start_[indexMap_[i]] = values_[offset + static_cast<int64_t>(i) * vectorStride_];
    for (const auto& [operandDim, at] : batching_) start_[operandDim] = position[at];
    return start_;
  }

 private:
  std::vector<int64_t> values_;
  int64_t vectorStride_ = 0;
  DimVector positionSizes_, positionStrides_;
  DimVector indexMap_;
  std::vector<std::pair<int64_t, size_t>> batching_;  // operand dimension, place in the position
  DimVector start_;
};

}  // namespace hilo
