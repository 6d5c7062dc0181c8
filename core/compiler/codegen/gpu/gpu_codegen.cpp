#include "core/compiler/codegen/gpu/gpu_codegen.h"

#include "core/compiler/codegen/gpu/lowerings.h"
#include "core/compiler/codegen/gpu/nvptx_target.h"
#include "core/compiler/codegen/lower/lowerings.h"

namespace hilo {
namespace gpu {
namespace {

constexpr OpcodeLowering kLowerings[] = {
#define LOWERING(opcode, function, values, find) {Opcode::opcode, function, LoweredValues::values, find},
#include "core/compiler/codegen/gpu/lowerings.def"
};

}  // namespace
}  // namespace gpu

const CodegenEngine& gpuCodegen() {
  static const CodegenEngine kEngine{.name = "cuda",
                                     .lowerings = gpu::kLowerings,
                                     .lowerElements = gpu::lowerElementKernel,
                                     .findObstacle = noObstacle,
                                     .findTarget = findNvptxTarget};
  return kEngine;
}

}  // namespace hilo
