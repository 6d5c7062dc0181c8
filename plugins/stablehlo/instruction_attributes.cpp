#include "plugins/stablehlo/instruction_attributes.h"

#include <mlir/IR/BuiltinAttributes.h>

#include "plugins/stablehlo/sharding_text.h"

namespace hilo::stablehlo {
namespace {

llvm::FailureOr<std::optional<pb::OpSharding>> shardingOf(mlir::Attribute attribute, mlir::Operation* op) {
  const auto text = llvm::dyn_cast_or_null<mlir::StringAttr>(attribute);
  // JAX writes "" where it leaves the choice open.
  if (!text || text.getValue().empty()) return std::optional<pb::OpSharding>();
  auto sharding = parseSharding(text.getValue());
  if (!sharding) return op->emitError() << "not a sharding: \"" << text.getValue() << "\"";
  return sharding;
}

LogicalResult addShared(mlir::Operation* op, mlir::Attribute sharding, mlir::Attribute frontend,
                        mlir::Attribute shardy, pb::HloInstructionProto& made) {
  const auto parsed = shardingOf(sharding, op);
  if (failed(parsed)) return llvm::failure();
  if (*parsed) *made.mutable_sharding() = **parsed;
  if (const auto fields = llvm::dyn_cast_or_null<mlir::DictionaryAttr>(frontend))
    addFrontendAttributes(fields, *made.mutable_frontend_attributes());
  if (shardy) (*made.mutable_frontend_attributes()->mutable_map())["xla.sdy.sharding"] = textOf(shardy);
  return llvm::success();
}

}  // namespace

std::string textOf(mlir::Attribute attribute) {
  if (const auto string = llvm::dyn_cast<mlir::StringAttr>(attribute)) return string.str();
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  return text;
}

void addFrontendAttributes(mlir::DictionaryAttr fields, pb::FrontendAttributes& attributes) {
  for (const mlir::NamedAttribute& field : fields)
    (*attributes.mutable_map())[field.getName().str()] = textOf(field.getValue());
}

mlir::DictionaryAttr signatureAttributes(mlir::Operation* function, llvm::StringRef which, size_t index) {
  const auto list = function->getAttrOfType<mlir::ArrayAttr>(which);
  if (!list || index >= list.size()) return {};
  return llvm::dyn_cast<mlir::DictionaryAttr>(list[index]);
}

LogicalResult addCommonAttributes(const OpConversion& conversion, Hlo made) {
  if (made == nullptr) return llvm::success();
  if (const mlir::Attribute rule = conversion.attribute("sdy.sharding_rule"))
    (*made->mutable_frontend_attributes()->mutable_map())["xla.sdy.sharding_rule"] = textOf(rule);
  return addShared(conversion.op, conversion.attribute("mhlo.sharding"),
                   conversion.attribute("mhlo.frontend_attributes"), conversion.attribute("sdy.sharding"),
                   *made);
}

LogicalResult addArgumentAttributes(mlir::Operation* function, size_t index,
                                    pb::HloInstructionProto& parameter) {
  const auto fields = signatureAttributes(function, "arg_attrs", index);
  if (!fields) return llvm::success();
  return addShared(function, fields.get("mhlo.sharding"), fields.get("mhlo.frontend_attributes"),
                   fields.get("sdy.sharding"), parameter);
}

llvm::FailureOr<std::optional<pb::OpSharding>> resultSharding(mlir::Operation* function) {
  const auto list = function->getAttrOfType<mlir::ArrayAttr>("res_attrs");
  if (!list || list.empty()) return std::optional<pb::OpSharding>();
  pb::OpSharding all;
  all.set_type(pb::OpSharding::TUPLE);
  for (size_t n = 0; n < list.size(); ++n) {
    const auto fields = signatureAttributes(function, "res_attrs", n);
    const auto one = shardingOf(fields ? fields.get("mhlo.sharding") : mlir::Attribute(), function);
    if (failed(one)) return llvm::failure();
    if (!*one) return std::optional<pb::OpSharding>();
    *all.add_tuple_shardings() = **one;
  }
  return std::optional(list.size() == 1 ? all.tuple_shardings(0) : all);
}

}  // namespace hilo::stablehlo
