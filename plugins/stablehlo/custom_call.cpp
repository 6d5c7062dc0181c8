#include <llvm/ADT/StringExtras.h>
#include <mlir/IR/BuiltinAttributes.h>

#include "plugins/stablehlo/attribute_json.h"
#include "plugins/stablehlo/conversions.h"
#include "plugins/stablehlo/instruction_attributes.h"
#include "plugins/stablehlo/layouts.h"
#include "plugins/stablehlo/module_converter.h"

namespace hilo::stablehlo {
namespace {

// The layout [dense<[0, 1]> : tensor<2xindex>, ...] gives shape `n`; false when it is not a permutation.
bool setLayoutOf(mlir::Attribute layouts, size_t n, pb::ShapeProto& shape) {
  const auto list = llvm::dyn_cast_or_null<mlir::ArrayAttr>(layouts);
  if (!list || n >= list.size() || shape.element_type() == pb::TUPLE) return true;
  return shape.element_type() == pb::TOKEN || setLayout(list[n], shape);
}

bool readLayouts(OpConversion& c, Hlo made) {
  mlir::Attribute operandLayouts = c.attribute("operand_layouts"),
                  resultLayouts = c.attribute("result_layouts");
  // VHLO writes an empty list where nothing is said.
  const auto isGiven = [](mlir::Attribute layouts) {
    const auto list = llvm::dyn_cast_or_null<mlir::ArrayAttr>(layouts);
    return list && !list.empty();
  };
  if (!isGiven(operandLayouts) && !isGiven(resultLayouts)) return true;
  made->set_constrain_layout(true);
  for (size_t n = 0; n < c.operandCount(); ++n) {
    auto* shape = made->add_operand_shapes_with_layout();
    *shape = c.operand(n)->shape();
    if (!setLayoutOf(operandLayouts, n, *shape)) return false;
  }
  if (made->shape().element_type() != pb::TUPLE) return setLayoutOf(resultLayouts, 0, *made->mutable_shape());
  for (int n = 0; n < made->shape().tuple_shapes_size(); ++n) {
    if (!setLayoutOf(resultLayouts, static_cast<size_t>(n), *made->mutable_shape()->mutable_tuple_shapes(n)))
      return false;
  }
  return true;
}

}  // namespace

void readAliases(OpConversion& c, Hlo made) {
  const auto list = llvm::dyn_cast_or_null<mlir::ArrayAttr>(c.attribute("output_operand_aliases"));
  if (!list) return;
  for (mlir::Attribute one : list) {
    const auto fields = llvm::dyn_cast<mlir::DictionaryAttr>(one);
    if (!fields) continue;
    auto* alias = made->add_output_operand_aliasing();
    const auto put = [&](llvm::StringRef name, auto* to) {
      const auto values = integersOf(fields.get(name));
      if (values) to->Add(values->begin(), values->end());
    };
    put("output_tuple_indices", alias->mutable_output_shape_index());
    put("operand_tuple_indices", alias->mutable_operand_shape_index());
    const auto operand = integersOf(fields.get("operand_index"));
    alias->set_operand_index(operand && !operand->empty() ? (*operand)[0] : 0);
  }
}

namespace {

bool readCalledComputations(OpConversion& c, Hlo made) {
  const auto list = llvm::dyn_cast_or_null<mlir::ArrayAttr>(c.attribute("called_computations"));
  if (!list) return true;
  for (mlir::Attribute one : list) {
    const auto name = llvm::dyn_cast<mlir::FlatSymbolRefAttr>(one);
    const auto text = llvm::dyn_cast<mlir::StringAttr>(one);
    if (!name && !text) continue;
    const auto computation = c.module.functionComputation(name ? name.getValue() : text.getValue(), c.op);
    if (!computation) return false;
    made->add_called_computation_ids(*computation);
  }
  return true;
}

pb::CustomCallApiVersion apiVersionOf(OpConversion& c) {
  const std::string name = c.text("api_version");
  if (name == "API_VERSION_UNSPECIFIED") return pb::API_VERSION_UNSPECIFIED;
  if (name == "API_VERSION_ORIGINAL") return pb::API_VERSION_ORIGINAL;
  if (name == "API_VERSION_STATUS_RETURNING") return pb::API_VERSION_STATUS_RETURNING;
  if (name == "API_VERSION_STATUS_RETURNING_UNIFIED") return pb::API_VERSION_STATUS_RETURNING_UNIFIED;
  if (name == "API_VERSION_TYPED_FFI") return pb::API_VERSION_TYPED_FFI;
  return static_cast<pb::CustomCallApiVersion>(c.integer("api_version", pb::API_VERSION_ORIGINAL));
}

std::string backendConfigOf(OpConversion& c) {
  for (const char* name : {"backend_config", "mhlo.backend_config"}) {
    if (mlir::Attribute config = c.attribute(name)) return textOf(config);
  }
  if (c.has("error_message")) return c.text("error_message");  // of a shape_assertion
  // An operation that travels as a call keeps what it says of itself beside the call.
  return llvm::StringRef(c.text("call_target_name")).starts_with("stablehlo.")
             ? jsonOf(c.op->getAttrDictionary())
             : "";
}

// mhlo.topk and others travel through StableHLO as custom calls named after them, their attributes beside.
const OpRow* operationInDisguise(OpConversion& c, llvm::StringRef target) {
  if (!target.consume_front("mhlo.") || !c.has("mhlo.attributes")) return nullptr;
  const OpRow* row = findOp("mhlo", target);
  return row != nullptr && c.op->getNumRegions() == 0 ? row : nullptr;
}

}  // namespace

LogicalResult convertCustomCall(OpConversion& c) {
  const std::string target = c.text("call_target_name");
  if (const OpRow* row = operationInDisguise(c, target)) {
    if (const auto fields = llvm::dyn_cast<mlir::DictionaryAttr>(c.attribute("mhlo.attributes"))) {
      for (const mlir::NamedAttribute& field : fields) c.op->setAttr(field.getName(), field.getValue());
    }
    OpConversion inner = c.as(*row);
    const LogicalResult done = row->convert(inner);
    c.made = inner.made;
    return done;
  }
  Hlo made = c.make();
  made->set_custom_call_target(target);
  made->set_custom_call_has_side_effect(c.flag("has_side_effect"));
  made->set_custom_call_api_version(apiVersionOf(c));
  made->set_backend_config(backendConfigOf(c));
  readAliases(c, made);
  if (mlir::Attribute shapes = c.attribute("indices_of_shape_operands"))
    (*made->mutable_frontend_attributes()->mutable_map())["indices_of_shape_operands"] = llvm::join(
        llvm::map_range(integersOf(shapes).value_or(Integers{}), [](int64_t n) { return std::to_string(n); }),
        ",");
  if (!readCalledComputations(c, made)) return llvm::failure();
  if (!readLayouts(c, made)) return c.error("has layouts that do not fit its shapes");
  return c.done(made);
}

LogicalResult convertToCustomCall(OpConversion& c) {
  Hlo made = c.make("custom-call", c.operands());
  made->set_custom_call_target(std::string("stablehlo.") + c.row.name);
  made->set_custom_call_api_version(pb::API_VERSION_ORIGINAL);
  made->set_backend_config(jsonOf(c.op->getAttrDictionary()));
  return c.done(made);
}

}  // namespace hilo::stablehlo
