#include "core/compiler/passes/collectives/all_reduce_contiguous.h"

#include <algorithm>

#include "core/analysis/saturating.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/control_edges.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

bool isConstrained(const Instruction& i) {
  return (i.opcode() == Opcode::AllReduce || i.opcode() == Opcode::AllReduceStart) &&
         i.get<Attr::ConstrainLayout>().value_or(false);
}

bool anyIsConstrained(const Module& module) {
  return std::ranges::any_of(module.computations(), [](const Computation* computation) {
    return std::ranges::any_of(computation->instructions(),
                               [](const Instruction* i) { return isConstrained(*i); });
  });
}

// "" where it can be one.
std::string_view whyNot(const Instruction& reduction) {
  if (reduction.has(Attr::Sharding)) return "it has a sharding";
  const auto results = reduction.shape().tupleShapes();
  int64_t elements = 0;
  for (size_t i = 0; i < results.size(); ++i) {
    const Shape operand = reduction.operand(i)->shape();
    if (!isPlainArray(operand)) return "its arrays lie in tiles, or have bounded sizes";
    if (operand.elementType() != reduction.operand(0)->shape().elementType())
      return "its arrays are of several types";
    if (operand != results[i]) return "a result lies otherwise than its operand";
    elements = saturatingAdd(elements, operand.elementCount());
  }
  return saturatingMultiply(elements, 16) == INT64_MAX ? "it has too many elements" : "";
}

Shape lineOf(Shape like, int64_t elements) {
  return arrayLike(like, like.elementType(), std::span(&elements, 1));
}

Instruction* cut(Instruction& whole, int64_t from, int64_t to, Instruction& before) {
  Instruction* part =
      before.parent().create(Opcode::Slice, lineOf(whole.shape(), to - from), {&whole}, {}, &before);
  part->set<Attr::Slice>(std::array{SliceRange{.start = from, .limit = to, .stride = 1}});
  return part;
}

void reduceAsOne(Instruction& reduction) {
  Computation& computation = reduction.parent();
  std::vector<Instruction*> lines;
  int64_t elements = 0;
  for (Instruction* operand : reduction.operands()) {
    const int64_t count = operand->shape().elementCount();
    lines.push_back(bitcastTo(operand, lineOf(operand->shape(), count), reduction));
    elements += count;
  }
  const Shape all = lineOf(lines[0]->shape(), elements);
  Instruction* joined = computation.create(Opcode::Concatenate, all, lines, {}, &reduction);
  joined->set<Attr::Dimensions>(std::array<int64_t, 1>{0});
  Instruction* reduced = computation.createLike(reduction, {{joined}}, &reduction);
  reduced->setShape(all);
  std::vector<Instruction*> results;
  int64_t from = 0;
  for (const Instruction* line : lines) {
    const int64_t to = from + line->shape().elementCount();
    const Shape shape = reduction.operand(results.size())->shape();
    results.push_back(bitcastTo(cut(*reduced, from, to, reduction), shape, reduction));
    from = to;
  }
  Instruction* tuple = computation.create(Opcode::Tuple, reduction.shape(), results, {}, &reduction);
  computation.replaceAllUses(&reduction, tuple);
  redirectControlPredecessors(computation, {{&reduction, reduced}});
  computation.remove(&reduction);
}

}  // namespace

Result<bool> makeAllReducesContiguous(Module& module, PassContext& context) {
  bool changed = false;
  if (anyIsConstrained(module)) return changed;
  for (Computation* computation : unfusedComputations(module)) {
    for (Instruction* i : computation->instructions()) {
      if (context.cancelled()) return changed;
      if (i->opcode() != Opcode::AllReduce || i->operandCount() < 2) continue;
      if (const std::string_view why = whyNot(*i); !why.empty()) {
        context.remark(*i, "missed", std::string(why));
        continue;
      }
      if (!context.mayChange(*i)) return changed;
      context.remark(*i, "joined", fmt::format("{} arrays are reduced as one", i->operandCount()));
      reduceAsOne(*i);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
