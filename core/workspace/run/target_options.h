// The processor to compile for as XLA:CPU writes it down: TargetMachineOptionsProto.
#pragma once

#include "core/base/result.h"
#include "core/runtime/program/program.h"

namespace hilo {

// What `triple`, `cpu` (here `processor`) and `features` ("+avx512f,-sse4a") of the message mean here: the
// processor's own features, as far as code uses them, with those added and taken away. Kinds
// "unsupported-target" (another kind of processor or system), "unknown-cpu", "unsupported-cpu".
Result<ProgramTarget> targetOf(std::string_view triple, std::string_view processor,
                               std::string_view features);

// From a file with the message, text or binary, or with an executable of XLA:CPU, which holds one. Kinds: as
// above, those of reading, "no-target".
Result<ProgramTarget> readTarget(const std::string& path);

// The message; of features all that code may use are named, and of those it may not all that are looked for.
Result<std::string> writtenTarget(const ProgramTarget& target, bool asText);

}  // namespace hilo
