// Makes sure that values which must share a buffer are never needed at the same time, by copying: adds copies
// generously, takes out those that are proved needless, then copies constants and parameters that would be
// written or given back as they are. Flattens the call graph first. Behaves like XLA's
// service/copy_insertion.cc.
//
// Remarks tell each copy's verdict: "added" with what it is for and why it had to stay, "kept" and "elided"
// for copies that were there before, "pinned" for those that frontend_attributes={pin_copy="true"} keeps
// whatever can be proved of them.
//
// Not covered: operations in flight that a loop hands to its next turn get no copies around them, and b(...)
// buffer values none where they begin and end.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> insertCopies(Module& module, PassContext& context);

}  // namespace hilo
