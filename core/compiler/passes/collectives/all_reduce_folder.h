// Makes one all-reduce of an all-reduce of an all-reduce that nothing else reads, where each device's result
// is then made of every device of a wider group exactly once: {{0,1},{2,3}} and then {{0,2},{1,3}} is
// {{0,1,2,3}}. As XLA's hlo/transforms/simplifiers/all_reduce_folder.cc. Two all-reduces that each join all
// partitions of replicas stay, as the second counts each value once for every partition.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> foldAllReduces(Module& module, PassContext& context);

}  // namespace hilo
