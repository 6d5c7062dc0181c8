// Writes what has spread back into the module, and takes away what Shardy had in it.
#pragma once

#include "core/compiler/spmd/shardy/value_graph.h"

namespace hilo::sdy {

void writeShardings(Module& module, const ValueGraph& graph, const Statements& statements);

}  // namespace hilo::sdy
