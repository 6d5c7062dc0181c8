// What a move of a value is for, as the remarks of partitioner and propagation tell. Private to the room.
#pragma once

#include <absl/container/flat_hash_map.h>

#include "core/compiler/spmd/spmd_remarks.h"
#include "core/workspace/partition/partition.h"

namespace hilo {

class MoveCauses {
 public:
  // Both must outlive it.
  MoveCauses(const Module& spread, const PassSeries& series, const DeviceMesh& mesh);

  // `along`: the axes that the collective runs along.
  MoveCause causeOf(const MoveRemark& remark, const AxisNames& along) const;
  MoveEnd endOf(const std::string& name) const;
  const Instruction* find(const std::string& name) const;

 private:
  std::string textOf(const MoveCause& cause, const std::vector<AxisNames>& from,
                     const std::vector<AxisNames>& to, const AxisNames& along) const;
  std::string whyNotThere(const MoveCause& cause) const;
  std::vector<AxisNames> axesOf(const std::string& sharding, const Instruction* array) const;

  const DeviceMesh& mesh_;
  absl::flat_hash_map<std::string_view, const Instruction*> byName_;
  absl::flat_hash_map<std::string_view, ShardedRemark> sharded_;  // the last of each instruction
};

}  // namespace hilo
