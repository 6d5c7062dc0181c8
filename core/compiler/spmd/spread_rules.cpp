#include "core/compiler/spmd/spread_rules.h"

#include "core/compiler/spmd/op_factors.h"

namespace hilo {
namespace {

constexpr std::string_view kPassThroughCalls[] = {
    "Sharding",
    "X64Combine",
    "LayoutConstraint",
    "MoveToHost",
    "MoveToDevice",
    "annotate_device_placement",
    "AssumeGatherIndicesInBound",
    "PinToDevice",
    "PinToDeviceSram",
    "ShardBarrierTo",
    "ResizeNearest",
    "ResizeBilinear",
    "ResizeNearestGrad",
    "ResizeBilinearGrad",
    "Cholesky",
};

bool isPassThrough(const Instruction& call) {
  if (std::ranges::find(kPassThroughCalls, call.get<Attr::CustomCallTarget>()) == std::end(kPassThroughCalls))
    return false;
  return call.shape().isArray() && call.operandCount() > 0 && call.operand(0)->shape().isArray() &&
         call.operand(0)->shape().rank() == call.shape().rank();
}

// A program brings along how it is cut: nothing is known but that its result may be what its users ask for.
bool hasOwnPartitioner(const Instruction& call) {
  if (call.get<Attr::CustomCallTarget>() == "CustomSPMDPartitioning") return true;
  const auto isBatched = [](const FrontendAttribute& attribute) {
    return attribute.name == "num_batch_dims";
  };
  return std::ranges::any_of(call.get<Attr::FrontendAttributes>(), isBatched);
}

// Handed on at every level.
constexpr Opcode kAlways[] = {
    Opcode::Call,
    Opcode::Concatenate,
    Opcode::Copy,
    Opcode::DynamicSlice,
    Opcode::DynamicUpdateSlice,
    Opcode::GetTupleElement,
    Opcode::OptBarrier,
    Opcode::Reshape,
    Opcode::Tuple,
    Opcode::Transpose,
    Opcode::While,
};

}  // namespace

Spread spreadOf(const Instruction& instruction) {
  switch (instruction.opcode()) {
#define SPREAD(opcode, way) \
  case Opcode::opcode:      \
    return Spread::way;
#include "core/compiler/spmd/spread_rules.def"
    case Opcode::CustomCall:
      if (instruction.get<Attr::CustomCallTarget>() == "ShardBarrierFrom") return Spread::Leaf;
      if (isPassThrough(instruction)) return Spread::First;
      if (batchDimensionsOf(instruction) > 0) return Spread::Batches;
      return hasOwnPartitioner(instruction) ? Spread::Leaf : Spread::None;
    default:
      return isElementwise(instruction.opcode()) ? Spread::Each : Spread::None;
  }
}

bool spreadsAt(const Instruction& instruction, int level) {
  const Opcode opcode = instruction.opcode();
  if (isElementwise(opcode) || instruction.get<Attr::CustomCallTarget>() == "Sharding") return true;
  if (std::ranges::find(kAlways, opcode) != std::end(kAlways)) return true;
  return level >= (opcode == Opcode::Broadcast ? 2 : 1);
}

}  // namespace hilo
