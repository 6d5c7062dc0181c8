// Layouts as MLIR's attributes have them: of a bitcast, of a custom call, of the entry computation.
#pragma once

#include <mlir/IR/BuiltinOps.h>

#include "plugins/stablehlo/op_conversion.h"

namespace hilo::stablehlo {

// dense<[0, 1]> : tensor<2xindex>, minor to major. False where it is no order of the array's dimensions.
bool setLayout(mlir::Attribute layout, pb::ShapeProto& array);

// mhlo.bitcast: the bytes of its operand in `source_layout` as the array of `result_layout` they are. Both
// are copies' to make and to undo, as other operations take row-major arrays.
LogicalResult convertBitcast(OpConversion& c);

// mhlo.xla_entry_computation_parameter_layouts, _parameter_tiles, _result_layout and _result_tiles. Source:
// XLA's module_attributes_exporter.
LogicalResult addEntryLayouts(mlir::ModuleOp module, pb::ProgramShapeProto& entry);

}  // namespace hilo::stablehlo
