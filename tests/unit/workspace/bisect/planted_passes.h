// Passes with a fault planted in them, as a table that stands beside passes.def in tests alone. Each puts an
// equal instruction in the place of every f32 array of the entry, thousands of right rewrites, and does one
// of them wrong.
#pragma once

#include <span>

#include "core/compiler/pass/pass.h"

namespace hilo {

std::span<const Pass> plantedPasses();
const Pass& plantedPass(std::string_view name);

// What a planted pass gets wrong in a module: the number of the rewrite, from 1, and the instruction.
struct PlantedFault {
  int64_t rewrite = 0;
  std::string instruction;
};
PlantedFault plantedFault(const Module& module);

}  // namespace hilo
