#include "core/analysis/tile_program/tile_legality.h"

#include <fmt/format.h>

#include "core/analysis/tile_program/all_reduce_kernel.h"
#include "core/hlo/expand/dot_algorithm.h"
#include "core/hlo/ir/module.h"

namespace hilo {
namespace {

constexpr std::optional<TileOp> Same = std::nullopt;
using enum TileOp;

std::optional<TileForm> listed(Opcode opcode) {
  switch (opcode) {
#define TILE_OPCODE(name, op) \
  case Opcode::name:          \
    return TileForm{op};
#include "core/analysis/tile_program/tile_opcodes.def"
    default:
      break;
  }
  if (isElementwise(opcode)) return TileForm{Elementwise};
  return std::nullopt;
}

bool keepsElements(const Instruction& instruction) {
  const Shape from = instruction.operand(0)->shape(), to = instruction.shape();
  return from.isArray() && elementBits(from.elementType()) == elementBits(to.elementType());
}

Status checkDot(const Instruction& dot) {
  if (dot.find(Attr::SparsityConfig) != nullptr) return notATileProgram(dot, "an operand is sparse");
  if (hasAlgorithmOfItsOwn(dot))
    return notATileProgram(
        dot, fmt::format("algorithm {} has to be written as plain dots before (expand-dot-algorithms)",
                         enumText(*dot.get<Attr::Algorithm>())));
  for (const Instruction* operand : dot.operands()) {
    if (isComplex(operand->shape().elementType())) return notATileProgram(dot, "its elements are complex");
  }
  return {};
}

}  // namespace

Result<TileForm> tileFormOf(const Instruction& instruction) {
  const auto form = listed(instruction.opcode());
  if (!form) return notATileProgram(instruction, "no operation on tiles does this");
  if (instruction.shape().isArray() && instruction.shape().isDynamic())
    return notATileProgram(instruction, "its sizes are known only when it runs");
  const bool renames =
      instruction.opcode() == Opcode::Bitcast || instruction.opcode() == Opcode::BitcastConvert;
  if (renames && !keepsElements(instruction))
    return notATileProgram(instruction, "elements change their width");
  if (form->op == TileOp::Dot || form->op == TileOp::ScaledDot) TRY_STATUS(checkDot(instruction));
  if (form->op == TileOp::AllReduce) TRY_STATUS(allReduceKernel(instruction));
  if (form->op != TileOp::Load && form->op != TileOp::Reduce && !instruction.shape().isArray())
    return notATileProgram(instruction, "its result is no array");
  return *form;
}

std::unexpected<Diagnostic> notATileProgram(const Instruction& instruction, std::string_view why) {
  return fail("not-a-tile-program",
              fmt::format("%{} ({}): {}", instruction.name(), instruction.opcodeText(), why),
              {.instruction = std::string(instruction.name())});
}

}  // namespace hilo
