// Random modules as fusions, for tests of what is compiled or looked at as one.
#pragma once

#include <memory>

#include "core/hlo/ir/module.h"

namespace hilo {

// The entry of a random module, called as a fusion of one result. Fails the running test, and gives null,
// where it does not parse.
std::shared_ptr<Module> randomFusion(uint64_t seed, int instructions = 14);

}  // namespace hilo
