// Shapes, element types and memories of products of matrices.
#include "plugins/mosaic/dialect.h"
#include "plugins/mosaic/memory_space.h"

namespace hilo::mosaic {
namespace {

using mlir::failure;
using mlir::LogicalResult;
using mlir::ShapedType;
using mlir::success;

constexpr int64_t kWgmmaRows = 64;
constexpr int64_t kTcGen05Rows = 32;

bool isFp8(mlir::Type type) { return llvm::isa<mlir::Float8E4M3FNType, mlir::Float8E5M2Type>(type); }

LogicalResult checkFactors(mlir::Operation* op, ShapedType a, ShapedType b, bool mayMixFp8) {
  const mlir::Type of = a.getElementType(), with = b.getElementType();
  if (of == with || (mayMixFp8 && isFp8(of) && isFp8(with))) return success();
  return op->emitOpError() << "a and b differ in element type: " << of << " and " << with;
}

LogicalResult differ(mlir::Operation* op, llvm::StringRef left, int64_t size, llvm::StringRef right,
                     int64_t other) {
  return op->emitOpError() << left << " is " << size << ", " << right << " is " << other;
}

// sum[M, N] of a[M, K] and b[K, N]; `kFactor` elements of b for one of a, `nFactor` of sum for one of b.
LogicalResult checkShapes(mlir::Operation* op, ShapedType sum, ShapedType a, ShapedType b,
                          int64_t kFactor = 1, int64_t nFactor = 1) {
  if (sum.getDimSize(0) != a.getDimSize(0))
    return differ(op, "M of the accumulator", sum.getDimSize(0), "of a", a.getDimSize(0));
  if (a.getDimSize(1) * kFactor != b.getDimSize(0))
    return differ(op, kFactor == 1 ? "K of a" : "K of a, which is sparse: half of b's,", a.getDimSize(1),
                  "of b", b.getDimSize(0));
  if (b.getDimSize(1) * nFactor != sum.getDimSize(1))
    return differ(op, nFactor == 1 ? "N of b" : "N of b, of two blocks: half of the accumulator's,",
                  b.getDimSize(1), "of the accumulator", sum.getDimSize(1));
  return success();
}

LogicalResult checkRows(mlir::Operation* op, ShapedType sum, int64_t multiple) {
  if (sum.getDimSize(0) % multiple == 0) return success();
  return op->emitOpError() << "M of the accumulator, " << sum.getDimSize(0) << ", is no multiple of "
                           << multiple;
}

}  // namespace

LogicalResult WGMMAOp::verify() {
  const auto a = llvm::cast<ShapedType>(getA().getType());
  const ShapedType b = getB().getType(), sum = getAccumulator().getType();
  if (failed(checkFactors(*this, a, b, /*mayMixFp8=*/true)) || failed(checkShapes(*this, sum, a, b)))
    return failure();
  return checkRows(*this, sum, kWgmmaRows);
}

LogicalResult MMAOp::verify() {
  const ShapedType a = getA().getType(), b = getB().getType(), sum = getAccumulator().getType();
  if (failed(checkFactors(*this, a, b, /*mayMixFp8=*/false)) || failed(checkShapes(*this, sum, a, b)))
    return failure();
  const bool isInteger = llvm::isa<mlir::IntegerType>(a.getElementType());
  if (isInteger && !sum.getElementType().isInteger(32)) return emitOpError("sums of integers are i32");
  if (!isInteger && !llvm::isa<mlir::FloatType>(sum.getElementType()))
    return emitOpError("sums of floats are floats");
  return success();
}

LogicalResult TcGen05MMAOp::verify() {
  const mlir::MemRefType a = getA().getType(), b = getB().getType(), sum = getAccumulator().getType();
  const auto sparse = getASparseMetadata();
  if (failed(checkFactors(*this, a, b, /*mayMixFp8=*/true)) ||
      failed(checkShapes(*this, sum, a, b, sparse ? 2 : 1, getCollective() ? 2 : 1)) ||
      failed(checkRows(*this, sum, kTcGen05Rows)) || failed(requireTensor(*this, sum, "the accumulator")))
    return failure();
  if (!isTensor(a) && !isShared(a))
    return emitOpError() << "a lies in tensor or shared memory, not in " << memoryOf(a);
  if (failed(requireShared(*this, b, "b"))) return failure();
  if (!getAScale() != !getBScale()) return emitOpError("has a_scale and b_scale, or neither");
  if (getAScale() && (failed(requireTensor(*this, getAScale().getType(), "a_scale")) ||
                      failed(requireTensor(*this, getBScale().getType(), "b_scale"))))
    return failure();
  if (!sparse) return success();
  if (failed(requireTensor(*this, sparse.getType(), "a_sparse_metadata"))) return failure();
  if (sparse.getType().getShape() != a.getShape())
    return emitOpError() << "a_sparse_metadata is " << sparse.getType() << ", a is " << a
                         << ": their shapes are the same";
  return success();
}

}  // namespace hilo::mosaic
