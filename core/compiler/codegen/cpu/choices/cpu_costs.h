// Costs on a processor with caches.
#pragma once

#include "core/compiler/pass/engine_costs.h"

namespace hilo {

const EngineCosts& cpuCosts();

}  // namespace hilo
