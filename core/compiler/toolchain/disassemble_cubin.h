// The machine code of a cubin as people read it (SASS).
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/compiler/toolchain/toolchain.h"

namespace hilo {

// By nvdisasm. Error kinds: "no-disassembler", "cubin-refused" with its words, and those of runProcess.
Result<std::string> disassembleCubin(const Tool& nvdisasm, std::string_view cubin);

}  // namespace hilo
