#include "core/compiler/codegen/cpu/cpu_codegen.h"

#include "core/compiler/codegen/cpu/dot_methods.h"
#include "core/compiler/codegen/cpu/lowerings.h"
#include "core/compiler/codegen/emit/codegen_targets.h"

namespace hilo {
namespace cpu {
namespace {

constexpr OpcodeLowering kLowerings[] = {
#define LOWERING(opcode, function, values, find) {Opcode::opcode, function, LoweredValues::values, find},
#include "core/compiler/codegen/cpu/lowerings.def"
};

// Whether what is stated can be done is seen when the arrays lie as they are to.
std::optional<Diagnostic> methodObstacle(const Instruction& instruction, const HasHandler&) {
  const bool isProduct = instruction.opcode() == Opcode::Dot || instruction.opcode() == Opcode::Convolution;
  const auto stated = isProduct ? statedDotMethod(instruction) : dotMethodFor(instruction);
  return stated ? std::nullopt : std::optional(stated.error());
}

}  // namespace
}  // namespace cpu

const CodegenEngine& cpuCodegen() {
  static constexpr CodegenEngine kEngine{.name = "cpu",
                                         .lowerings = cpu::kLowerings,
                                         .lowerElements = cpu::lowerElementKernel,
                                         .findObstacle = cpu::methodObstacle,
                                         .findTarget = findCodegenTarget};
  return kEngine;
}

}  // namespace hilo
