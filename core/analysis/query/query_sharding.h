// What the terms sharding:, axis: and reshard: look at. Private to the query's matcher.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <optional>

#include "core/analysis/device_mesh.h"
#include "core/analysis/query/query_pattern.h"

namespace hilo {

// Of one module; what it found of a sharding or of replica groups is kept by their text.
class ShardingFacts {
 public:
  explicit ShardingFacts(const Module& module) : module_(module) {}

  // The sharding's text, or of a tuple that of an element; with its braces or without.
  bool hasSharding(const TextPattern& pattern, const Instruction& instruction) const;
  // An axis of the mesh that cuts the array, or along which the collective runs.
  bool runsAlong(const TextPattern& pattern, const Instruction& instruction);
  // A collective that the partitioner made, by its opcode.
  static bool isReshard(const TextPattern& pattern, const Instruction& instruction);

 private:
  const AxisNames& axesOf(const Instruction& instruction);

  const Module& module_;
  std::optional<DeviceMesh> mesh_;
  absl::flat_hash_map<std::string, AxisNames> known_;
};

}  // namespace hilo
