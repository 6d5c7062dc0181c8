// The entry as it leaves shardy-xla: what it takes and gives are arrays side by side, not tuples of tuples.
// As XLA's, whose pass goes through StableHLO: a function there has no tuples.
#pragma once

#include "core/hlo/ir/module.h"

namespace hilo::sdy {

// Each leaf of a tuple becomes a parameter of its own, in their order, or with `asOneTuple` all leaves of all
// parameters are elements of a single one; a result that is a tuple of tuples becomes a flat one. Shardings
// go with the leaves. The header's layout, aliases and donors say the same as before. An entry that is flat
// already stays, instruction by instruction; else its instructions are copies, whose provenance is kept.
void flattenEntry(Module& module, bool asOneTuple);

// Whether the header asks for one tuple of arguments (xla.sdy.use_tuple_args).
bool wantsOneTuple(const Module& module);

}  // namespace hilo::sdy
