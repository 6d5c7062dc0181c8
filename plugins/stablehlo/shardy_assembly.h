// Reads Shardy's (`sdy`) operations. Their shardings are kept as text, in XLA's own convention for modules
// that carry them: frontend attributes named xla.sdy.*.
#pragma once

#include "plugins/stablehlo/assembly.h"

namespace hilo::stablehlo {

mlir::ParseResult parseShardyMesh(mlir::OpAsmParser& parser, mlir::OperationState& state);
mlir::ParseResult parseShardyValue(mlir::OpAsmParser& parser, mlir::OperationState& state);
mlir::ParseResult parseShardyRegion(mlir::OpAsmParser& parser, mlir::OperationState& state);

}  // namespace hilo::stablehlo
