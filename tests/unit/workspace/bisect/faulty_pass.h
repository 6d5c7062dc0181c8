// Real passes with a fault planted in them: each runs as it is, and once its N-th rewrite is made the module
// is wrong in one of six ways.
#pragma once

#include <optional>
#include <span>

#include "core/compiler/pass/pass.h"

namespace hilo {

struct FaultKind {
  std::string_view name;
  const char* watcher;             // "kernels:" wants a limit
  Result<bool> (*spoil)(Module&);  // the results of a module
};
std::span<const FaultKind> faultKinds();

// One at a time: a pass is a free function, and what it does wrong stands beside it.
Pass faultyPass(const Pass& real, const FaultKind& fault, int64_t rewrite);
// In a process that was started to run it apart: the one that its parent planted.
std::optional<Pass> faultyPassOfParent();
// Elements of the array that the fault "memory" makes; 4 Mi at first.
void setLargeElements(int64_t elements);

// The first f32 array below the root, which faults put another value in the place of; null: there is none.
Instruction* firstResult(Module& module);

}  // namespace hilo
