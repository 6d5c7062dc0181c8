// Which ways of doing a dot or a convolution there are for one.
#pragma once

#include <optional>
#include <vector>

#include "core/compiler/codegen/cpu/choices/dot_method.h"
#include "core/compiler/codegen/cpu/choices/library_convolution.h"

namespace hilo {

// As it stands, its arrays in the order they lie in. Empty for what is neither a dot nor a convolution.
std::vector<DotMethod> dotMethods(const Instruction& instruction);

// The one that is stated; nullopt where it is the code generator's to choose. Error kinds:
// "unknown-dot-method", "unsupported-dot-method" for one there is not for this instruction.
Result<std::optional<DotMethod>> dotMethodFor(const Instruction& instruction);

// A convolution in the library's form.
std::optional<LibraryConvolution> readyLibraryConvolution(const Instruction& convolution);

}  // namespace hilo
