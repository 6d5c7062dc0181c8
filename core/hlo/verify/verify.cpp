#include "core/hlo/verify/verify.h"

#include "core/hlo/verify/rules.h"

namespace hilo {

namespace {

using InstructionRule = void (*)(const Instruction&, VerifyContext&);

// Rules of an opcode, beyond the shape rule that each has.
std::span<const InstructionRule> opcodeRules(Opcode opcode) {
  static constexpr InstructionRule kCompare[] = {verifyComparisonType};
  static constexpr InstructionRule kBitcast[] = {verifyBitcast};
  static constexpr InstructionRule kFusion[] = {verifyExecutionThreads, verifyOperandAliasing,
                                                verifyLayoutsAcrossCalls};
  static constexpr InstructionRule kCall[] = {verifyCompositeCall, verifyOperandAliasing,
                                              verifyLayoutsAcrossCalls};
  static constexpr InstructionRule kControl[] = {verifyExecutionThreads, verifyConsistentSharding,
                                                 verifyLayoutsAcrossCalls};
  static constexpr InstructionRule kCustomCall[] = {verifyCustomCall, verifyOperandAliasing};
  static constexpr InstructionRule kAsyncStart[] = {verifyExecutionThreads, verifyOperandAliasing,
                                                    verifyAsyncChain};
  static constexpr InstructionRule kChain[] = {verifyAsyncChain};
  static constexpr InstructionRule kChannel[] = {verifyAsyncChain, verifyChannel};
  static constexpr InstructionRule kGroups[] = {verifyReplicaGroups};
  static constexpr InstructionRule kAllReduce[] = {verifyReplicaGroups, verifyChannel};
  static constexpr InstructionRule kGroupsStart[] = {verifyReplicaGroups, verifyAsyncChain};
  static constexpr InstructionRule kPairs[] = {verifySourceTargetPairs};
  static constexpr InstructionRule kPairsStart[] = {verifySourceTargetPairs, verifyAsyncChain};
  static constexpr InstructionRule kIndexed[] = {verifyIndexedBatch};
  switch (opcode) {
    case Opcode::Gather:
    case Opcode::Scatter:
      return kIndexed;
    case Opcode::Compare:
      return kCompare;
    case Opcode::Bitcast:
      return kBitcast;
    case Opcode::Fusion:
      return kFusion;
    case Opcode::Call:
      return kCall;
    case Opcode::While:
    case Opcode::Conditional:
      return kControl;
    case Opcode::CustomCall:
      return kCustomCall;
    case Opcode::AsyncStart:
      return kAsyncStart;
    case Opcode::AsyncUpdate:
    case Opcode::AsyncDone:
    case Opcode::AllReduceDone:
    case Opcode::AllGatherDone:
    case Opcode::CopyStart:
    case Opcode::CopyDone:
    case Opcode::CollectivePermuteDone:
      return kChain;
    case Opcode::Send:
    case Opcode::SendDone:
    case Opcode::Recv:
    case Opcode::RecvDone:
      return kChannel;
    case Opcode::AllReduce:
      return kAllReduce;
    case Opcode::AllGather:
    case Opcode::ReduceScatter:
    case Opcode::AllToAll:
    case Opcode::RaggedAllToAll:
      return kGroups;
    case Opcode::AllReduceStart:
    case Opcode::AllGatherStart:
      return kGroupsStart;
    case Opcode::CollectivePermute:
      return kPairs;
    case Opcode::CollectivePermuteStart:
      return kPairsStart;
    default:
      return {};
  }
}

void verifyInstruction(const Instruction& instruction, VerifyContext& context) {
  verifyNeededAttributes(instruction, context);
  verifyLayouts(instruction, context);
  verifyResultShape(instruction, context);
  for (const InstructionRule rule : opcodeRules(instruction.opcode())) rule(instruction, context);
  for (const Attribute& attribute : instruction.attributes()) {
    switch (attribute.key) {
      case Attr::Sharding:
        verifySharding(instruction, context);
        break;
      case Attr::Origin:
        verifyOriginalValue(instruction, context);
        break;
      case Attr::ResultAccuracy:
        verifyResultAccuracy(instruction, context);
        break;
      default:
        break;
    }
  }
}

}  // namespace

Diagnostics verify(const Module& module, const VerifyOptions& options) {
  VerifyContext context(module, options);
  verifyModuleName(context);
  verifyEntry(context);
  verifyNames(context);
  verifyNoCallCycle(context);
  for (const Computation* computation : module.computations()) {
    if (context.report.isFull()) break;
    verifyRoot(*computation, context);
    verifyParameterNumbers(*computation, context);
    for (const Instruction* instruction : computation->instructions())
      verifyCalledComputations(*instruction, context);
    if (!verifyOrder(*computation, context)) continue;
    for (const Instruction* instruction : computation->instructions()) {
      if (context.report.isFull()) break;
      verifyInstruction(*instruction, context);
    }
    verifyFusionComputation(*computation, context);
    verifyAsyncComputation(*computation, context);
    verifyBuffers(*computation, context);
  }
  verifyEntryLayout(context);
  verifyInputOutputAlias(context);
  verifyBufferDonors(context);
  verifyModuleDevices(context);
  verifyConstrainLayoutMix(context);
  return context.report.take();
}

}  // namespace hilo
