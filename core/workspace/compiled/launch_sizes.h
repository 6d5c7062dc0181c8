// How XLA launches a kernel of its own, from what a dump of text says of it. Private to the room.
#pragma once

#include <optional>
#include <string_view>

#include "core/hlo/ir/module.h"
#include "core/runtime/program/program.h"
#include "core/runtime/ptx/ptx_module.h"

namespace hilo {

// `llvmIr`: of the module, "" where there is none. Kind "unsupported-program": how many
// blocks cannot be told.
Result<GridLaunch> dumpedLaunch(const Instruction& instruction, const PtxFunction& kernel,
                                const PtxModule& ptx, std::string_view llvmIr, uint32_t mostSharedBytes);

// What LLVM IR says block numbers of a kernel stay below; nullopt where it says nothing.
std::optional<uint32_t> blocksInLlvmIr(std::string_view llvmIr, std::string_view kernel);

}  // namespace hilo
