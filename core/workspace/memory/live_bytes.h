// How many bytes are live while each instruction runs, in the order of the module's lists.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/ir/module.h"

namespace hilo {

// By instruction id; -1 for instructions of computations that are applied or fused. The order is the schedule
// of a scheduled module, one possible order of another; no fragmentation. Of a computation that is called
// from several places, as its first caller runs it. Fails on modules whose values cannot be followed, and on
// those that would be too large with every call a copy ("call-graph-not-flat").
Result<std::vector<int64_t>> liveBytesOf(std::shared_ptr<const Module> module);

}  // namespace hilo
