// Decides in which order the dimensions of each array lie in memory, and copies where two operations want the
// same array in different orders. Transposes and reshapes whose result can be the bytes of their operand
// become bitcasts, which cost nothing: orders follow operands from parameters down, and what users ask for
// from the results up; where the two meet, the smaller array is copied. Broadcasts, iotas and constants are
// made once more in the order wanted instead.
//
// Which operation takes which orders the engine says. Parameters, results, and what it takes in no other
// order keep the layouts they state, so that the entry layout and every called computation stay as they were.
// An array without a layout lies in the order of its dimensions.
//
// Remarks: "copied" on the one that asks, with both wants; "bitcast" on transposes and
// reshapes that become one; "remade". Like XLA's service/layout_assignment.cc with the
// preferences of service/cpu/cpu_layout_assignment.cc; the bitcasts are what its
// layout-sensitive algebraic simplifier makes.
#pragma once

#include "core/compiler/pass/engine_layouts.h"
#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> assignLayouts(Module& module, PassContext& context, const EngineLayouts& layouts);

}  // namespace hilo
