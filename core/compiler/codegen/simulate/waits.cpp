// Which kernels need a fiber for each thread.
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

constexpr PtxOp kTogether[] = {
    PtxOp::Shfl,
    PtxOp::Vote,
    PtxOp::Match,
    PtxOp::Redux,
    PtxOp::Activemask,
    PtxOp::Elect,
    PtxOp::BarWarp,
    PtxOp::Ldmatrix,
    PtxOp::Stmatrix,
    PtxOp::Movmatrix,
    PtxOp::Mma,
    PtxOp::BarSync,
    PtxOp::BarArrive,
    PtxOp::BarRed,
    PtxOp::BarCtaSync,
    PtxOp::BarCtaArrive,
    PtxOp::BarCtaRed,
    PtxOp::BarrierSync,
    PtxOp::BarrierArrive,
    PtxOp::BarrierRed,
    PtxOp::BarrierCtaSync,
    PtxOp::BarrierCtaArrive,
    PtxOp::BarrierCtaRed,
    PtxOp::BarrierClusterArrive,
    PtxOp::BarrierClusterWait,
    PtxOp::MbarrierTestWait,
    PtxOp::MbarrierTryWait,
    PtxOp::Mapa,
    PtxOp::MbarrierInit,
    PtxOp::Getctarank,
};

}  // namespace

bool mayWait(const PtxFunction& function, uint32_t from, uint32_t to) {
  // Calls are not looked into: what waits in the function that is called waits there.
  for (uint32_t i = from; i <= to && i < function.instructions.size(); ++i) {
    if (readsWhatChanges(function.instructions[i])) return true;
  }
  return false;
}

bool isTogether(PtxOp op) { return std::ranges::find(kTogether, op) != std::end(kTogether); }

}  // namespace hilo
