#include "ui/style/node_role.h"

#include "core/analysis/work_class.h"

namespace hilo {
namespace {

constexpr int64_t kLargeParameterElements = 4096;

NodeRole dataMovementRole(Opcode opcode) {
  switch (opcode) {
    case Opcode::Broadcast:
      return NodeRole::kBroadcast;
    case Opcode::DynamicUpdateSlice:
      return NodeRole::kDynamicUpdateSlice;
    case Opcode::Copy:
      return NodeRole::kCopy;
    case Opcode::Bitcast:
      return NodeRole::kBitcast;
    case Opcode::Gather:
      return NodeRole::kReduce;
    case Opcode::Slice:
    case Opcode::Pad:
    case Opcode::Iota:
    case Opcode::GetDimensionSize:
    case Opcode::SetDimensionSize:
      return NodeRole::kSlice;
    default:
      return NodeRole::kDataMovement;
  }
}

NodeRole leafRole(const Instruction& leaf) {
  if (leaf.opcode() == Opcode::Constant) return NodeRole::kConstant;
  const bool large = leaf.shape().isArray() && leaf.shape().elementCount() >= kLargeParameterElements;
  return large ? NodeRole::kLargeParameter : NodeRole::kParameter;
}

}  // namespace

NodeRole nodeRole(OpcodeClass opcodeClass) {
  switch (opcodeClass) {
    case OpcodeClass::ElementwiseUnary:
    case OpcodeClass::ElementwiseBinary:
    case OpcodeClass::ElementwiseTernary:
      return NodeRole::kElementwise;
    case OpcodeClass::DataMovement:
      return NodeRole::kDataMovement;
    case OpcodeClass::Contraction:
      return NodeRole::kMatmul;
    case OpcodeClass::Reduction:
      return NodeRole::kReduce;
    case OpcodeClass::Collective:
      return NodeRole::kCollective;
    case OpcodeClass::Communication:
      return NodeRole::kTransfer;
    case OpcodeClass::ControlFlow:
      return NodeRole::kControlFlow;
    case OpcodeClass::Fusion:
      return NodeRole::kFusion;
    case OpcodeClass::CustomCall:
      return NodeRole::kCustomCall;
    case OpcodeClass::Async:
      return NodeRole::kAsync;
    case OpcodeClass::Random:
      return NodeRole::kRandom;
    case OpcodeClass::Leaf:
      return NodeRole::kParameter;
    case OpcodeClass::Tuple:
    case OpcodeClass::Ordering:
      return NodeRole::kTuple;
  }
  return NodeRole::kUnknown;
}

NodeRole nodeRole(const Instruction& instruction) {
  const Opcode opcode = instruction.opcode();
  switch (opcode) {
    case Opcode::Sort:
    case Opcode::TopK:
      return NodeRole::kSort;
    case Opcode::CopyStart:
    case Opcode::CopyDone:
      return NodeRole::kCopy;
    case Opcode::PartitionId:
    case Opcode::ReplicaId:
      return NodeRole::kCollective;
    case Opcode::Opaque:
      return NodeRole::kUnknown;
    default:
      break;
  }
  switch (opcodeClass(opcode)) {
    case OpcodeClass::DataMovement:
      return dataMovementRole(opcode);
    case OpcodeClass::Leaf:
      return leafRole(instruction);
    default:
      return nodeRole(workClass(instruction));
  }
}

}  // namespace hilo
