#include "plugins/mosaic/dialect.h"

#include <llvm/ADT/TypeSwitch.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/ControlFlow/IR/ControlFlowOps.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/GPU/IR/GPUDialect.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/LLVMIR/NVVMDialect.h>
#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/NVGPU/IR/NVGPUDialect.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/UB/IR/UBOps.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/IR/Builders.h>
#include <mlir/IR/DialectImplementation.h>

#include "mosaic_dialect.cpp.inc"
#include "mosaic_enums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "mosaic_attributes.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "mosaic_types.cpp.inc"
#define GET_OP_CLASSES
#include "mosaic_ops.cpp.inc"

namespace hilo::mosaic {

void MosaicGPUDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "mosaic_types.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "mosaic_attributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "mosaic_ops.cpp.inc"
      >();
}

void registerDialects(mlir::DialectRegistry& registry) {
  registry
      .insert<MosaicGPUDialect, mlir::func::FuncDialect, mlir::arith::ArithDialect, mlir::math::MathDialect,
              mlir::memref::MemRefDialect, mlir::vector::VectorDialect, mlir::scf::SCFDialect,
              mlir::cf::ControlFlowDialect, mlir::gpu::GPUDialect, mlir::NVVM::NVVMDialect,
              mlir::nvgpu::NVGPUDialect, mlir::LLVM::LLVMDialect, mlir::ub::UBDialect>();
}

}  // namespace hilo::mosaic
