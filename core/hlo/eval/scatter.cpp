#include <cstring>

#include "core/hlo/eval/applier.h"
#include "core/hlo/eval/handlers.h"
#include "core/hlo/eval/index_vectors.h"

namespace hilo::eval {
namespace {

// Folds windows of the updates into the results. Elements of one window land on distinct places, so a window
// is folded many elements at a time; windows follow each other in row-major order of the index vectors.
class WindowFolder {
 public:
  WindowFolder(std::span<const Literal> updates, std::vector<Literal>& results, Applier& applier)
      : applier_(applier) {
    for (size_t i = 0; i < updates.size(); ++i) {
      bytes_.push_back(storageBytes(updates[i].shape()));
      updates_.push_back(updates[i].bytes().data());
      results_.push_back(results[i].mutableBytes().data());
      current_.emplace_back(static_cast<size_t>(ScalarProgram::kLanes * bytes_[i]));
      incoming_.emplace_back(static_cast<size_t>(ScalarProgram::kLanes * bytes_[i]));
    }
  }

  Status fold(std::span<const int64_t> sizes, StridedView result, StridedView update) {
    for (StridedCounter<2> at(sizes, {result.strides, update.strides}); !at.done(); at.next()) {
      resultOffsets_.push_back(result.base + at.offset(0));
      updateOffsets_.push_back(update.base + at.offset(1));
      if (static_cast<int64_t>(resultOffsets_.size()) == ScalarProgram::kLanes) TRY_STATUS(flush());
    }
    return flush();
  }

 private:
  Status flush() {
    const size_t n = bytes_.size();
    absl::InlinedVector<const void*, 4> parameters(2 * n);
    absl::InlinedVector<void*, 2> outputs(n);
    for (size_t i = 0; i < n; ++i) {
      visitElementSize(bytes_[i], [&]<typename T>() {
        for (size_t k = 0; k < resultOffsets_.size(); ++k) {
          reinterpret_cast<T*>(current_[i].data())[k] =
              reinterpret_cast<const T*>(results_[i])[resultOffsets_[k]];
          reinterpret_cast<T*>(incoming_[i].data())[k] =
              reinterpret_cast<const T*>(updates_[i])[updateOffsets_[k]];
        }
      });
      parameters[i] = outputs[i] = current_[i].data();
      parameters[n + i] = incoming_[i].data();
    }
    TRY_STATUS(
        applier_.apply(parameters.data(), outputs.data(), static_cast<int64_t>(resultOffsets_.size())));
    for (size_t i = 0; i < n; ++i) {
      visitElementSize(bytes_[i], [&]<typename T>() {
        for (size_t k = 0; k < resultOffsets_.size(); ++k) {
          reinterpret_cast<T*>(results_[i])[resultOffsets_[k]] =
              reinterpret_cast<const T*>(current_[i].data())[k];
        }
      });
    }
    resultOffsets_.clear();
    updateOffsets_.clear();
    return {};
  }

