// Replaces loops that never run by what they start with, and those that run once by their body; what is
// after a loop reads what it only carries from before it; what is one constant all along, or equal to another
// element, is read as that; and what nothing needs is not carried. Loops that already say which element
// counts stay. As xla/service/while_loop_simplifier.cc, without its merging of counters
// and flattening of nested tuples.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

// A frontend attribute, XLA's name: "true" keeps a loop that runs once.
inline constexpr std::string_view kKeepLoopThatRunsOnce = "skip-simplify-while-loops_trip-count-one";

struct LoopSimplifications {
  // Comparisons in bodies that come out the same every time.
  bool compares = false;
};

Result<bool> simplifyLoops(Module& module, PassContext& context, const LoopSimplifications& which = {});

}  // namespace hilo
