#include "core/compiler/passes/memory/host_offload/host_transfers.h"

#include "core/analysis/call_graph.h"
#include "core/analysis/memory/memory_space.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/collectives/async_pair_maker.h"

namespace hilo {
namespace {

bool isOnDevice(Shape shape) {
  return shape.isArray() && (shape.layout() == nullptr || shape.layout()->memorySpace == kDeviceSpace);
}

// Whether the instruction moves bytes from one memory to the other.
bool crosses(const Instruction& i) {
  switch (i.opcode()) {
    case Opcode::Copy:
      return (isOnHost(i.operand(0)->shape()) && isOnDevice(i.shape())) ||
             (isOnDevice(i.operand(0)->shape()) && isOnHost(i.shape()));
    case Opcode::DynamicSlice:
      return isOnHost(i.operand(0)->shape()) && isOnDevice(i.shape());
    case Opcode::DynamicUpdateSlice:
      return isOnDevice(i.operand(1)->shape()) && isOnHost(i.shape());
    default:
      return false;
  }
}

AsyncPair copyPair(Instruction& copy) {
  const Shape given[] = {copy.shape(), copy.operand(0)->shape(), Shape::scalar(ElementType::U32)};
  Computation& computation = copy.parent();
  Instruction* start =
      computation.create(Opcode::CopyStart, Shape::tuple(given), {copy.operand(0)}, {}, &copy);
  return {start, computation.create(Opcode::CopyDone, copy.shape(), {start}, {}, &copy)};
}

AsyncPair asyncPair(Instruction& i) {
  if (i.opcode() == Opcode::Copy) return copyPair(i);
  const Shape context[] = {Shape::scalar(ElementType::U32)};
  return wrappedAsync(i, context);
}

Status verifyUpdate(const Instruction& i) {
  if (i.opcode() != Opcode::DynamicUpdateSlice || isOnHost(i.operand(0)->shape())) return {};
  return fail("memory-space-mismatch",
              fmt::format("%{} lies in the host's memory and what it updates, %{}, does not", i.name(),
                          i.operand(0)->name()),
              {.computation = std::string(i.parent().name()), .instruction = std::string(i.name())},
              {"an update is written in place: both lie in one memory"});
}

}  // namespace

Result<bool> makeHostTransfersAsync(Module& module, PassContext& context) {
  TRY(const CallGraph graph, CallGraph::build(module));
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    if (!graph.runsInstructions(*computation)) continue;
    for (Instruction* i : computation->instructions()) {
      if (context.cancelled()) return changed;
      if (!crosses(*i) || i->has(Attr::ControlPredecessors)) continue;
      TRY_STATUS(verifyUpdate(*i));
      if (!context.mayChange(*i)) return changed;
      const AsyncPair pair = asyncPair(*i);
      context.remark(*i, "wrapped", fmt::format("starts as %{}", pair.start->name()));
      computation->replaceAllUses(i, pair.done);
      computation->remove(i);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
