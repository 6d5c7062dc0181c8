// How fast a GPU is, for passes that reckon with it (GpuRates): of the one that is there as its driver says,
// of an architecture as its greatest.
#pragma once

#include <string>

#include "core/compiler/codegen/gpu/gpu_target.h"
#include "core/compiler/passes/fusion/fusion_cost.h"
#include "core/runtime/device/device.h"

namespace hilo {

// Of the architecture, or the nearest before it that gpu_rates.def has.
GpuRates ratesOf(const GpuTarget& target);
// Of a GPU. What its driver does not say is as of its architecture; so is what its units do in a clock.
GpuRates ratesOf(const DeviceFacts& facts);

// Passes with these rates, as parsePassList reads it: "priority-fusion{...}".
std::string passesWithRates(const GpuRates& rates);

}  // namespace hilo
