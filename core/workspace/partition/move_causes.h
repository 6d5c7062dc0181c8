// What a move of a value is for, and who gave each sharding, as the remarks of partitioner and propagation
// tell. Made once for a partitioning, so that an answer costs no walk over the module. Private to the room.
#pragma once

#include <absl/container/flat_hash_map.h>

#include "core/compiler/spmd/spmd_remarks.h"
#include "core/workspace/partition/partition.h"

namespace hilo {

class MoveCauses {
 public:
  MoveCauses(std::shared_ptr<const Module> spread, const PassSeries& series, DeviceMesh mesh);

  // `along`: the axes that the collective runs along.
  MoveCause causeOf(const MoveRemark& remark, const AxisNames& along) const;
  MoveEnd endOf(const std::string& name) const;
  const Instruction* find(const std::string& name) const;
  // What an instruction was given, in order.
  std::span<const ShardedRemark> giftsOf(const std::string& name) const;

 private:
  std::string textOf(const MoveCause& cause, const std::vector<AxisNames>& from,
                     const std::vector<AxisNames>& to, const AxisNames& along) const;
  std::string whyNotThere(const MoveCause& cause) const;
  std::vector<AxisNames> axesOf(const std::string& sharding, const Instruction* array) const;

  std::shared_ptr<const Module> spread_;
  DeviceMesh mesh_;
  absl::flat_hash_map<std::string_view, const Instruction*> byName_;
  absl::flat_hash_map<std::string, std::vector<ShardedRemark>> gifts_;
};

}  // namespace hilo
