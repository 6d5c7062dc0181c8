// What must hold of meshes and shardings whoever wrote them; errors are "sharding-invalid" and name the axis.
#pragma once

#include "core/compiler/spmd/shardy/attribute_text.h"

namespace hilo::sdy {

// Positive sizes, names that differ, and one device a partition, or a single device.
Status checkMesh(const Mesh& mesh, int64_t partitions, Owner owner);
// That the sizes of a part divide its axis.
Status checkPart(const Axis& axis, const AxisRef& part, Owner owner);
// As many dimensions as the array has, no axis twice, parts that go together; the lists of replicated and
// unreduced axes are put in order. Tiles need not divide: what is beyond the array holds any value.
Status checkSharding(TensorSharding& sharding, const Mesh& mesh, Shape shape, Owner owner);

}  // namespace hilo::sdy
