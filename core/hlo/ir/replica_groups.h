// Which devices take part in a collective together: the list form {{0,1},{2,3}}, the iota form
// [2,2]<=[4]T(1,0), or mesh axes. Kept in the form it was written; expandReplicaGroups gives the list.
#pragma once

#include "core/hlo/ir/sharding.h"

namespace hilo {

struct ReplicaGroups {
  enum class Form : uint8_t { List, Iota, MeshAxes };
  Form form = Form::List;
  std::span<const std::span<const int64_t>> groups;  // List; may be empty: all devices in one group
  int64_t groupCount = 0;                            // Iota
  int64_t groupSize = 0;                             // Iota
  IotaTileAssignment iota;                           // Iota
  Mesh mesh;                                         // MeshAxes
  std::span<const AxisRef> axes;                     // MeshAxes: the axes a group spans
};

ReplicaGroups copyInto(Arena& arena, const ReplicaGroups& value);

// The groups as lists. Empty when `value` is an empty list or its numbers do not fit together.
std::vector<std::vector<int64_t>> expandReplicaGroups(const ReplicaGroups& value);

}  // namespace hilo
