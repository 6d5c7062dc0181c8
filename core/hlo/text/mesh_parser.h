// Named meshes and references to their axes, shared by shardings and replica groups.
#pragma once

#include "core/hlo/ir/sharding.h"
#include "core/hlo/text/reader.h"

namespace hilo {

// Whether "mesh[" or "maximal_mesh[" comes next.
bool atMesh(Reader& reader);
// "mesh['a'=2,'b'=4], device_ids=([4,2]T(1,0))". `maximalDevice` is set, and nothing else, for
// "maximal_mesh[device_id=3]".
bool readMesh(Reader& reader, Mesh& mesh, std::optional<int64_t>& maximalDevice);
// "[8]" or "[2,4]T(1,0)".
bool readIota(Reader& reader, IotaTileAssignment& iota);
// "'a'", "'a':(1)2", or the axis by its number in quotes.
bool readAxisRef(Reader& reader, const Mesh& mesh, AxisRef& axis);
// "{'a', 'b':(1)2}".
bool readAxisRefs(Reader& reader, const Mesh& mesh, std::span<const AxisRef>& axes);
// "{'a', ?}": an open dimension ends with '?'.
bool readDimensionSharding(Reader& reader, const Mesh& mesh, NamedDimensionSharding& dimension);

}  // namespace hilo
