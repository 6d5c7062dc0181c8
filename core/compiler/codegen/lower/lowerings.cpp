#include "core/compiler/codegen/lower/lowerings.h"

#include <fmt/format.h>

namespace hilo {
namespace {

constexpr OpcodeLowering kLowerings[] = {
#define LOWERING(opcode, function, values, find) {Opcode::opcode, function, LoweredValues::values, find},
#include "core/compiler/codegen/lower/lowerings.def"
};

std::optional<OpcodeLowering> find(Opcode opcode, std::span<const OpcodeLowering> lowerings) {
  const auto found = std::ranges::find(lowerings, opcode, &OpcodeLowering::opcode);
  return found == lowerings.end() ? std::nullopt : std::optional(*found);
}

std::optional<Diagnostic> elementwiseObstacle(const Instruction& instruction, const HasHandler&) {
  const ElementType type = instruction.operand(0)->shape().elementType();
  if (!canEmitElementwise(instruction.opcode(), type)) return typeObstacle(instruction, type);
  if (instruction.opcode() == Opcode::Compare && isComplex(type) &&
      instruction.get<Attr::Direction>() != ComparisonDirection::Eq &&
      instruction.get<Attr::Direction>() != ComparisonDirection::Ne) {
    return obstacle(instruction, "unsupported-type", "complex numbers have no order");
  }
  if (instruction.opcode() == Opcode::StochasticConvert && !isSigned(instruction.shape().elementType()))
    return typeObstacle(instruction, type);
  return std::nullopt;
}

}  // namespace

std::optional<OpcodeLowering> loweringOf(Opcode opcode, const CodegenEngine& engine) {
  if (isElementwise(opcode))
    return OpcodeLowering{opcode, engine.lowerElements, LoweredValues::Arrays, elementwiseObstacle};
  const auto own = find(opcode, engine.lowerings);
  return own ? own : find(opcode, kLowerings);
}

}  // namespace hilo
