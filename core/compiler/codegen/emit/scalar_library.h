// The scalar functions (scalars/) as bitcode.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace llvm {
class Module;
}

namespace hilo {

std::string_view scalarLibraryBitcode();
// Whose calls of the C library it has.
std::string scalarLibraryTriple();

// True when the library defines this function.
bool hasScalarFunction(std::string_view name);

// Adds what `module` calls of the library, to be inlined there if so wished. Error kind "codegen-failed".
Status linkScalarLibrary(llvm::Module& module, bool inlined);

}  // namespace hilo
