#include "core/analysis/side_effects.h"

namespace hilo {
namespace {

// Deeper call chains than this are rejected by the verifier; until then they are taken as having an effect.
constexpr int kMaxCallDepth = 200;

bool channelMatters(const Instruction& instruction) {
  return instruction.has(Attr::ChannelId) && instruction.module().partitionCount() <= 1;
}

bool hasOwnSideEffect(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::Send:
    case Opcode::SendDone:
    case Opcode::Recv:
    case Opcode::RecvDone:
    case Opcode::Rng:
    case Opcode::RngGetAndUpdateState:
    case Opcode::Infeed:
    case Opcode::Outfeed:
    case Opcode::AllReduceStart:
    case Opcode::AllReduceDone:
    case Opcode::AllGatherStart:
    case Opcode::AllGatherDone:
    case Opcode::CollectiveBroadcast:
    case Opcode::CollectivePermuteStart:
    case Opcode::CollectivePermuteDone:
    case Opcode::Opaque:
      return true;
    case Opcode::AllToAll:
    case Opcode::AllGather:
    case Opcode::AllReduce:
    case Opcode::ReduceScatter:
      return instruction.get<Attr::ConstrainLayout>().value_or(false) || channelMatters(instruction);
    case Opcode::CollectivePermute:
      return channelMatters(instruction);
    case Opcode::CustomCall:
      return instruction.get<Attr::CustomCallHasSideEffect>().value_or(false);
    default:
      return false;
  }
}

bool hasSideEffectAt(const Computation& computation, int depth);

bool hasSideEffectAt(const Instruction& instruction, int depth) {
  if (hasOwnSideEffect(instruction)) return true;
  if (depth > kMaxCallDepth) return true;
  for (const Computation* called : instruction.calledComputations()) {
    if (hasSideEffectAt(*called, depth + 1)) return true;
  }
  return false;
}

bool hasSideEffectAt(const Computation& computation, int depth) {
  for (const Instruction* instruction : computation.instructions()) {
    if (hasSideEffectAt(*instruction, depth)) return true;
  }
  return false;
}

}  // namespace

bool hasSideEffect(const Instruction& instruction) { return hasSideEffectAt(instruction, 0); }
bool hasSideEffect(const Computation& computation) { return hasSideEffectAt(computation, 0); }

}  // namespace hilo
