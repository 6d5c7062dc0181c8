// Tensor memory: 128 rows of 512 columns of 32 bits.
#include "plugins/mosaic/dialect.h"
#include "plugins/mosaic/memory_space.h"

namespace hilo::mosaic {
namespace {

using mlir::failure;
using mlir::LogicalResult;
using mlir::success;

constexpr int64_t kRows = 128, kColumns = 512, kColumnBits = 32, kColumnStep = 4;

template <typename A, typename B>
LogicalResult checkSame(mlir::Operation* op, A from, B to) {
  if (from.getElementType() != to.getElementType())
    return op->emitOpError() << "source and destination differ in element type: " << from.getElementType()
                             << " and " << to.getElementType();
  if (from.getShape() != to.getShape())
    return op->emitOpError() << "source and destination differ in shape: " << from << " and " << to;
  return success();
}

// `to` [M, N] comes from blocks [M / 128, N / step, ...block].
LogicalResult checkBlocks(mlir::Operation* op, mlir::MemRefType from, mlir::MemRefType to, int64_t step,
                          llvm::ArrayRef<llvm::SmallVector<int64_t, 4>> shapes) {
  if (to.getDimSize(0) % kRows != 0)
    return op->emitOpError() << "destination has " << to.getDimSize(0) << " rows, no multiple of " << kRows;
  if (to.getDimSize(1) % step != 0)
    return op->emitOpError() << "destination has " << to.getDimSize(1) << " columns, no multiple of " << step;
  if (llvm::none_of(shapes, [&](const auto& shape) { return llvm::ArrayRef(shape) == from.getShape(); })) {
    mlir::InFlightDiagnostic error = op->emitOpError("source has the shape (");
    llvm::interleaveComma(shapes[0], error);
    error << "), not that of " << from;
    return error;
  }
  if (failed(requireShared(op, from, "source"))) return failure();
  return requireTensor(op, to, "destination");
}

}  // namespace

LogicalResult TmemAllocOp::verify() {
  const mlir::MemRefType made = getResult().getType();
  if (failed(requireShared(*this, getSmemPtr().getType(), "smem_ptr")) ||
      failed(requireTensor(*this, made, "the result")))
    return failure();
  const int64_t packing = getPacking(), columns = made.getDimSize(1);
  const mlir::Type element = made.getElementType();
  const int64_t bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : kColumnBits;
  if (packing != 1 && packing * bits != kColumnBits)
    return emitOpError() << "packs " << packing << " elements of " << bits << " bits in a column of "
                         << kColumnBits << ": one, or as many as it has room for";
  if (columns % packing != 0)
    return emitOpError() << columns << " columns of elements, no multiple of the packing " << packing;
  if (columns / packing > kColumns)
    return emitOpError() << "takes " << columns / packing << " columns of " << kColumns;
  return success();
}

LogicalResult TmemDeallocOp::verify() { return requireTensor(*this, getTmemRef().getType(), "tmem_ref"); }
LogicalResult TmemLayoutCastOp::verify() { return requireTensor(*this, getRef().getType(), "ref"); }

LogicalResult SliceTmemOp::verify() {
  if (failed(requireTensor(*this, getSource().getType(), "source")) ||
      failed(requireTensor(*this, getResult().getType(), "the result")))
    return failure();
  if (getOffset() % kColumnStep == 0) return success();
  return emitOpError() << "begins at column " << getOffset() << ", no multiple of " << kColumnStep;
}

LogicalResult AsyncLoadTmemOp::verify() {
  if (getNumResults() == 0) return emitOpError("has no result");
  const mlir::MemRefType from = getSource().getType();
  if (failed(checkSame(*this, from, llvm::cast<mlir::VectorType>(getResult(0).getType())))) return failure();
  const bool isFolded = getReduce().has_value();
  if (getNumResults() != (isFolded ? 2u : 1u))
    return emitOpError() << "has " << getNumResults() << " results: one, and a second with reduce";
  const mlir::Type element = from.getElementType();
  if (isFolded && !element.isF32() && !element.isSignlessInteger(32))
    return emitOpError() << "folds f32 and i32, not " << element;
  if (isFolded && getResult(1).getType() != mlir::VectorType::get(from.getShape().drop_back(), element))
    return emitOpError() << "folds a row to one element, which " << getResult(1).getType() << " is not";
  return requireTensor(*this, from, "source");
}

LogicalResult AsyncStoreTmemOp::verify() {
  if (failed(checkSame(*this, getSource().getType(), getDestination().getType()))) return failure();
  return requireTensor(*this, getDestination().getType(), "destination");
}

LogicalResult AsyncStoreSmemToTmemOp::verify() {
  if (failed(checkSame(*this, getSource().getType(), getDestination().getType())) ||
      failed(requireShared(*this, getSource().getType(), "source")))
    return failure();
  return requireTensor(*this, getDestination().getType(), "destination");
}

LogicalResult AsyncStoreSparseMetadataSmemToTmemOp::verify() {
  const mlir::MemRefType to = getDestination().getType();
  const int64_t rows = to.getDimSize(0) / kRows, columns = to.getDimSize(1) / 64;
  return checkBlocks(*this, getSource().getType(), to, 64, {{rows, columns, 128, 64}});
}

LogicalResult AsyncStoreScalesSmemToTmemOp::verify() {
  const mlir::MemRefType from = getSource().getType(), to = getDestination().getType();
  if (from.getElementType() != to.getElementType())
    return emitOpError() << "source and destination differ in element type: " << from.getElementType()
                         << " and " << to.getElementType();
  const int64_t rows = to.getDimSize(0) / kRows, columns = to.getDimSize(1) / 4;
  // The second form is that of matrices of 64 rows.
  return checkBlocks(*this, from, to, 4, {{rows, columns, 32, 16}, {1, columns, 64, 16}});
}

}  // namespace hilo::mosaic
