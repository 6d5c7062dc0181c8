// Which loops wait for what other threads do.
#include <algorithm>

#include "core/compiler/codegen/simulate/function_emitter.h"

namespace hilo {
namespace {

constexpr std::string_view kChanging[] = {"volatile", "relaxed", "acquire", "mmio"};

bool readsWhatChanges(const PtxInstruction& instruction) {
  switch (instruction.op) {
    case PtxOp::Ld:
      return std::ranges::any_of(kChanging, [&](std::string_view word) { return instruction.has(word); });
    case PtxOp::Atom:
      return instruction.has("cas") || instruction.has("exch") || instruction.has("acquire") ||
             instruction.has("acq_rel") ||
             (instruction.operands.size() > 2 && instruction.operands[2].kind == PtxOperand::Kind::Integer &&
              instruction.operands[2].bits == 0);
    case PtxOp::MbarrierTestWait:
    case PtxOp::MbarrierTryWait:
    case PtxOp::Nanosleep:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool mayWait(const PtxFunction& function, uint32_t from, uint32_t to) {
  // Calls are not looked into: what waits in the function that is called waits there.
  for (uint32_t i = from; i <= to && i < function.instructions.size(); ++i) {
    if (readsWhatChanges(function.instructions[i])) return true;
  }
  return false;
}

}  // namespace hilo
