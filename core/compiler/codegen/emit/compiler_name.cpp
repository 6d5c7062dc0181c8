#include "core/compiler/codegen/emit/compiler_name.h"

#include <llvm/Config/llvm-config.h>

namespace hilo {

std::string_view compilerName() { return "LLVM " LLVM_VERSION_STRING; }

}  // namespace hilo
