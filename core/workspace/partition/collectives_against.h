// The collectives that a partitioning ends in, held against those of XLA's optimized module of the same
// program: by kind, in number and bytes, and which arrays one side moves alone.
//
// Ours is the pipeline gpu over the module before optimization, so that both sides have all-reduces that
// became reduce-scatters, and collectives that were combined or removed.
#pragma once

#include "core/workspace/partition/partition.h"

namespace hilo {

// An array that a collective moves; a collective that was combined of several moves several.
struct MovedArray {
  std::string name, kind, shape, source;  // of the collective; the shape is the array's
  int64_t bytes = 0;                      // once, the larger of what goes in and what comes out
  int64_t times = 1;                      // trips of the loops around it
  int64_t allBytes() const;
};
// In the order of the module.
std::vector<MovedArray> movedArrays(const Module& module);

struct CollectiveKindTotals {
  std::string kind;  // "" of all together
  int64_t ourArrays = 0, xlaArrays = 0;
  int64_t ourBytes = 0, xlaBytes = 0;  // loops counted
};

struct CollectivesAgainst {
  std::vector<CollectiveKindTotals> kinds;  // by name
  CollectiveKindTotals sum;
  // Arrays without one of the same kind, bytes and trips on the other side, largest first.
  std::vector<MovedArray> onlyOurs, onlyXlas;
};

CollectivesAgainst collectivesAgainst(const Module& ours, const Module& xlas);

// Of a module before optimization. Error kinds: those of optimize(); "not-sharded"; "other-devices": `after`
// is for another number of them.
Result<CollectivesAgainst> partitionAgainst(const PartitionRequest& request, const Module& after,
                                            const JobContext& context);

}  // namespace hilo
