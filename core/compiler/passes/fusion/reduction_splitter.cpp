#include "core/compiler/passes/fusion/reduction_splitter.h"

#include <fmt/format.h>

#include "core/analysis/call_graph.h"
#include "core/hlo/ir/combiner.h"

namespace hilo {
namespace {

// The operation that is all the computation does, where its order is free.
std::optional<Opcode> freeOperation(const Computation& computation) {
  const auto operation = operationOnBoth(computation);
  switch (operation.value_or(Opcode::Parameter)) {
    case Opcode::Add:
    case Opcode::And:
    case Opcode::Maximum:
    case Opcode::Minimum:
    case Opcode::Or:
    case Opcode::Xor:
      return operation;
    default:
      return std::nullopt;
  }
}

int64_t slowestDimension(Shape shape) {
  return shape.layout() == nullptr ? 0 : shape.layout()->minorToMajor.back();
}

bool canSplit(const Instruction& reduction, const SharedReduction& shared) {
  if (reduction.opcode() != Opcode::Reduce || reduction.operandCount() != 2 || reduction.shape().rank() != 0)
    return false;
  const Shape folded = reduction.operand(0)->shape();
  const ElementType type = folded.elementType();
  const bool isExact = type == ElementType::F32 || type == ElementType::F64 || isIntegral(type);
  if (!isExact || folded.rank() < 2 || folded.isDynamic() || folded.elementCount() < shared.fewestElements)
    return false;
  if (reduction.shape().elementType() != type || !freeOperation(*reduction.get<Attr::ToApply>()))
    return false;
  const int64_t lines = folded.dimension(static_cast<size_t>(slowestDimension(folded)));
  return lines >= shared.fewestLines && folded.elementCount() / lines >= shared.shortestLine;
}

void split(Instruction& reduction) {
  Computation& computation = reduction.parent();
  Instruction *folded = reduction.operand(0), *start = reduction.operand(1);
  const int64_t slowest = slowestDimension(folded->shape());
  const ElementType type = folded->shape().elementType();
  Computation* applied = reduction.get<Attr::ToApply>();
  const auto make = [&](Shape shape, Instruction* operand, Instruction* from, std::span<const int64_t> over) {
    Instruction* made = computation.create(Opcode::Reduce, shape, {operand, from}, {}, &reduction);
    made->set<Attr::Dimensions>(over);
    made->set<Attr::ToApply>(applied);
    if (const OpMetadata* metadata = reduction.get<Attr::Metadata>()) made->set<Attr::Metadata>(metadata);
    return made;
  };
  // Of sums the start counts once; others may fold it in as often as they like.
  const Opcode operation = *freeOperation(*applied);
  const bool countsTwice = operation == Opcode::Add || operation == Opcode::Xor;
  Instruction* neutral =
      countsTwice ? computation.createConstant(Literal(Shape::scalar(type)), &reduction) : start;
  std::vector<int64_t> others;
  for (int64_t d = 0; d < static_cast<int64_t>(folded->shape().rank()); ++d) {
    if (d != slowest) others.push_back(d);
  }
  const Shape lines = Shape::array(type, {folded->shape().dimension(static_cast<size_t>(slowest))});
  Instruction* ofLines = make(lines, folded, neutral, others);
  const int64_t first = 0;
  computation.replaceAllUses(&reduction, make(reduction.shape(), ofLines, start, {&first, 1}));
  computation.remove(&reduction);
}

}  // namespace

Result<bool> splitReductions(Module& module, PassContext& context, const EngineCosts& costs) {
  TRY(const CallGraph graph, CallGraph::build(module));
  bool changed = false;
  for (Computation* computation : module.computations()) {
    if (context.cancelled()) return changed;
    if (!graph.runsInstructions(*computation)) continue;
    std::vector<Instruction*> found;
    for (Instruction* instruction : computation->instructions()) {
      if (canSplit(*instruction, costs.sharedReduction())) found.push_back(instruction);
    }
    for (Instruction* reduction : found) {
      if (!context.mayChange(*reduction)) return changed;
      context.remark(*reduction, "split", "several threads can fold a part each");
      split(*reduction);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
