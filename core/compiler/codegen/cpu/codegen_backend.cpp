#include "core/compiler/codegen/cpu/codegen_backend.h"

namespace hilo {

#define CODEGEN_BACKEND(backend) CodegenBackend backend();
#include "core/compiler/codegen/cpu/codegen_backends.def"

std::span<const CodegenBackend> codegenBackends() {
  static const CodegenBackend kBackends[] = {
#define CODEGEN_BACKEND(backend) backend(),
#include "core/compiler/codegen/cpu/codegen_backends.def"
  };
  return kBackends;
}

}  // namespace hilo
