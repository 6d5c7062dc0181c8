// What each kind of assembler answers for a text of PTX and a target, "sm_90a". Error kinds of the program:
// "cannot-start", "took-too-long" (a minute), "not-writable"; of libraries: "missing-library", "old-library",
// "library-failed", "unsupported-gpu".
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/compiler/toolchain/toolchain.h"

namespace hilo {

struct AssemblerAnswer {
  std::string cubin;    // "" where it refused
  std::string words;    // all it said
  std::string refusal;  // how it ended, where it refused: "ended with 255"; "" where it did not
};
Result<AssemblerAnswer> askProgram(const Tool& ptxas, std::string_view ptx, const std::string& target);
// Within this process; any thread, several at once. No time is kept: a call cannot be stopped.
Result<AssemblerAnswer> askJitLink(const Tool& library, std::string_view ptx, const std::string& target);
Result<AssemblerAnswer> askPtxCompiler(const Tool& library, std::string_view ptx, const std::string& target);

}  // namespace hilo
