// Shardy's operations as XLA carries them: shardings as text in frontend attributes named xla.sdy.*.
#include <mlir/IR/BuiltinAttributes.h>

#include "plugins/stablehlo/conversions.h"
#include "plugins/stablehlo/instruction_attributes.h"
#include "plugins/stablehlo/module_converter.h"

namespace hilo::stablehlo {
namespace {

// An attribute as XLA writes it into a frontend attribute of this name.
struct Written {
  std::string name, value;
};

Written writtenAs(llvm::StringRef name, llvm::StringRef text) {
  if ((name == "sharding" || name == "out_sharding") && text.starts_with("<"))
    return {name.str(), "#sdy.sharding_per_value<[" + text.str() + "]>"};
  if (name == "in_shardings" || name == "out_shardings")
    return {name.str(), "#sdy.sharding_per_value<" + text.str() + ">"};
  if (name == "manual_axes") return {name.str(), "#sdy<manual_axes" + text.str() + ">"};
  if (name == "group_id") return {"sharding_group_id", text.str() + " : i64"};
  if (name == "allowed_direction") {
    constexpr llvm::StringRef kDirections[] = {"NONE", "FORWARD", "BACKWARD", "BOTH"};
    const auto found = llvm::find(kDirections, text);
    if (found != std::end(kDirections))
      return {name.str(), std::to_string(found - std::begin(kDirections)) + " : i32"};
  }
  return {name.str(), text.str()};
}

// Attributes of the operation as frontend attributes.
void addTexts(OpConversion& c, Hlo made) {
  for (const mlir::NamedAttribute& attribute : c.op->getAttrs()) {
    const auto text = llvm::dyn_cast<mlir::StringAttr>(attribute.getValue());
    if (!text) continue;
    const Written written = writtenAs(attribute.getName().getValue(), text.getValue());
    (*made->mutable_frontend_attributes()->mutable_map())["xla.sdy." + written.name] = written.value;
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
  // One call for all arrays that cross the border, which gives a tuple where there are several.
  const auto cross = [&](Hlos values, llvm::ArrayRef<pb::ShapeProto> shapes, llvm::StringRef target) {
    llvm::SmallVector<Hlo> crossed;
    if (shapes.empty()) return crossed;
    Hlo made = c.to.add("custom-call", shapes.size() == 1 ? shapes[0] : tupleShape(shapes), values);
    made->set_custom_call_target(target.str());
    made->set_custom_call_api_version(pb::API_VERSION_ORIGINAL);
    addTexts(c, made);
    for (size_t n = 0; n < shapes.size(); ++n)
      crossed.push_back(shapes.size() == 1 ? made : c.to.element(made, static_cast<int64_t>(n)));
    return crossed;
  };
  llvm::SmallVector<pb::ShapeProto> localShapes, shapes, globalShapes;
  for (mlir::BlockArgument argument : region.getArguments()) {
    const auto shape = c.module.shapeFor(argument.getType(), c.op);
    if (!shape) return llvm::failure();
    localShapes.push_back(*shape);
  }
  if (localShapes.size() != c.operandCount()) return c.error("has a body that does not fit its operands");
  for (mlir::Type type : region.front().back().getOperandTypes()) {
    const auto shape = c.module.shapeFor(type, c.op);
    if (!shape) return llvm::failure();
    shapes.push_back(*shape);
  }
  if (shapes.size() != c.resultCount()) return c.error("has a body that does not fit its results");
  for (size_t n = 0; n < shapes.size(); ++n) globalShapes.push_back(c.resultShape(n));
  const auto locals = cross(c.operands(), localShapes, "xla.sdy.GlobalToLocalShape");
  Hlo call = c.to.add("call", shapes.size() == 1 ? shapes[0] : tupleShape(shapes), locals);
  call->add_called_computation_ids(*computation);
  llvm::SmallVector<Hlo> parts;
  for (size_t n = 0; n < shapes.size(); ++n)
    parts.push_back(shapes.size() == 1 ? call : c.to.element(call, static_cast<int64_t>(n)));
  const auto results = cross(parts, globalShapes, "xla.sdy.LocalToGlobalShape");
  c.made = call;
  return c.done(Hlos(results));
}

LogicalResult convertNamedComputation(OpConversion& c) {
  return convertBody(c, c.text("name", "named_computation"));
}

void markShardyResults(ComputationBuilder& to, mlir::Operation* function,
                       llvm::MutableArrayRef<Hlo> results) {
  for (size_t n = 0; n < results.size(); ++n) {
    const auto fields = signatureAttributes(function, "res_attrs", n);
    const mlir::Attribute sharding = fields ? fields.get("sdy.sharding") : mlir::Attribute();
    if (!sharding) continue;
    const std::string printed = textOf(sharding);
    llvm::StringRef text = printed;
    text.consume_front("#sdy.sharding");
    Hlo made = to.add("custom-call", results[n]->shape(), {results[n]});
    made->set_custom_call_target("xla.sdy.FuncResultSharding");
    made->set_custom_call_has_side_effect(true);
    made->set_custom_call_api_version(pb::API_VERSION_ORIGINAL);
    (*made->mutable_frontend_attributes()->mutable_map())["xla.sdy.sharding"] =
        "#sdy.sharding_per_value<[" + text.str() + "]>";
    results[n] = made;
  }
}

}  // namespace hilo::stablehlo
