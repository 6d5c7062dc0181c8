#include "core/hlo/eval/handlers.h"

#include "core/hlo/expand/dot_algorithm.h"
#include "core/hlo/expand/library_calls.h"

namespace hilo {
namespace eval {

std::optional<Diagnostic> collectiveRefusal(const Instruction& instruction, DeviceGrid grid);

Result<Literal> unsupported(const Instruction& instruction, std::span<Literal>, EvalContext&) {
  if (instruction.opcode() == Opcode::Opaque) {
    return unsupportedOpcode(instruction, fmt::format("opcode \"{}\" is unknown", instruction.opcodeText()));
  }
  return unsupportedOpcode(instruction, fmt::format("{} has no handler", instruction.opcodeText()));
}

namespace {

// Products by an algorithm are evaluated as the HLO they stand for.
template <Handler plain>
Result<Literal> byAlgorithm(const Instruction& instruction, std::span<Literal> operands,
                            EvalContext& context) {
  if (hasAlgorithmOfItsOwn(instruction)) return expanded(instruction, operands, context);
  return plain(instruction, operands, context);
}

// Null for the elementwise operations, which share one handler.
Handler familyHandler(Opcode opcode) {
  switch (opcode) {
    case Opcode::Clamp:
      return clamp;
    case Opcode::Select:
      return select;
    case Opcode::Convert:
      return convert;
    case Opcode::BitcastConvert:
      return bitcastConvert;
    case Opcode::StochasticConvert:
      return stochasticConvert;

    case Opcode::Bitcast:
      return bitcast;
    case Opcode::Broadcast:
      return broadcast;
    case Opcode::Concatenate:
      return concatenate;
    case Opcode::Copy:
      return copy;
    case Opcode::DynamicReshape:
      return dynamicReshape;
    case Opcode::DynamicSlice:
      return dynamicSlice;
    case Opcode::DynamicUpdateSlice:
      return dynamicUpdateSlice;
    case Opcode::Gather:
      return gather;
    case Opcode::GetDimensionSize:
      return getDimensionSize;
    case Opcode::Iota:
      return iota;
    case Opcode::Pad:
      return pad;
    case Opcode::Reshape:
      return reshape;
    case Opcode::Reverse:
      return reverse;
    case Opcode::SetDimensionSize:
      return setDimensionSize;
    case Opcode::Slice:
      return slice;
    case Opcode::Transpose:
      return transpose;

    case Opcode::BatchNormGrad:
      return batchNormGrad;
    case Opcode::BatchNormInference:
      return batchNormInference;
    case Opcode::BatchNormTraining:
      return batchNormTraining;
    case Opcode::Map:
      return map;
    case Opcode::Reduce:
      return reduce;
    case Opcode::ReduceWindow:
      return reduceWindow;
    case Opcode::Scan:
      return scan;
    case Opcode::Scatter:
      return scatter;
    case Opcode::SelectAndScatter:
      return selectAndScatter;
    case Opcode::Sort:
      return sort;
    case Opcode::TopK:
      return topK;

    case Opcode::Cholesky:
      return cholesky;
    case Opcode::Convolution:
      return byAlgorithm<convolution>;
    case Opcode::Dot:
      return byAlgorithm<dot>;
    case Opcode::Fft:
      return fft;
    case Opcode::RaggedDot:
      return byAlgorithm<raggedDot>;
    case Opcode::ScaledDot:
      return scaledDot;
    case Opcode::TriangularSolve:
      return triangularSolve;

    case Opcode::Rng:
      return rng;
    case Opcode::RngBitGenerator:
      return rngBitGenerator;
    case Opcode::RngGetAndUpdateState:
      return rngGetAndUpdateState;

    case Opcode::Call:
      return call;
    case Opcode::Conditional:
      return conditional;
    case Opcode::Fusion:
      return fusion;
    case Opcode::While:
      return whileLoop;
    case Opcode::AsyncDone:
      return asyncDone;
    case Opcode::AsyncStart:
      return asyncStart;
    case Opcode::AsyncUpdate:
      return asyncUpdate;
    case Opcode::CopyDone:
      return copyDone;
    case Opcode::CopyStart:
      return copyStart;

    case Opcode::Constant:
      return constant;
    case Opcode::GetTupleElement:
      return getTupleElement;
    case Opcode::Parameter:
      return parameter;
    case Opcode::Tuple:
      return tuple;
    case Opcode::AfterAll:
      return token;
    case Opcode::AddDependency:
    case Opcode::Domain:
    case Opcode::OptBarrier:
      return forwardFirst;
    case Opcode::PartitionId:
      return partitionId;
    case Opcode::ReplicaId:
      return replicaId;

    case Opcode::AllGather:
    case Opcode::AllReduce:
    case Opcode::AllToAll:
    case Opcode::CollectiveBroadcast:
    case Opcode::CollectivePermute:
    case Opcode::RaggedAllToAll:
    case Opcode::ReduceScatter:
      return collective;
    case Opcode::AllGatherStart:
    case Opcode::AllReduceStart:
    case Opcode::CollectivePermuteStart:
      return collectiveStart;
    case Opcode::AllGatherDone:
    case Opcode::AllReduceDone:
    case Opcode::CollectivePermuteDone:
      return collectiveDone;

    case Opcode::CustomCall:
      return expanded;
    case Opcode::Infeed:
      return infeed;
    case Opcode::Recv:
      return recv;
    case Opcode::RecvDone:
      return recvDone;
    case Opcode::Send:
      return send;
    case Opcode::SendDone:
      return sendDone;
    case Opcode::Outfeed:
      return outfeed;
    case Opcode::Opaque:
      return unsupported;
    default:
      return nullptr;
  }
}

}  // namespace
}  // namespace eval

Handler handlerOf(Opcode opcode) {
  if (const Handler handler = eval::familyHandler(opcode)) return handler;
  return isElementwise(opcode) ? eval::elementwise : eval::unsupported;
}

std::optional<Diagnostic> refusal(const Instruction& instruction, DeviceGrid grid) {
  const OpcodeClass family = opcodeClass(instruction.opcode());
  const bool isWithHost = instruction.opcode() == Opcode::Infeed || instruction.opcode() == Opcode::Outfeed;
  const bool isMail = family == OpcodeClass::Communication && !isWithHost;
  if (handlerOf(instruction.opcode()) == eval::unsupported || (isMail && grid.count() == 1)) {
    return unsupportedOpcode(
               instruction,
               fmt::format("{} cannot be evaluated",
                           instruction.opcodeText().empty() ? "an unknown opcode" : instruction.opcodeText()))
        .error();
  }
  if (family == OpcodeClass::Collective) return eval::collectiveRefusal(instruction, grid);
  if (instruction.opcode() == Opcode::CustomCall || hasAlgorithmOfItsOwn(instruction))
    return expansionRefusal(instruction);
  if (isElementwise(instruction.opcode()) && handlerOf(instruction.opcode()) == eval::elementwise) {
    if (auto kernel = elementKernel(instruction); !kernel) return kernel.error();
  }
  return std::nullopt;
}

}  // namespace hilo
