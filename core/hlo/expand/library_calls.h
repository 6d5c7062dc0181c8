// Custom calls to libraries (cuBLAS, cuDNN, cuSOLVER, CUB, LAPACK, ...) whose meaning is known: which stand
// in library_calls.def, and each can be written as HLO. What a call leaves unspecified, such as the contents
// of its workspace, is zero.
//
// Facts: service/gpu/cublas_cudnn.h, backend_configs.proto and the rewriters of backends/gpu/transforms;
// jaxlib's cpu and gpu kernels for what JAX emits.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "core/base/result.h"
#include "core/hlo/ir/module.h"

namespace hilo {

// Whether calls of this target stand in the table. One of them may still have a form that is not known.
bool isLibraryCall(std::string_view target);
// Whether they give their one operand back as it is: annotations.
bool isIdentityTarget(std::string_view target);

// Writes what `call` gives, its whole result, in front of it and returns that; `call` stays, with its users.
// Error kinds: "unsupported-opcode" for a target or a form not known, "malformed-instruction"; what was
// written until then is left, without users.
Result<Instruction*> expandLibraryCall(Instruction& call);

// What a custom call, a product by an algorithm (dot_algorithm.h), or what takes padding (dynamic_padding.h)
// gives as a module of its own, whose parameters are the operands. Refers to what `instruction` refers to:
// for as long as its module lives.
Result<std::unique_ptr<Module>> expandedAlone(const Instruction& instruction);

// Why it cannot be expanded.
std::optional<Diagnostic> expansionRefusal(const Instruction& instruction);

}  // namespace hilo
