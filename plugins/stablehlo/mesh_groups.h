// Replica groups told by axes of a mesh: `#stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [...]>`.
#pragma once

#include "plugins/stablehlo/op_conversion.h"

namespace hilo::stablehlo {

// The groups that the attribute means for `op`, devices in each in the order of its axes, the first the most
// significant. Nothing, after an error at the operation, where the mesh is not known or the axes do not fit.
std::optional<std::vector<Integers>> meshGroups(OpConversion& c, mlir::DictionaryAttr groups);

}  // namespace hilo::stablehlo
