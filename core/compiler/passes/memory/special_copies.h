// Copies that ordering cannot do without: of constants and parameters that would be written or given back as
// they are, and of values that would be given back twice. Step three of XLA's service/copy_insertion.cc.
#pragma once

#include "core/analysis/dataflow/alias_analysis.h"
#include "core/compiler/passes/memory/interference_copies.h"

namespace hilo {

// True when it added some.
// Instructions from id `firstNew` on were added before, and reasons name them by what they copy.
bool addSpecialCopies(Module& module, const AliasAnalysis& aliases, uint32_t firstNew, CopyReasons& reasons);

}  // namespace hilo
