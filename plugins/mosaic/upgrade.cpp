#include "plugins/mosaic/upgrade.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/IR/AttrTypeSubElements.h>
#include <mlir/IR/Builders.h>
#include <mlir/IR/Matchers.h>

#include "plugins/mosaic/dialect.h"

namespace hilo::mosaic {
namespace {

using mlir::LogicalResult;
using mlir::Operation;
using mlir::success;

// The numbers of a tiled layout.
struct Tiles {
  std::vector<std::vector<int64_t>> tiling;
  std::vector<int64_t> warps, lanes;
  int vector;
};

mlir::ArrayAttr numbers(mlir::Builder& builder, llvm::ArrayRef<int64_t> values) {
  return builder.getI64ArrayAttr(values);
}

TiledLayoutAttr tiledLayout(mlir::Builder& builder, const Tiles& tiles) {
  llvm::SmallVector<mlir::Attribute> tiling;
  for (const auto& tile : tiles.tiling) tiling.push_back(numbers(builder, tile));
  return TiledLayoutAttr::get(builder.getContext(), builder.getArrayAttr(tiling),
                              numbers(builder, tiles.warps), numbers(builder, tiles.lanes), tiles.vector);
}

// Layouts had names of their own, dimensions and memory spaces attributes of their own.
void upgradeAttributes(mlir::ModuleOp module) {
  mlir::Builder builder(module.getContext());
  mlir::AttrTypeReplacer replacer;
  replacer.addReplacement([&](WGMMAFragLayoutAttr) -> mlir::Attribute {
    return tiledLayout(builder, {{{64, 8}, {16, 8}, {8, 8}, {2}}, {-7}, {-3, -2}, -1});
  });
  replacer.addReplacement([&](WGMMARowFragLayoutAttr) -> mlir::Attribute {
    const auto tiled = tiledLayout(builder, {{{64}, {16}, {8}, {1}}, {-4}, {-2}, -1});
    const auto fourfold = ReplicatedAttr::get(builder.getContext(), 4);
    return TiledLayoutAttr::get(builder.getContext(), tiled.getTiling(), tiled.getWarpDims(),
                                builder.getArrayAttr({tiled.getLaneDims()[0], fourfold}), -1);
  });
  replacer.addReplacement([&](OldDimensionAttr dimension) -> mlir::Attribute {
    return builder.getI32IntegerAttr(static_cast<int32_t>(dimension.getValue()));
  });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                        /*replaceTypes=*/false);
}

// Its barriers were a result.
LogicalResult upgradeInitialize(InitializeBarrierOp op) {
  mlir::Builder of(op.getContext());
  if (!op.getOrdersTensorCoreAttr()) op.setOrdersTensorCoreAttr(of.getBoolAttr(false));
  if (op->getNumResults() == 0) return success();
  const auto array = llvm::dyn_cast<mlir::MemRefType>(op->getResult(0).getType());
  if (op->getNumOperands() != 1 || !op.getArrivalCountAttr() || !array || !array.hasStaticShape())
    return op.emitOpError("of this form is not known: it has a pointer and gives an array of barriers");
  mlir::OpBuilder builder(op);
  mlir::OperationState state(op.getLoc(), InitializeBarrierOp::getOperationName());
  state.addOperands(op->getOperands());
  state.addAttributes({builder.getNamedAttr("arrival_count", op.getArrivalCountAttr()),
                       builder.getNamedAttr("num_barriers", builder.getI32IntegerAttr(static_cast<int32_t>(
                                                                array.getNumElements()))),
                       builder.getNamedAttr("orders_tensor_core", builder.getBoolAttr(false))});
  builder.create(state);
  auto view = mlir::UnrealizedConversionCastOp::create(builder, op.getLoc(), array, op->getOperand(0));
  op->getResult(0).replaceAllUsesWith(view.getResult(0));
  op.erase();
  return success();
}

// The bytes were a number of its own.
LogicalResult upgradeExpect(ArriveExpectTxOp op) {
  const auto bytes = op->getAttrOfType<mlir::IntegerAttr>("expect_tx");
  if (!bytes || op->getNumOperands() != 1) return success();
  mlir::OpBuilder builder(op);
  const auto type = builder.getI32Type();
  auto value = mlir::arith::ConstantOp::create(builder, op.getLoc(), type,
                                               builder.getIntegerAttr(type, bytes.getInt()));
  op->removeAttr("expect_tx");
  op->insertOperands(1, value.getResult());
  return success();
}

// The place in shared memory was a value.
LogicalResult upgradeSlice(SliceSMEMOp op) {
  if (op->getNumOperands() == 0) return success();
  llvm::APInt offset;
  if (op->getNumOperands() != 1 || !mlir::matchPattern(op->getOperand(0), mlir::m_ConstantInt(&offset)))
    return op.emitOpError("begins at a value that is not known before it runs");
  op.setOffset(static_cast<uint32_t>(offset.getZExtValue()));
  op->eraseOperands(0, 1);
  return success();
}

// The sum was a result besides.
LogicalResult upgradeProduct(TcGen05MMAOp op) {
  if (op->getNumResults() == 0) return success();
  mlir::OpBuilder builder(op);
  mlir::OperationState state(op.getLoc(), op->getName());
  state.addOperands(op->getOperands());
  state.addAttributes(op->getAttrs());
  builder.create(state);
  for (mlir::Value result : op->getResults()) result.replaceAllUsesWith(op->getOperand(0));
  op.erase();
  return success();
}

LogicalResult upgradeOperation(Operation* op) {
  if (auto initialize = llvm::dyn_cast<InitializeBarrierOp>(op)) return upgradeInitialize(initialize);
  if (auto expect = llvm::dyn_cast<ArriveExpectTxOp>(op)) return upgradeExpect(expect);
  if (auto slice = llvm::dyn_cast<SliceSMEMOp>(op)) return upgradeSlice(slice);
  if (auto product = llvm::dyn_cast<TcGen05MMAOp>(op)) return upgradeProduct(product);
  if (auto arrive = llvm::dyn_cast<ArriveOp>(op); arrive && !arrive.getOrdersTensorCoreAttr())
    arrive.setOrdersTensorCore(false);
  return success();
}

}  // namespace

LogicalResult upgrade(mlir::ModuleOp module) {
  upgradeAttributes(module);
  llvm::SmallVector<Operation*> operations;
  module.walk([&](Operation* op) { operations.push_back(op); });
  for (Operation* op : operations) {
    if (failed(upgradeOperation(op))) return mlir::failure();
  }
  return success();
}

}  // namespace hilo::mosaic
