// What the header says of the entry's arguments and results, by leaf.
#pragma once

#include "core/hlo/ir/module.h"

namespace hilo::sdy {

// Layout, aliases and donors of an entry that flattenEntry() makes, from those of the entry there is.
void flattenHeader(Module& module, bool asOneTuple);

// Where the header states some layouts of the entry, it states all: one that is left out is the default one.
void completeEntryLayout(Module& module);

}  // namespace hilo::sdy
