// Adds copies wherever values that must share a buffer might be needed at the same time: before and inside
// loops, at the ends of branches, in front of updates in place, between aliased parameters and results. More
// than are needed: CopyRemover takes out what it can prove needless. Step one of XLA's
// service/copy_insertion.cc.
#pragma once

#include "core/analysis/dataflow/alias_analysis.h"

namespace hilo {

// By id of the copy: what it is for, for people.
using CopyReasons = absl::flat_hash_map<InstructionId, std::string>;

void addInterferenceCopies(Module& module, const AliasAnalysis& aliases, CopyReasons& reasons);

}  // namespace hilo
