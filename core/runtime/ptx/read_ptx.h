// PTX text, from XLA, LLVM, nvcc or by hand, as data. Text from strangers: what is kept grows with the text
// alone, nesting is bounded, and the first mistake ends the reading.
//
// Instructions of families that ptx_ops.def does not have are kept (PtxOp::Unknown): whoever runs them names
// them. Debug sections (.section, @@dwarf) are skipped.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/runtime/ptx/ptx_module.h"

namespace hilo {

// Error kinds, each with LINE:COLUMN: "unexpected-token", "unknown-directive", "unknown-type",
// "unknown-register", "unknown-name", "duplicate-name", "ptx-too-deep", "ptx-too-large".
Result<PtxModule> readPtx(std::string_view text, const std::string& file = "");

// Text that reads as the same module. What inner scopes declare stands at the top of the function.
std::string printPtx(const PtxModule& module);
std::string printPtx(const PtxInstruction& instruction, const PtxFunction& function);

}  // namespace hilo