  Applier& applier_;
  std::vector<int> bytes_;
  std::vector<const std::byte*> updates_;
  std::vector<std::byte*> results_;
  std::vector<std::vector<std::byte>> current_, incoming_;
  std::vector<int64_t> resultOffsets_, updateOffsets_;
};

// How update dimensions meet operand dimensions.
struct ScatterGeometry {
  DimVector windowSizes, windowResult, windowUpdate;  // a window, its strides in result and update
  DimVector positionUpdate;                           // strides in the update of index vector positions
  DimVector extent;                                   // what a window takes of each operand dimension
};

Result<ScatterGeometry> geometryOf(const Instruction& instruction, Shape operand, Shape update,
                                   const IndexVectors& vectors) {
  const auto windowDims = instruction.get<Attr::UpdateWindowDims>();
  EVAL_REQUIRE(areDistinctDimensions(windowDims, update.rank()), "update_window_dims do not fit the update");
  const DimVector operandDims = otherDimensions(operand.rank(), instruction.get<Attr::InsertedWindowDims>(),
                                                instruction.get<Attr::InputBatchingDims>());
  const DimVector positionDims = otherDimensions(update.rank(), windowDims);
  EVAL_REQUIRE(
      operandDims.size() == windowDims.size() && positionDims.size() == vectors.positionSizes().size(),
      "the dimension numbers do not give the update's rank");
  const DimVector resultStrides = rowMajorStrides(operand.dimensions()),
                  updateStrides = rowMajorStrides(update.dimensions());
  ScatterGeometry geometry;
  geometry.extent.assign(operand.rank(), 1);
  for (size_t i = 0; i < windowDims.size(); ++i) {
    const int64_t size = update.dimension(windowDims[i]);
    EVAL_REQUIRE(size <= operand.dimension(operandDims[i]), "an update window exceeds the operand");
    geometry.extent[operandDims[i]] = size;
    geometry.windowSizes.push_back(size);
    geometry.windowResult.push_back(resultStrides[operandDims[i]]);
    geometry.windowUpdate.push_back(updateStrides[windowDims[i]]);
  }
  for (size_t i = 0; i < positionDims.size(); ++i) {
    EVAL_REQUIRE(update.dimension(positionDims[i]) == vectors.positionSizes()[i],
                 "an update dimension differs from the indices");
    geometry.positionUpdate.push_back(updateStrides[positionDims[i]]);
  }
  return geometry;
}

}  // namespace

// A window that would reach outside the operand is skipped whole.
Result<Literal> scatter(const Instruction& instruction, std::span<Literal> operands, EvalContext& context) {
  EVAL_REQUIRE(operands.size() % 2 == 1 && operands.size() >= 3,
               "needs operands, indices and as many updates");
  const size_t n = operands.size() / 2;
  const auto updates = operands.subspan(n + 1);
  const Shape shape = operands[0].shape(), update = updates[0].shape();
  std::vector<ElementType> types;
  for (size_t i = 0; i < n; ++i) {
    EVAL_REQUIRE(operands[i].shape().isArray() && updates[i].shape().isArray() &&
                     sameDimensions(operands[i].shape(), shape) &&
                     sameDimensions(updates[i].shape(), update) &&
                     operands[i].shape().elementType() == updates[i].shape().elementType(),
                 "operands and updates do not fit together");
    types.push_back(operands[i].shape().elementType());
  }
  TRY(IndexVectors vectors,
      IndexVectors::make(instruction, operands[n], shape, instruction.get<Attr::ScatterDimsToOperandDims>(),
                         instruction.get<Attr::InputBatchingDims>(),
                         instruction.get<Attr::ScatterIndicesBatchingDims>()));
  TRY(const ScatterGeometry geometry, geometryOf(instruction, shape, update, vectors));
  std::vector<ElementType> parameters = types;
  parameters.insert(parameters.end(), types.begin(), types.end());
  TRY(Applier applier,
      Applier::make(instruction, instruction.get<Attr::ToApply>(), parameters, types, context));
  std::vector<Literal> results(std::make_move_iterator(operands.begin()),
                               std::make_move_iterator(operands.begin() + n));
  WindowFolder folder(updates, results, applier);
  const DimVector strides = rowMajorStrides(shape.dimensions());
  // Empty windows change nothing, however many there are.
  const bool anything = update.elementCount() > 0;
  int64_t count = 0;
  for (StridedCounter<2> at(vectors.positionSizes(), {geometry.positionUpdate, vectors.positionStrides()});
       anything && !at.done(); at.next()) {
    if (++count % 1024 == 0) TRY_STATUS(context.poll());
    const auto start = vectors.startAt(at.index(), at.offset(1));
    bool inside = true;
    int64_t base = 0;
    for (size_t d = 0; d < shape.rank() && inside; ++d) {
      inside = start[d] >= 0 && start[d] <= shape.dimension(d) - geometry.extent[d];
      if (inside) base += start[d] * strides[d];
    }
    if (!inside) continue;
    TRY_STATUS(folder.fold(geometry.windowSizes, {base, geometry.windowResult},
                           {at.offset(0), geometry.windowUpdate}));
  }
  if (!instruction.shape().isTuple()) return std::move(results[0]);
  return Literal::tuple(std::move(results));
}

}  // namespace hilo::eval
