// Collectives that could wait for each other for ever on devices that begin them in different orders. As
// XLA's service/collective_conflict_analysis.cc.
#pragma once

#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo {

// Those of the computation that have two devices of a group in common with one of `seeds`, or with what
// conflicts with one, in post-order by rounds; without the seeds. Groups are the numbers as written, those
// that pairs of a permute, send or receive join being one; a collective without groups joins all devices.
std::vector<Instruction*> conflictingCollectives(Computation& computation,
                                                 std::span<Instruction* const> seeds);

}  // namespace hilo
