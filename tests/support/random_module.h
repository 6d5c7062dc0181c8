// Random small modules for property tests: whatever a pass does to one, the reference evaluator must give the
// same answer before and after. The same seed gives the same module on every machine.
#pragma once

#include <memory>

#include "core/hlo/ir/module.h"

namespace hilo {

struct RandomModuleOptions {
  uint64_t seed = 0;
  int instructions = 40;
};

// Parameters, constants, elementwise arithmetic and logic, broadcasts, reshapes, transposes, slices,
// concatenates, pads, reductions, tuples and calls over f32, s32 and pred arrays of up to 24 elements; rich
// in what simplifiers look for: zeros and ones, repeated operands, operations undone by the next. The root is
// a tuple of some values.
std::unique_ptr<Module> makeRandomModule(const RandomModuleOptions& options);

}  // namespace hilo
