// A device mesh as a small grid, its devices shaded by what they hold or by whom they work with. Pure.
#pragma once

#include "core/analysis/device_mesh.h"
#include "ui/models/diagram.h"

namespace hilo {

// Devices that hold the same part of the array have one shade; of a sharding that cuts nothing all have.
// nullopt: the mesh has no device.
std::optional<Diagram> partsOnMesh(const DeviceMesh& mesh, const Sharding* sharding, Shape shape);
// Devices of one group have one shade. `axes`: along which they run; empty where they do not.
std::optional<Diagram> groupsOnMesh(const DeviceMesh& mesh, const std::vector<std::vector<int64_t>>& groups,
                                    const AxisNames& axes);

}  // namespace hilo
