// Private to the room: what 32 lanes of a warp do at a point, written with vectors.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "core/runtime/device/simulated/simulated_code.h"

namespace hilo {

// `context` is the warp's. False: it is not written, and must be called.
bool writeVectorPoint(llvm::IRBuilder<>& b, llvm::Value* context, const SimulatedPoint& point);

}  // namespace hilo
