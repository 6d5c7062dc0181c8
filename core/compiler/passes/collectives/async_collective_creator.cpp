#include "core/compiler/passes/collectives/async_collective_creator.h"

#include "core/analysis/async_op.h"
#include "core/analysis/call_graph.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/collectives/async_pair_maker.h"
#include "core/compiler/passes/control_edges.h"

namespace hilo {
namespace {

Shape tupleOf(std::vector<Shape> shapes) { return Shape::tuple(shapes); }

Shape operandsShape(const Instruction& collective) {
  std::vector<Shape> shapes;
  for (const Instruction* operand : collective.operands()) shapes.push_back(operand->shape());
  return shapes.size() == 1 ? shapes[0] : Shape::tuple(shapes);
}

// The start has all attributes of the collective but control predecessors; the done its metadata.
AsyncPair makePair(Instruction& collective, Opcode startOpcode, Opcode doneOpcode, Shape startShape) {
  Computation& computation = collective.parent();
  Instruction* start = computation.create(startOpcode, startShape, collective.operands(), {}, &collective);
  Arena& arena = computation.module().arena();
  for (const Attribute& attribute : collective.attributes()) {
    if (attribute.key != Attr::ControlPredecessors && attribute.key != Attr::UniqueId)
      start->attributeList().append(arena, attribute);
  }
  Instruction* done = computation.create(doneOpcode, collective.shape(), {start}, {}, &collective);
  return {start, done};
}

// In place, the second operand's buffer is the result's.
AsyncPair splitPermute(Instruction& permute) {
  const bool inPlace = permute.has(Attr::SliceSizesList) && permute.operandCount() == 4;
  const Shape source = inPlace ? permute.operand(0)->shape() : operandsShape(permute);
  return makePair(permute, Opcode::CollectivePermuteStart, Opcode::CollectivePermuteDone,
                  tupleOf({source, inPlace ? permute.operand(1)->shape() : permute.shape()}));
}

AsyncPair split(Instruction& collective) {
  switch (collective.opcode()) {
    case Opcode::AllReduce:
      return makePair(collective, Opcode::AllReduceStart, Opcode::AllReduceDone, collective.shape());
    case Opcode::AllGather:
      return makePair(collective, Opcode::AllGatherStart, Opcode::AllGatherDone,
                      tupleOf({operandsShape(collective), collective.shape()}));
    case Opcode::CollectivePermute:
      return splitPermute(collective);
    default:
      return wrappedAsync(collective);
  }
}

bool isSplit(const Instruction& i, const AsyncCollectiveLimits& limits) {
  if (!isCollectiveCommunication(i.opcode()) || isSyncCollective(i) || i.operandCount() == 0) return false;
  return i.opcode() != Opcode::AllReduce || limits.anySize ||
         i.shape().byteSize() >= limits.leastReducedBytes;
}

// Gives the done. The collective is left without users.
Instruction* replace(Instruction& collective) {
  Computation& computation = collective.parent();
  const AsyncPair pair = split(collective);
  if (const OpMetadata* metadata = collective.get<Attr::Metadata>()) {
    pair.start->set<Attr::Metadata>(metadata);
    pair.done->set<Attr::Metadata>(metadata);
  }
  if (const std::string_view config = collective.get<Attr::BackendConfig>(); !config.empty()) {
    pair.start->set<Attr::BackendConfig>(config);
    pair.done->set<Attr::BackendConfig>(config);
  }
  if (const auto before = collective.get<Attr::ControlPredecessors>(); !before.empty())
    pair.start->set<Attr::ControlPredecessors>(before);
  computation.replaceAllUses(&collective, pair.done);
  return pair.done;
}

}  // namespace

Result<bool> createAsyncCollectives(Module& module, PassContext& context,
                                    const AsyncCollectiveLimits& limits) {
  TRY(const CallGraph graph, CallGraph::build(module));
  bool changed = false;
  for (Computation* computation : mainComputations(module)) {
    const auto& callers = graph.node(*computation).callers;
    if (std::ranges::any_of(callers, [](const Instruction* caller) {
          return caller->opcode() == Opcode::AsyncStart || caller->opcode() == Opcode::Fusion;
        }))
      continue;
    std::vector<Instruction*> collectives;
    for (Instruction* instruction : computation->instructions()) {
      if (isSplit(*instruction, limits) && context.mayChange(*instruction))
        collectives.push_back(instruction);
    }
    if (context.cancelled()) return changed;
    absl::flat_hash_map<const Instruction*, Instruction*> doneOf;
    for (Instruction* collective : collectives) {
      context.remark(*collective, "split", "into a start and a done");
      doneOf[collective] = replace(*collective);
    }
    redirectControlPredecessors(*computation, doneOf);
    for (Instruction* collective : collectives) collective->erase(Attr::ControlPredecessors);
    computation->removeAll(collectives);
    changed |= !collectives.empty();
  }
  return changed;
}

}  // namespace hilo
