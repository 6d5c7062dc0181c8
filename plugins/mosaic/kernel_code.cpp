#include "plugins/mosaic/kernel_code.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/GPU/IR/GPUDialect.h>
#include <mlir/Dialect/LLVMIR/NVVMDialect.h>

#include "plugins/mosaic/dialect.h"

namespace hilo::mosaic {

using mlir::Operation;

Operation* kernelOf(mlir::ModuleOp module) {
  Operation* found = nullptr;
  module.walk([&](Operation* op) {
    if (llvm::isa<mlir::gpu::LaunchOp>(op)) found = op;
    if (found == nullptr && llvm::isa_and_present<MosaicGPUDialect>(op->getDialect()))
      found = op->getParentOfType<mlir::func::FuncOp>();
    return found != nullptr && llvm::isa<mlir::gpu::LaunchOp>(found) ? mlir::WalkResult::interrupt()
                                                                     : mlir::WalkResult::advance();
  });
  return found;
}

bool isLowered(Operation* kernel) {
  bool hasOurs = false, hasTheirs = false;
  kernel->walk([&](Operation* op) {
    hasOurs |= llvm::isa_and_present<MosaicGPUDialect>(op->getDialect());
    hasTheirs |= llvm::isa<mlir::NVVM::MBarrierInitOp>(op);
  });
  return hasTheirs && !hasOurs;
}

uint32_t lineOf(Operation* op) {
  const auto place = llvm::dyn_cast<mlir::FileLineColLoc>(op->getLoc());
  return place ? place.getLine() : 0;
}

}  // namespace hilo::mosaic
