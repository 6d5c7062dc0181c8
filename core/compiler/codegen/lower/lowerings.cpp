#include "core/compiler/codegen/lower/lowerings.h"

namespace hilo {

LowerInstruction loweringOf(Opcode opcode, const CodegenEngine& engine) {
  switch (opcode) {
#define LOWERING(opcode, function) \
  case Opcode::opcode:             \
    return function;
#include "core/compiler/codegen/lower/lowerings.def"
    default:
      break;
  }
  const auto own = std::ranges::find(engine.lowerings, opcode, &OpcodeLowering::opcode);
  return own == engine.lowerings.end() ? engine.lowerElements : own->lower;
}

}  // namespace hilo
