// What the operands of copies, and of the requests for more work, have to agree in.
#include <llvm/ADT/SmallSet.h>

#include "plugins/mosaic/dialect.h"
#include "plugins/mosaic/memory_space.h"

namespace hilo::mosaic {
namespace {

using mlir::failure;
using mlir::LogicalResult;
using mlir::success;

constexpr int64_t kCancelBytes = 16;

// `array` is the one in global memory that indices and lengths are of, called `name`.
LogicalResult checkSlice(mlir::Operation* op, mlir::MemRefType array, llvm::StringRef name,
                         mlir::OperandRange indices, llvm::ArrayRef<int64_t> lengths) {
  if (llvm::any_of(lengths, [](int64_t length) { return length < -1; }))
    return op->emitOpError("slice_lengths has a length below -1");
  if (static_cast<int64_t>(indices.size()) != array.getRank())
    return op->emitOpError() << indices.size() << " indices for the rank " << array.getRank() << " of "
                             << name;
  if (static_cast<int64_t>(lengths.size()) != array.getRank())
    return op->emitOpError() << "slice_lengths has " << lengths.size() << " for the rank " << array.getRank()
                             << " of " << name;
  std::optional<size_t> gathered;
  for (const auto& [at, index] : llvm::enumerate(indices)) {
    const auto vector = llvm::dyn_cast<mlir::VectorType>(index.getType());
    if (!vector) continue;
    if (gathered)
      return op->emitOpError() << "indices " << *gathered << " and " << at << " are both vectors; one may be";
    gathered = at;
    if (vector.getDimSize(0) != lengths[at])
      return op->emitOpError() << "index " << at << " is a vector of " << vector.getDimSize(0)
                               << ", its slice length is " << lengths[at];
  }
  return success();
}

LogicalResult checkCopy(mlir::Operation* op, mlir::MemRefType global, llvm::StringRef globalName,
                        mlir::MemRefType shared, llvm::StringRef sharedName, mlir::OperandRange indices,
                        llvm::ArrayRef<int64_t> lengths) {
  if (global.getElementType() != shared.getElementType())
    return op->emitOpError() << "source and destination differ in element type: " << global.getElementType()
                             << " and " << shared.getElementType();
  const auto collapsed = llvm::count(lengths, -1);
  if (global.getRank() != shared.getRank() + collapsed &&
      llvm::all_of(lengths, [](int64_t n) { return n >= -1; }))
    return op->emitOpError() << "the rank " << global.getRank() << " of " << globalName << " is not the rank "
                             << shared.getRank() << " of " << sharedName << " and the " << collapsed
                             << " dimensions of length -1";
  return checkSlice(op, global, globalName, indices, lengths);
}

LogicalResult checkCollective(mlir::Operation* op, mlir::ArrayAttr dimensions) {
  llvm::SmallPtrSet<mlir::Attribute, 3> seen;
  for (const mlir::Attribute dimension : dimensions) {
    if (!seen.insert(dimension).second) return op->emitOpError("collective names a dimension twice");
  }
  return success();
}

LogicalResult checkCancelResult(mlir::Operation* op, mlir::MemRefType type) {
  if (!type.hasStaticShape() || type.getNumElements() != kCancelBytes)
    return op->emitOpError() << "the answer has " << kCancelBytes << " elements, not those of " << type;
  return requireShared(op, type, "the answer");
}

}  // namespace

LogicalResult AsyncLoadOp::verify() {
  if (failed(checkCopy(*this, getSource().getType(), "source", getDestination().getType(), "destination",
                       getIndices(), getSliceLengths())))
    return failure();
  return checkCollective(*this, getCollective());
}

LogicalResult AsyncPrefetchOp::verify() {
  if (failed(checkSlice(*this, getSource().getType(), "source", getIndices(), getSliceLengths())))
    return failure();
  return checkCollective(*this, getCollective());
}

LogicalResult AsyncStoreOp::verify() {
  if (getGmemPeerId() && getIsGlobalBroadcast())
    return emitOpError("goes to one peer (gmem_peer_id) or to all (is_global_broadcast), not both");
  return checkCopy(*this, getDestination().getType(), "destination", getSource().getType(), "source",
                   getIndices(), getSliceLengths());
}

LogicalResult AsyncStoreSmemOp::verify() {
  const mlir::VectorType value = getValueToStore().getType();
  const mlir::MemRefType to = getDestination().getType();
  if (value.getShape() != to.getShape() || value.getElementType() != to.getElementType())
    return emitOpError() << "stores " << value << " to " << to << ": shape and element type are the same";
  return requireShared(*this, to, "destination");
}

LogicalResult TryClusterCancelOp::verify() {
  return checkCancelResult(*this, getCancellationResult().getType());
}
LogicalResult QueryClusterCancelOp::verify() {
  return checkCancelResult(*this, getCancellationResult().getType());
}

}  // namespace hilo::mosaic
