// Private to the room: whether a grid is one that a kernel takes.
#pragma once

#include "core/base/result.h"
#include "core/runtime/device/simulated/launch.h"
#include "core/runtime/device/simulated/simulated_code.h"

namespace hilo {

uint64_t product(const SimDim& dim);
std::string dimText(const uint32_t* dim);  // "(32, 8, 1)"
// Error kind "wrong-launch".
Status checkLaunch(const SimulatedCode& code, const SimulatedKernel& kernel, const SimulatedLaunch& launch);

}  // namespace hilo
