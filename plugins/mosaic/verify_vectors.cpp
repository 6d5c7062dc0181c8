// Vectors, views of memory, and operations with code of their own.
#include "plugins/mosaic/dialect.h"
#include "plugins/mosaic/memory_space.h"

namespace hilo::mosaic {
namespace {

using mlir::failure;
using mlir::LogicalResult;
using mlir::MemRefType;
using mlir::success;
using mlir::VectorType;

LogicalResult checkMoved(mlir::Operation* op, VectorType vector, MemRefType array) {
  if (vector.getShape() != array.getShape())
    return op->emitOpError() << "vector and memory differ in shape: " << vector << " and " << array;
  if (vector.getElementType() != array.getElementType())
    return op->emitOpError() << "vector and memory differ in element type: " << vector.getElementType()
                             << " and " << array.getElementType();
  return success();
}

LogicalResult checkMultimemType(mlir::Operation* op, mlir::Type type, MultimemLoadReductionType how) {
  using How = MultimemLoadReductionType;
  if (const auto integer = llvm::dyn_cast<mlir::IntegerType>(type)) {
    if (integer.getWidth() != 32 && integer.getWidth() != 64)
      return op->emitOpError() << "folds integers of 32 and 64 bits, not " << type;
    if (how == How::Min || how == How::Max)
      return op->emitOpError("min and max of integers are umin, smin, umax or smax");
    return success();
  }
  if (!llvm::isa<mlir::FloatType>(type)) return op->emitOpError() << "does not fold " << type;
  if (how != How::Add && how != How::Min && how != How::Max)
    return op->emitOpError("folds floats by add, min or max");
  if (type.isF32() && how != How::Add) return op->emitOpError("folds f32 by add alone");
  if (!llvm::isa<mlir::Float32Type, mlir::Float16Type, mlir::BFloat16Type, mlir::Float8E4M3FNType,
                 mlir::Float8E5M2Type>(type))
    return op->emitOpError() << "does not fold " << type;
  return success();
}

size_t vectorsIn(mlir::TypeRange types) {
  return static_cast<size_t>(llvm::count_if(types, llvm::IsaPred<VectorType>));
}

LogicalResult checkCount(mlir::Operation* op, llvm::StringRef attribute, size_t has, size_t needed,
                         llvm::StringRef what) {
  if (has == needed) return success();
  return op->emitOpError() << attribute << " has " << has << " for " << needed << " " << what;
}

}  // namespace

LogicalResult VectorLoadOp::verify() {
  return checkMoved(*this, getResult().getType(), getSource().getType());
}

LogicalResult VectorStoreOp::verify() {
  const MemRefType to = getDestination().getType();
  if (failed(checkMoved(*this, getValueToStore().getType(), to))) return failure();
  if (getMultimem() && to.getMemorySpace())
    return emitOpError() << "stores to all devices: to global memory, not to " << memoryOf(to);
  return success();
}

LogicalResult MultimemLoadReduceOp::verify() {
  const MemRefType from = getSource().getType();
  if (failed(checkMoved(*this, getResult().getType(), from)) ||
      failed(checkMultimemType(*this, from.getElementType(), getReductionType())))
    return failure();
  if (from.getMemorySpace())
    return emitOpError() << "source lies in global memory, not in " << memoryOf(from);
  return success();
}

LogicalResult BroadcastInDimOp::verify() {
  const VectorType from = getOperand().getType(), to = getResult().getType();
  const llvm::ArrayRef<int64_t> dimensions = getBroadcastDimensions();
  if (from.getRank() == 0) return emitOpError("the operand has no dimension");
  if (from.getRank() > to.getRank())
    return emitOpError() << "the operand has more dimensions than the result: " << from << " and " << to;
  if (static_cast<int64_t>(dimensions.size()) != from.getRank())
    return emitOpError() << "broadcast_dimensions has " << dimensions.size() << " for the rank "
                         << from.getRank();
  for (const auto& [at, dimension] : llvm::enumerate(dimensions)) {
    if (dimension < 0 || dimension >= to.getRank())
      return emitOpError() << "broadcast_dimensions names " << dimension << "; the result has rank "
                           << to.getRank();
    if (at > 0 && dimension <= dimensions[at - 1]) return emitOpError("broadcast_dimensions does not rise");
    const int64_t size = from.getDimSize(static_cast<unsigned>(at));
    if (size != 1 && size != to.getDimSize(static_cast<unsigned>(dimension)))
      return emitOpError() << "dimension " << at << " of size " << size << " becomes dimension " << dimension
                           << " of size " << to.getDimSize(static_cast<unsigned>(dimension));
  }
  return success();
}

LogicalResult VectorConcatOp::verify() {
  const VectorType to = getResult().getType();
  const int64_t along = static_cast<int32_t>(getDimension());
  if (getOperands().empty()) return emitOpError("has no operand");
  if (along < 0 || along >= to.getRank())
    return emitOpError() << "dimension " << along << " of a vector of rank " << to.getRank();
  llvm::SmallVector<int64_t> shape(to.getShape());
  shape[static_cast<size_t>(along)] = 0;
  for (const auto& [at, operand] : llvm::enumerate(getOperands())) {
    const auto from = llvm::cast<VectorType>(operand.getType());
    if (from.getRank() != to.getRank())
      return emitOpError() << "operand " << at << " has rank " << from.getRank() << ", the result "
                           << to.getRank();
    if (from.getElementType() != to.getElementType())
      return emitOpError() << "operand " << at
                           << " and the result differ in element type: " << from.getElementType() << " and "
                           << to.getElementType();
    for (int64_t d = 0; d < to.getRank(); ++d) {
      const int64_t size = from.getDimSize(static_cast<unsigned>(d));
      if (d != along && size != to.getDimSize(static_cast<unsigned>(d)))
        return emitOpError() << "operand " << at << " differs in dimension " << d << ": " << from << " in "
                             << to;
      if (d == along) shape[static_cast<size_t>(d)] += size;
    }
  }
  if (llvm::ArrayRef(shape) == to.getShape()) return success();
  return emitOpError() << "the operands have " << shape[static_cast<size_t>(along)] << " along dimension "
                       << along << ", the result " << to.getDimSize(static_cast<unsigned>(along));
}

LogicalResult BroadcastedIotaOp::verify() {
  const VectorType made = getResult().getType();
  if (getDimension() < made.getRank()) return success();
  return emitOpError() << "counts along dimension " << getDimension() << " of " << made;
}

LogicalResult ReinterpretCastOp::verify() {
  const MemRefType from = getSource().getType(), to = getResult().getType();
  if (from.getElementType() != to.getElementType())
    return emitOpError() << "source and result differ in element type: " << from << " and " << to;
  if (from.hasStaticShape() && to.hasStaticShape() && from.getNumElements() != to.getNumElements())
    return emitOpError() << "source has " << from.getNumElements() << " elements, the result "
                         << to.getNumElements();
  return success();
}

LogicalResult GetClusterRefOp::verify() {
  const MemRefType from = getSource().getType();
  const auto wanted = MemRefType::get(from.getShape(), from.getElementType(), from.getLayout(),
                                      SmemClusterAttr::get(getContext()));
  if (getResult().getType() == wanted) return success();
  return emitOpError() << "gives " << wanted << ", not " << getResult().getType();
}

LogicalResult OptimizationBarrierOp::verify() {
  if (getOperands().empty()) return emitOpError("has no operand");
  if (getOperands().getTypes() == getResults().getTypes()) return success();
  return emitOpError("its results are of the types of its operands");
}

LogicalResult PrintLayoutOp::verify() {
  const auto array = llvm::dyn_cast<MemRefType>(getValue().getType());
  if (!array || isShared(array) || isTensor(array)) return success();
  return emitOpError() << "prints arrays in shared and tensor memory, not in " << memoryOf(array);
}

LogicalResult WarpMapOp::verify() {
  if (vectorsIn(getOperands().getTypes()) == 0) return success();
  return emitOpError("takes scalars and memory, no vectors");
}

LogicalResult CustomPrimitiveOp::verify() {
  const auto inShared = llvm::count_if(getOperands().getTypes(), [](mlir::Type type) {
    const auto array = llvm::dyn_cast<MemRefType>(type);
    return array && isShared(array);
  });
  for (const mlir::Type type : getResults().getTypes()) {
    if (llvm::isa<mlir::ShapedType>(type) && !llvm::isa<VectorType>(type))
      return emitOpError() << "gives scalars and vectors, not " << type;
  }
  if (failed(checkCount(*this, "in_layouts", getInLayouts().size(), vectorsIn(getOperands().getTypes()),
                        "vectors that go in")) ||
      failed(checkCount(*this, "in_transforms", getInTransforms().size(), static_cast<size_t>(inShared),
                        "arrays in shared memory")))
    return failure();
  return checkCount(*this, "out_layouts", getOutLayouts().size(), vectorsIn(getResults().getTypes()),
                    "vectors that come out");
}

LogicalResult ReturnOp::verify() {
  const mlir::TypeRange gives = getOperands().getTypes(), wanted = (*this)->getParentOp()->getResultTypes();
  if (gives.size() != wanted.size())
    return emitOpError() << "gives " << gives.size() << " values, its custom_primitive " << wanted.size();
  for (size_t n = 0; n < gives.size(); ++n) {
    if (gives[n] != wanted[n])
      return emitOpError() << "gives " << gives[n] << " as value " << n << ", its custom_primitive "
                           << wanted[n];
  }
  return success();
}

}  // namespace hilo::mosaic
