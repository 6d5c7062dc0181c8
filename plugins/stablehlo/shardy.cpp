// Shardy's operations as XLA carries them: shardings as text in frontend attributes named xla.sdy.*.
#include <mlir/IR/BuiltinAttributes.h>

#include "plugins/stablehlo/conversions.h"
#include "plugins/stablehlo/module_converter.h"

namespace hilo::stablehlo {
namespace {

// Attributes of the operation as frontend attributes.
void addTexts(OpConversion& c, Hlo made) {
  for (const mlir::NamedAttribute& attribute : c.op->getAttrs()) {
    const auto text = llvm::dyn_cast<mlir::StringAttr>(attribute.getValue());
    if (!text) continue;
    const llvm::StringRef name = attribute.getName().getValue();
    const bool bare = name == "sharding" && text.getValue().starts_with("<");
    (*made->mutable_frontend_attributes()->mutable_map())["xla.sdy." + name.str()] =
        (bare ? "#sdy.sharding" : "") + text.str();
  }
}

LogicalResult convertBody(OpConversion& c, llvm::StringRef name) {
  const auto computation = c.region(0, name);
  if (!computation) return llvm::failure();
  Hlo made = c.make("call", c.operands());
  made->add_called_computation_ids(*computation);
  addTexts(c, made);
  return c.done(made);
}

}  // namespace

LogicalResult convertShardyValue(OpConversion& c) {
  Hlo made = c.resultCount() == 0 ? c.to.add("custom-call", tupleShape({}), c.operands())
                                  : c.make("custom-call", c.operands());
  made->set_custom_call_target(c.row.opcode);
  made->set_custom_call_api_version(pb::API_VERSION_ORIGINAL);
  addTexts(c, made);
  return c.done(made);
}

// Every device runs the body on its own shard: operands and results change their shapes at the border.
LogicalResult convertManualComputation(OpConversion& c) {
  const auto computation = c.region(0, "xla.sdy.manual_computation_body");
  if (!computation) return llvm::failure();
  mlir::Region& region = c.op->getRegion(0);
  llvm::SmallVector<Hlo> locals;
  const auto cross = [&](Hlo value, const pb::ShapeProto& shape, llvm::StringRef target) {
    Hlo made = c.to.add("custom-call", shape, {value});
    made->set_custom_call_target(target.str());
    made->set_custom_call_api_version(pb::API_VERSION_ORIGINAL);
    addTexts(c, made);
    return made;
  };
  for (auto [index, argument] : llvm::enumerate(region.getArguments())) {
    const auto shape = c.module.shapeFor(argument.getType(), c.op);
    if (!shape || index >= c.operandCount()) return c.error("has a body that does not fit its operands");
    locals.push_back(cross(c.operand(index), *shape, "xla.sdy.GlobalToLocalShape"));
  }
  llvm::SmallVector<pb::ShapeProto> shapes;
  for (mlir::Type type : region.front().back().getOperandTypes()) {
    const auto shape = c.module.shapeFor(type, c.op);
    if (!shape) return llvm::failure();
    shapes.push_back(*shape);
  }
  if (shapes.size() != c.resultCount()) return c.error("has a body that does not fit its results");
  Hlo call = c.to.add("call", shapes.size() == 1 ? shapes[0] : tupleShape(shapes), locals);
  call->add_called_computation_ids(*computation);
  addTexts(c, call);
  llvm::SmallVector<Hlo> results;
  for (size_t n = 0; n < shapes.size(); ++n) {
    Hlo local = shapes.size() == 1 ? call : c.to.element(call, static_cast<int64_t>(n));
    results.push_back(cross(local, c.resultShape(n), "xla.sdy.LocalToGlobalShape"));
  }
  c.made = call;
  return c.done(Hlos(results));
}

LogicalResult convertNamedComputation(OpConversion& c) {
  return convertBody(c, c.text("name", "named_computation"));
}

}  // namespace hilo::stablehlo
