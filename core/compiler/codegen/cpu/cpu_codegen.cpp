#include "core/compiler/codegen/cpu/cpu_codegen.h"

#include "core/compiler/codegen/cpu/codegen_targets.h"
#include "core/compiler/codegen/cpu/lowerings.h"

namespace hilo {

const CodegenEngine& cpuCodegen() {
  static constexpr OpcodeLowering kLowerings[] = {
#define LOWERING(opcode, function) {Opcode::opcode, cpu::function},
#include "core/compiler/codegen/cpu/lowerings.def"
  };
  static constexpr CodegenEngine kEngine{
      .lowerings = kLowerings, .lowerElements = cpu::lowerElementKernel, .findTarget = findCodegenTarget};
  return kEngine;
}

}  // namespace hilo
