// The devices of a module as a mesh with named axes, and which axes a sharding or a collective runs along.
//
// The mesh is the one that the module states (Shardy's xla.sdy.meshes, kSpreadMeshes once they have spread,
// or mesh[...] in a sharding) for as many devices as it has partitions. Where it states none, the axes follow
// from the ways its shardings cut the devices, named axis_0, axis_1, ... as XLA names them.
#pragma once

#include <string>
#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo {

// The frontend attribute of a module that keeps its xla.sdy.meshes when they have spread.
inline constexpr std::string_view kSpreadMeshes = "spread_meshes";

struct DeviceMesh {
  struct Axis {
    std::string name;
    int64_t size = 1;
    friend bool operator==(const Axis&, const Axis&) = default;
  };
  std::string name;              // "mesh"; "" where the module states none
  std::vector<Axis> axes;        // major to minor, those of one device left out
  std::vector<int64_t> devices;  // by place, row-major over the axes
};

// Over the module's partitions; of more than 2^20 no place is known, and there is no axis.
DeviceMesh deviceMesh(const Module& module);

// Axes by name, major to minor; a part of one as Shardy writes it: "tensor:(2)4" is the part of size 4 that
// comes after a part of size 2.
using AxisNames = std::vector<std::string>;

// By dimension of an array of this rank: the axes that cut it. Empty where the sharding cuts nothing, is no
// array's, or is not made of the mesh's axes.
std::vector<AxisNames> axesOfDimensions(const DeviceMesh& mesh, const Sharding& sharding, size_t rank);
// The axes that the devices of a group differ in; the groups hold places of partitions. Of groups of some
// places of an axis that axis. Empty where the groups do not run along axes.
AxisNames axesOfGroups(const DeviceMesh& mesh, const std::vector<std::vector<int64_t>>& groups);

// "dimension 0 along fsdp, dimension 2 along tensor"; "" where nothing is cut.
std::string axesText(const std::vector<AxisNames>& dimensions);

}  // namespace hilo
