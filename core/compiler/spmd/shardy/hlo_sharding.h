// Shardy's shardings as HLO stores them: tiles, copies and manual groups over an iota of devices. The same as
// XLA's stablehlo_round_trip/export_shardings.cc.
#pragma once

#include "core/compiler/spmd/shardy/statements.h"

namespace hilo::sdy {

// Of an array of `rank` dimensions; `sharding` null: whole on every device. `manual`: the axes along which
// the program tells devices apart where the array is; null: none.
Sharding toHlo(const MeshTable& meshes, const TensorSharding* sharding, size_t rank,
               const ManualRegion* manual, Arena& arena);

// What the border of a program may have: tiles that divide, and no parts of axes that nobody asked for. As
// update_non_divisible_input_output_shardings.cc and remove_sub_axes_in_input_output_shardings.cc.
TensorSharding forBorder(TensorSharding sharding, Shape shape, const MeshTable& meshes);

}  // namespace hilo::sdy
