// Notes in which memory all-gathers and collective-permutes meet: their own, that of a peer, or memory at one
// address on all devices. As XLA's backends/gpu/transforms/collectives/collective_backend_assigner.cc with
// xla_gpu_all_gather_mode and xla_gpu_collective_permute_mode; nothing is noted of private memory.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

enum class CollectiveMemory : uint8_t { Private, Symmetric, Peer };
struct CollectiveModes {
  CollectiveMemory allGather = CollectiveMemory::Private;
  CollectiveMemory collectivePermute = CollectiveMemory::Private;
};
Result<bool> assignCollectiveBackends(Module& module, PassContext& context,
                                      const CollectiveModes& modes = {});

}  // namespace hilo
