#include "plugins/stablehlo/module_attributes.h"

#include <mlir/IR/BuiltinAttributes.h>

#include "plugins/stablehlo/instruction_attributes.h"
#include "plugins/stablehlo/layouts.h"
#include "plugins/stablehlo/sharding_text.h"

namespace hilo::stablehlo {
namespace {

using Map = google::protobuf::Map<std::string, std::string>;

size_t listSize(mlir::Operation* entry, llvm::StringRef which) {
  const auto list = entry->getAttrOfType<mlir::ArrayAttr>(which);
  return list ? list.size() : 0;
}

// The values attribute `name` has on arguments or results, joined by ';' with `otherwise` where there is
// none. Nothing where no one has it.
void addJoined(mlir::Operation* entry, llvm::StringRef which, llvm::StringRef name, llvm::StringRef otherwise,
               const std::string& key, Map& map) {
  std::string joined;
  bool any = false;
  for (size_t n = 0; n < listSize(entry, which); ++n) {
    const auto fields = signatureAttributes(entry, which, n);
    const auto value = fields ? fields.get(name) : mlir::Attribute();
    any |= static_cast<bool>(value);
    joined += (n == 0 ? "" : ";") + (value ? textOf(value) : otherwise.str());
  }
  if (any) map[key] = joined;
}

void addAliasesAndDonors(mlir::Operation* entry, pb::HloModuleProto& proto) {
  const bool tuple = proto.host_program_shape().result().element_type() == pb::TUPLE;
  for (size_t n = 0; n < listSize(entry, "arg_attrs"); ++n) {
    const auto fields = signatureAttributes(entry, "arg_attrs", n);
    if (!fields) continue;
    if (const auto output = fields.getAs<mlir::IntegerAttr>("tf.aliasing_output")) {
      auto* alias = proto.mutable_input_output_alias()->add_entries();
      alias->set_parameter_number(static_cast<int64_t>(n));
      alias->set_kind(fields.get("jax.must_alias") ? pb::MUST_ALIAS : pb::MAY_ALIAS);
      if (tuple) alias->add_output_shape_index(output.getInt());
    }
    if (const auto donor = fields.getAs<mlir::BoolAttr>("jax.buffer_donor"); donor && donor.getValue())
      proto.mutable_buffer_donor()->add_entries()->set_parameter_number(static_cast<int64_t>(n));
  }
}

void addMeshes(mlir::ModuleOp module, Map& map) {
  std::string meshes;
  for (mlir::Operation& op : module.getBody()->getOperations()) {
    if (op.getName().getStringRef() != "sdy.mesh") continue;
    const auto name = op.getAttrOfType<mlir::StringAttr>("sym_name");
    const auto mesh = op.getAttrOfType<mlir::StringAttr>("mesh");
    if (!name || !mesh) continue;
    const llvm::StringRef text = mesh.getValue();
    meshes += (meshes.empty() ? "" : ", ") + name.str() + " = " +
              (text.starts_with("#") ? text.str() : ("#sdy.mesh" + text).str());
  }
  if (!meshes.empty()) map["xla.sdy.meshes"] = "{" + meshes + "}";
}

LogicalResult addShardings(mlir::ModuleOp module, pb::HloModuleProto& proto) {
  const auto read = [&](mlir::Attribute attribute, pb::OpSharding& to) -> LogicalResult {
    const auto text = llvm::dyn_cast<mlir::StringAttr>(attribute);
    auto sharding = text ? parseSharding(text.getValue()) : std::nullopt;
    if (!sharding) return module.emitError() << "not a sharding: " << attribute;
    to = std::move(*sharding);
    return llvm::success();
  };
  if (const auto output = module->getAttr("mhlo.spmd_output_sharding")) {
    if (failed(read(output, *proto.mutable_spmd_output_sharding()))) return llvm::failure();
  }
  if (const auto list = module->getAttrOfType<mlir::ArrayAttr>("mhlo.spmd_parameters_shardings")) {
    for (mlir::Attribute one : list) {
      if (failed(read(one, *proto.add_spmd_parameters_shardings()))) return llvm::failure();
    }
  }
  return llvm::success();
}

int64_t countOf(mlir::ModuleOp module, llvm::StringRef name) {
  const auto count = module->getAttrOfType<mlir::IntegerAttr>(name);
  return count ? std::max<int64_t>(1, count.getInt()) : 1;
}

}  // namespace

LogicalResult addModuleAttributes(mlir::ModuleOp module, mlir::Operation* entry, pb::HloModuleProto& proto) {
  if (const auto name = module.getSymName()) proto.set_name(name->str());
  if (const int64_t count = countOf(module, "mhlo.num_partitions"); count > 1)
    proto.mutable_hilo_header()->set_num_partitions(count);
  if (const int64_t count = countOf(module, "mhlo.num_replicas"); count > 1)
    proto.mutable_hilo_header()->set_replica_count(count);
  if (const auto flag = module->getAttrOfType<mlir::BoolAttr>("mhlo.use_auto_spmd_partitioning"))
    proto.set_use_auto_spmd_partitioning(flag.getValue());
  if (const auto flag = module->getAttrOfType<mlir::BoolAttr>("mhlo.is_dynamic"))
    proto.set_is_dynamic(flag.getValue());
  addAliasesAndDonors(entry, proto);
  if (failed(addEntryLayouts(module, *proto.mutable_host_program_shape()))) return llvm::failure();
  Map map;
  if (const auto fields = module->getAttrOfType<mlir::DictionaryAttr>("mhlo.frontend_attributes")) {
    for (const mlir::NamedAttribute& field : fields) map[field.getName().str()] = textOf(field.getValue());
  }
  addMeshes(module, map);
  addJoined(entry, "arg_attrs", "mhlo.layout_mode", "default", "arg_layout_modes", map);
  addJoined(entry, "res_attrs", "mhlo.layout_mode", "default", "out_layout_modes", map);
  addJoined(entry, "arg_attrs", "mhlo.memory_kind", "default", "arg_memory_kinds", map);
  addJoined(entry, "res_attrs", "mhlo.memory_kind", "default", "out_memory_kinds", map);
  addJoined(entry, "res_attrs", "jax.result_info", "", "jax.result_info", map);
  if (!map.empty()) *proto.mutable_frontend_attributes()->mutable_map() = map;
  return addShardings(module, proto);
}

}  // namespace hilo::stablehlo
