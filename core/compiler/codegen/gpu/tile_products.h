// How a block multiplies two tiles and where the sums are: by the warps (mma.sync) or by groups of four of
// them (wgmma). What is before and after is the same (lower_tensor_dot.cpp).
#pragma once

#include <functional>
#include <memory>

#include "core/compiler/codegen/gpu/dot_form.h"
#include "core/compiler/codegen/gpu/tensor_tile.h"
#include "core/compiler/codegen/gpu/tensor_types.h"

namespace hilo::gpu {

// The square of the result that a block does: kLarge where there are many, else kSmall; with mma.sync others
// too, of which rows are a multiple of 16, and columns of warpColumns(rows).
struct TensorPlan {
  int64_t rows, columns;

  int64_t squaresDown(const DotForm& form) const { return (form.rows() + rows - 1) / rows; }
  int64_t squaresAcross(const DotForm& form) const { return (form.columns() + columns - 1) / columns; }
  int64_t pieces(const DotForm& form) const { return form.batch() * squaresDown(form) * squaresAcross(form); }
};
inline constexpr TensorPlan kLargeSquares{128, 128}, kSmallSquares{64, 64};

// Warps above each other, of the eight; and the multiple of columns that they share then.
constexpr int64_t warpsDown(const TensorPlan& plan) {
  if (plan.rows >= 128 && plan.columns >= 128) return 2;
  return plan.rows >= 64 ? 4 : plan.rows / 16;
}
constexpr int64_t warpColumns(int64_t rows) { return rows >= 64 ? 64 : 16 * 8 / (rows / 16); }

class TileProducts {
 public:
  virtual ~TileProducts() = default;

  virtual TensorTile& left() = 0;
  virtual TensorTile& right() = 0;
  virtual int64_t stages() const = 0;
  // All sums are zero.
  virtual void begin() = 0;
  // What this thread wrote to tiles is seen by whoever multiplies, after the next barrier.
  virtual void publish() {}
  // Adds the products of the tiles of a stage.
  virtual void multiply(llvm::Value* stage) = 0;
  // Each sum of the thread, of type TensorType::sum, with its place in the square.
  using Take = std::function<void(llvm::Value* row, llvm::Value* column, Scalar sum)>;
  virtual void give(const Take& take) = 0;
};

// The form and the type live as long as the products.
std::unique_ptr<TileProducts> warpProducts(ElementEmitter& elements, Block& block, const DotForm& form,
                                           const TensorType& type, const TensorPlan& plan);
std::unique_ptr<TileProducts> warpgroupProducts(ElementEmitter& elements, Block& block, const DotForm& form,
                                                const TensorType& type, const TensorPlan& plan);

}  // namespace hilo::gpu
