// Operations begun in one place and finished in another. What XLA makes of a collective it has a start of its
// own for is that start, of anything else an async-start around it. Source: XLA's mhlo_to_hlo translation.
#include <mlir/IR/BuiltinAttributes.h>

#include "plugins/stablehlo/conversions.h"
#include "plugins/stablehlo/module_converter.h"

namespace hilo::stablehlo {
namespace {

struct OwnStart {
  llvm::StringRef operation;  // StableHLO's
  llvm::StringRef opcode;
  bool carriesOperand;  // its shape is (operand, result), not the result alone
};
constexpr OwnStart kOwnStarts[] = {{"all_gather", "all-gather", true},
                                   {"all_reduce", "all-reduce", false},
                                   {"collective_permute", "collective-permute", true}};

const OwnStart* ownStart(mlir::Block& block) {
  if (block.getOperations().size() != 2 || block.front().getNumResults() != 1) return nullptr;
  llvm::StringRef name = block.front().getName().stripDialect();
  name = name.take_front(name.rfind("_v"));
  const auto* found = llvm::find_if(kOwnStarts, [&](const OwnStart& own) { return own.operation == name; });
  return found == std::end(kOwnStarts) ? nullptr : found;
}

void setOpcode(Hlo made, const std::string& opcode) {
  made->set_opcode(opcode);
  made->set_name(opcode + "." + std::to_string(made->id()));
}

pb::ShapeProto shapesOf(Hlos values) {
  llvm::SmallVector<pb::ShapeProto> shapes;
  for (Hlo value : values) shapes.push_back(value->shape());
  return tupleShape(shapes);
}

// The collective itself, made here, and then turned into its start.
LogicalResult convertOwnStart(OpConversion& c, mlir::Block& block, const OwnStart& own) {
  const auto results = c.inlineBlock(block);
  if (!results) return llvm::failure();
  Hlo made = (*results)[0];
  if (made->opcode() != own.opcode || made->operand_ids_size() != 1 || c.operandCount() != 1)
    return c.error("starts a collective of several operands");
  setOpcode(made, (own.opcode + "-start").str());
  if (own.carriesOperand) *made->mutable_shape() = tupleShape({c.operand(0)->shape(), made->shape()});
  return c.done(made);
}

LogicalResult convertBodyStart(OpConversion& c) {
  const auto computation = c.region(0, "async_computation");
  if (!computation) return llvm::failure();
  mlir::Operation& last = c.op->getRegion(0).front().back();
  llvm::SmallVector<pb::ShapeProto> results;
  for (mlir::Type type : last.getOperandTypes()) {
    auto shape = c.module.shapeFor(type, c.op);
    if (!shape) return llvm::failure();
    results.push_back(std::move(*shape));
  }
  const pb::ShapeProto result = results.size() == 1 ? results[0] : tupleShape(results);
  Hlo made = c.to.add("async-start", tupleShape({shapesOf(c.operands()), result}), c.operands());
  made->add_called_computation_ids(*computation);
  return c.done(made);
}

// MHLO names a function, and its types say the shape of what is under way.
LogicalResult convertNamedStart(OpConversion& c) {
  const auto computation = c.module.functionComputation(c.text("called_computation"), c.op);
  if (!computation) return llvm::failure();
  Hlo made = c.make("async-start", c.operands());
  made->add_called_computation_ids(*computation);
  made->set_async_execution_thread(c.text("execution_thread"));
  return c.done(made);
}

}  // namespace

LogicalResult convertAsyncStart(OpConversion& c) {
  if (c.op->getNumRegions() == 0) return convertNamedStart(c);
  if (!c.op->getRegion(0).hasOneBlock() || c.op->getRegion(0).front().empty())
    return c.error("needs a region of one block");
  mlir::Block& block = c.op->getRegion(0).front();
  const OwnStart* own = ownStart(block);
  return own != nullptr && c.operandCount() == 1 ? convertOwnStart(c, block, *own) : convertBodyStart(c);
}

LogicalResult convertAsyncUpdate(OpConversion& c) {
  if (failed(c.needs(1))) return llvm::failure();
  return c.done(c.make("async-update", c.operands()));
}

LogicalResult convertAsyncDone(OpConversion& c) {
  if (failed(c.needs(1))) return llvm::failure();
  llvm::StringRef start = c.operand(0)->opcode();
  if (start == "async-update") start = "async-start";
  if (!start.consume_back("-start")) return c.error("waits for what nothing here has started");
  return c.done(c.make((start + "-done").str(), c.operands()));
}

}  // namespace hilo::stablehlo
