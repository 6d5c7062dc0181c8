// Private to the room: what follows from the text of a PTX kernel alone, before any code is written: what it
// calls, where its parameters and shared memory lie, how much of the host's stack it takes.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/runtime/device/simulated/simulated_code.h"
#include "core/runtime/ptx/ptx_module.h"

namespace hilo {

// What a kernel is made of: the functions it may call, and the names all of them use.
struct ReachablePtx {
  std::vector<const PtxFunction*> functions;  // the kernel first
  std::set<std::string> names;
};
ReachablePtx reachableFrom(const PtxModule& module, const PtxFunction& kernel);

// Name, parameters, shared memory of fixed size, stack, attributes, the number of instructions, and whether a
// warp is a row.
SimulatedKernel kernelFacts(const PtxModule& module, const ReachablePtx& reached);
// Shared variables whose size the launch gives; all of them begin at SimulatedKernel::sharedBytes.
std::vector<const PtxVariable*> sharedOfLaunch(const PtxModule& module, const ReachablePtx& reached);

// What it has more of than a device. Kind "unsupported-ptx".
Diagnostics whyTooLarge(const PtxModule& module, const ReachablePtx& reached);

}  // namespace hilo
