// Structural equality of attributes: payloads by content, shapes by identity, literals by bits, computations
// and instructions by pointer (the same object of the same module).
#pragma once

#include "core/hlo/ir/instruction.h"

namespace hilo {

bool sameValue(const Attribute& a, const Attribute& b);

// The attributes that say what an instruction computes are the same: all but metadata, origin, frontend
// attributes, statistics, control predecessors, parameter replication and proto bookkeeping.
bool sameMeaning(const Instruction& a, const Instruction& b);
// True for the attributes sameMeaning compares.
bool affectsMeaning(Attr attr);

bool operator==(const OpMetadata& a, const OpMetadata& b);
bool operator==(const Sharding& a, const Sharding& b);
bool operator==(const ReplicaGroups& a, const ReplicaGroups& b);

}  // namespace hilo
