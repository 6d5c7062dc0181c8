#include "core/compiler/codegen/gpu/gpu_codegen.h"

#include "core/compiler/codegen/gpu/nvptx_target.h"
#include "core/compiler/codegen/plain/plain_codegen.h"

namespace hilo {

const CodegenEngine& gpuCodegen() {
  static const CodegenEngine kEngine{.name = "gpu",
                                     .lowerings = plain::lowerings(),
                                     .lowerElements = plain::lowerElements,
                                     .findObstacle = noObstacle,
                                     .findTarget = findNvptxTarget};
  return kEngine;
}

}  // namespace hilo
