#include "plugins/mosaic/memory_space.h"

#include <mlir/Dialect/GPU/IR/GPUDialect.h>

#include "plugins/mosaic/dialect.h"

namespace hilo::mosaic {
namespace {

mlir::LogicalResult require(mlir::Operation* op, mlir::MemRefType type, llvm::StringRef name,
                            llvm::StringRef memory) {
  if (memoryOf(type) == memory) return mlir::success();
  return op->emitOpError() << name << " lies in " << memory << " memory, not in " << memoryOf(type);
}

}  // namespace

llvm::StringRef memoryOf(mlir::MemRefType type) {
  const mlir::Attribute space = type.getMemorySpace();
  if (!space) return "global";
  if (llvm::isa<TmemAttr>(space)) return "tensor";
  if (llvm::isa<SmemClusterAttr>(space)) return "cluster";
  if (const auto of = llvm::dyn_cast<mlir::gpu::AddressSpaceAttr>(space)) {
    if (of.getValue() == mlir::gpu::AddressSpace::Workgroup) return "shared";
    if (of.getValue() == mlir::gpu::AddressSpace::Global) return "global";
    return "other";
  }
  // As the numbers that NVVM has for them.
  if (const auto of = llvm::dyn_cast<mlir::IntegerAttr>(space))
    return of.getInt() == 3 ? "shared" : of.getInt() == 6 ? "tensor" : of.getInt() <= 1 ? "global" : "other";
  return "other";
}

bool isShared(mlir::MemRefType type) { return memoryOf(type) == "shared"; }
bool isTensor(mlir::MemRefType type) { return memoryOf(type) == "tensor"; }
bool isGlobal(mlir::MemRefType type) { return memoryOf(type) == "global"; }

mlir::LogicalResult requireShared(mlir::Operation* op, mlir::MemRefType type, llvm::StringRef name) {
  return require(op, type, name, "shared");
}
mlir::LogicalResult requireTensor(mlir::Operation* op, mlir::MemRefType type, llvm::StringRef name) {
  return require(op, type, name, "tensor");
}

}  // namespace hilo::mosaic
