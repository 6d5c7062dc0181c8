// Replaces loops that never run by what they start with, and those that run once by their body; what is
// after a loop reads what it only carries from before it; what is one constant all along, or equal to another
// element, is read as that; what nothing needs is not carried; tuples within the tuple that is carried are
// taken apart; and counters are told from one. Loops that already say which element counts stay. As
// xla/service/while_loop_simplifier.cc.
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
