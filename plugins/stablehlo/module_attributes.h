// What an MLIR module and its entry function say of the HLO module as a whole.
#pragma once

#include <mlir/IR/BuiltinOps.h>

#include "plugins/stablehlo/op_conversion.h"

namespace hilo::stablehlo {

// Name, partitions and replicas, aliases and donors, layouts of the entry, frontend attributes, layout modes,
// Shardy's meshes, result names. Source: XLA's module_attributes_exporter and mlir_hlo_to_hlo.
LogicalResult addModuleAttributes(mlir::ModuleOp module, mlir::Operation* entry, pb::HloModuleProto& proto);

}  // namespace hilo::stablehlo
