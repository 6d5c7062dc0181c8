// The scalar functions (scalars/) as bitcode: for processors, which have a C library, and for NVIDIA's GPUs,
// with the functions of the C library they call (scalars/nvptx).
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/compiler/codegen/emit/codegen_target.h"

namespace llvm {
class Module;
}

namespace hilo {

std::string_view scalarLibraryBitcode(ScalarBuild build);
// Whose calls of the C library it has.
std::string scalarLibraryTriple();

// True when the library defines this function.
bool hasScalarFunction(std::string_view name);

// Adds what `module` calls of the library, to be inlined there if so wished. Error kind "codegen-failed".
Status linkScalarLibrary(llvm::Module& module, ScalarBuild build, bool inlined);

}  // namespace hilo
