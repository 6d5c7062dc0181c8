#include "plugins/mosaic/serialized_form.h"

#include <mlir/IR/Builders.h>

#include "plugins/mosaic/segments.h"

namespace hilo::mosaic {
namespace {

using mlir::LogicalResult;
using mlir::Operation;

constexpr llvm::StringLiteral kPrefix = "stable_mosaic_gpu.";
constexpr llvm::StringLiteral kVersion = "stable_mosaic_gpu.version";
constexpr llvm::StringLiteral kSegments = "operandSegmentSizes";

// What older operations are called and what they become, of those that MLIR 22 has under another name.
struct Renamed {
  llvm::StringLiteral from, to;
  size_t operands, mostOperands;  // of the older one
};
constexpr Renamed kRenamed[] = {
    {"nvvm.mbarrier.init.shared", "nvvm.mbarrier.init", 2, 3},
    {"nvvm.mbarrier.try_wait.parity.shared", "nvvm.mbarrier.try_wait.parity", 3, 3},
    {"nvvm.mbarrier.arrive.expect_tx.shared", "nvvm.mbarrier.arrive.expect_tx", 2, 3},
    {"vector.splat", "vector.broadcast", 1, 1},
    // Their position is an operand that may be left out; here it is of a list.
    {"vector.extractelement", "vector.extract", 2, 2},
    {"vector.insertelement", "vector.insert", 3, 3},
};

const Renamed* renamed(llvm::StringRef name) {
  const auto* found = llvm::find_if(kRenamed, [&](const Renamed& row) { return row.from == name; });
  return found == std::end(kRenamed) ? nullptr : found;
}

mlir::OperationName nameIn(mlir::MLIRContext* context, llvm::StringRef name) {
  if (const auto known = mlir::RegisteredOperationName::lookup(name, context)) return *known;
  return {name, context};
}

// The attributes of an operation called `name`, in the form of here.
mlir::NamedAttrList attributesHere(Operation* op, llvm::StringRef name) {
  mlir::NamedAttrList attributes(op->getAttrs());
  mlir::Builder builder(op->getContext());
  if (const auto sizes = llvm::dyn_cast_or_null<mlir::DenseI32ArrayAttr>(attributes.get(kSegments))) {
    if (const auto here = segmentsHere(name, sizes.asArrayRef()))
      attributes.set(kSegments, builder.getDenseI32ArrayAttr(*here));
  }
  if (name == "vector.extractelement" || name == "vector.insertelement")
    attributes.set("static_position", builder.getDenseI64ArrayAttr(mlir::ShapedType::kDynamic));
  return attributes;
}

LogicalResult restoreOperation(Operation* op) {
  llvm::StringRef name = op->getName().getStringRef();
  if (!name.consume_front(kPrefix))
    return op->emitError() << "is not in the serialized form that the module says it is in";
  mlir::OperationState state(op->getLoc(), nameIn(op->getContext(), name));
  state.addAttributes(attributesHere(op, name).getAttrs());
  if (const Renamed* row = renamed(name)) {
    if (op->getNumOperands() < row->operands || op->getNumOperands() > row->mostOperands)
      return op->emitError() << name << " has " << op->getNumOperands() << " operands";
    state.name = nameIn(op->getContext(), row->to);
  }
  state.addOperands(op->getOperands());
  state.addTypes(op->getResultTypes());
  state.addSuccessors(op->getSuccessors());
  for (mlir::Region& region : op->getRegions()) state.addRegion()->takeBody(region);
  Operation* made = Operation::create(state);
  op->getBlock()->getOperations().insert(mlir::Block::iterator(op), made);
  op->replaceAllUsesWith(made->getResults());
  op->erase();
  return mlir::success();
}

}  // namespace

std::optional<int64_t> serializedVersion(mlir::ModuleOp module) {
  const auto version = module->getAttrOfType<mlir::IntegerAttr>(kVersion);
  if (!version) return {};
  return version.getInt();
}

LogicalResult restore(mlir::ModuleOp module) {
  const auto version = serializedVersion(module);
  if (!version) return module.emitError("has no version");
  if (*version < 1 || *version > kNewestVersion)
    return module.emitError() << "is of version " << *version << "; known are versions 1 to "
                              << kNewestVersion;
  module->removeAttr(kVersion);
  llvm::SmallVector<Operation*> operations;
  module.walk([&](Operation* op) {
    if (!llvm::isa<mlir::ModuleOp>(op)) operations.push_back(op);
  });
  for (Operation* op : operations) {
    if (failed(restoreOperation(op))) return mlir::failure();
  }
  return mlir::success();
}

}  // namespace hilo::mosaic
