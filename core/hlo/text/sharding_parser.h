// Shardings, meshes and replica groups as text, in every form XLA writes or reads. Grammar matched: XLA's
// hlo_parser.cc ParseSharding, ParseSingleSharding, ParseMesh, ParseTileAssignment,
// ParseCollectiveDeviceListBase.
#pragma once

#include "core/hlo/ir/attribute.h"
#include "core/hlo/text/reader.h"

namespace hilo {

// "{replicated}", "{devices=[2,1]<=[2] last_tile_dims={manual} metadata={...}}", "{maximal device=3}",
// "{mesh['x'=2], [{'x'}, {}]}", "{{replicated}, {manual}}".
bool readSharding(Reader& reader, Sharding& sharding);
// "{{0,1},{2,3}}", "[2,2]<=[4]", "mesh['x'=4] {'x'}".
bool readReplicaGroups(Reader& reader, ReplicaGroups& groups);
// "{kind="sharding", entry={...}, exit={...}}".
bool readDomain(Reader& reader, Domain& domain);

}  // namespace hilo
