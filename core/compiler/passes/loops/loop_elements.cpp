#include "core/compiler/passes/loops/loop_elements.h"

#include <absl/container/flat_hash_set.h>
#include <algorithm>

#include "core/analysis/async_op.h"
#include "core/analysis/while_loop.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/loops/decided_compares.h"
#include "core/compiler/passes/loops/element_origins.h"
#include "core/compiler/passes/loops/equal_elements.h"
#include "core/compiler/passes/loops/flat_state.h"
#include "core/compiler/passes/loops/loop_parts.h"
#include "core/compiler/passes/loops/merged_counters.h"
#include "core/compiler/passes/shape_ops.h"
#include "core/compiler/passes/simplify/call_inliner.h"
#include "core/hlo/ir/side_effects.h"

namespace hilo {
namespace {

// Of each element of what a loop carries.
struct CarriedElements {
  std::vector<bool> isPassed;  // comes out of the body as it went in
  std::vector<bool> isNeeded;
};

bool isElementOf(const Instruction& i, const Instruction& tuple, int64_t index) {
  return i.opcode() == Opcode::GetTupleElement && i.operand(0) == &tuple && i.tupleIndex() == index;
}

// Marks what the body needs to work out `i`.
class Needs {
 public:
  Needs(const Instruction& parameter, const Instruction& root, CarriedElements& carried)
      : parameter_(parameter), root_(root), carried_(carried) {}
  void need(size_t index) {
    if (carried_.isNeeded[index]) return;
    carried_.isNeeded[index] = true;
    pending_.push_back(root_.operand(index));
  }
  void follow(const Instruction& i) {
    pending_.push_back(&i);
    while (!pending_.empty()) {
      const Instruction* next = pending_.back();
      pending_.pop_back();
      if (!seen_.insert(next).second) continue;
      if (next->opcode() == Opcode::GetTupleElement && next->operand(0) == &parameter_)
        need(static_cast<size_t>(next->tupleIndex()));
      for (const Instruction* operand : next->operands()) pending_.push_back(operand);
      for (const Instruction* p : next->get<Attr::ControlPredecessors>()) pending_.push_back(p);
    }
  }

 private:
  const Instruction& parameter_;
  const Instruction& root_;
  CarriedElements& carried_;
  absl::flat_hash_set<const Instruction*> seen_;
  std::vector<const Instruction*> pending_;
};

CarriedElements carriedBy(const Instruction& loop) {
  const Computation &body = *loop.get<Attr::Body>(), &condition = *loop.get<Attr::Condition>();
  const Instruction &parameter = *body.parameters()[0], &root = *body.root();
  const size_t count = root.operandCount();
  CarriedElements carried{.isPassed = std::vector<bool>(count), .isNeeded = std::vector<bool>(count)};
  for (size_t k = 0; k < count; ++k)
    carried.isPassed[k] = isElementOf(*root.operand(k), parameter, static_cast<int64_t>(k));
  Needs needs(parameter, root, carried);
  const auto need = [&](size_t index) {
    needs.need(index);
    needs.follow(*root.operand(index));
  };
  for (const Instruction* user : condition.parameters()[0]->users()) {
    if (!user->users().empty() || user->isRoot()) need(static_cast<size_t>(user->tupleIndex()));
  }
  for (const Instruction* user : loop.users()) {
    const auto index = static_cast<size_t>(user->tupleIndex());
    if (!carried.isPassed[index]) need(index);
  }
  for (size_t k = 0; loop.isRoot() && k < count; ++k) {
    // Read from before the loop where that is a tuple of them.
    if (!carried.isPassed[k] || loop.operand(0)->opcode() != Opcode::Tuple) need(k);
  }
  for (const Instruction* i : body.instructions()) {
    if (hasSideEffect(*i)) needs.follow(*i);
  }
  return carried;
}

// What has no users, and their operands: a body must not read elements that are gone.
void sweep(Computation& computation) {
  for (Instruction* i = computation.last(); i != nullptr;) {
    Instruction* previous = i->previous();
    if (i->users().empty() && !i->isRoot() && i->opcode() != Opcode::Parameter && !hasSideEffect(*i))
      computation.remove(i);
    i = previous;
  }
}

Instruction* tupleOfKept(Instruction& tuple, const std::vector<bool>& keep, Shape shape) {
  std::vector<Instruction*> kept;
  for (size_t k = 0; k < keep.size(); ++k) {
    if (keep[k]) kept.push_back(tuple.operand(k));
  }
  Instruction* made = tuple.parent().create(Opcode::Tuple, shape, kept, {}, &tuple);
  takeOriginsOf(tuple, *made, keep);
  return made;
}

void renumber(Instruction& tuple, const std::vector<bool>& keep, Shape shape) {
  std::vector<int64_t> places(keep.size());
  for (size_t k = 0, next = 0; k < keep.size(); ++k) places[k] = static_cast<int64_t>(keep[k] ? next++ : 0);
  const std::vector<Instruction*> users(tuple.users().begin(), tuple.users().end());
  for (Instruction* user : users) {
    if (user->opcode() != Opcode::GetTupleElement) continue;
    const auto index = static_cast<size_t>(user->tupleIndex());
    if (keep[index]) user->set<Attr::Index>(places[index]);
    if (!keep[index]) tuple.parent().remove(user);
  }
  tuple.setShape(shape);
}

Status keepOnly(Instruction& loop, const std::vector<bool>& keep) {
  TRY(LoopParts parts, takeLoopApart(loop));
  std::vector<Shape> shapes;
  for (size_t k = 0; k < keep.size(); ++k) {
    if (keep[k]) shapes.push_back(parts.root->operand(k)->shape());
  }
  const Shape shape = Shape::tuple(shapes);
  for (Instruction* i : {&loop, parts.parameter, parts.condition->parameters()[0]})
    takeOriginsOf(*i, *i, keep);
  Instruction* root = tupleOfKept(*parts.root, keep, shape);
  parts.body->setRoot(root);
  parts.body->remove(parts.root);
  sweep(*parts.body);
  sweep(*parts.condition);
  Instruction* init = tupleOfKept(*parts.init, keep, shape);
  loop.setOperand(0, init);
  parts.outside().remove(parts.init);
  renumber(*parts.parameter, keep, shape);
  renumber(*parts.condition->parameters()[0], keep, shape);
  renumber(loop, keep, shape);
  return {};
}

// A frontend attribute, XLA's name: what the loop carries stays.
bool keepsWhatItCarries(const Instruction& loop) {
  return hasFrontendAttribute(loop, "xla_disable_while_loop_dce", "true");
}

bool saysWhatCounts(const Instruction& loop) {
  return loop.get<Attr::BackendConfig>().find("known_induction_variable") != std::string_view::npos;
}

// Elements that are only carried, read from before the loop. Whether there were some.
bool readFromBefore(Instruction& loop, const CarriedElements& carried) {
  bool changed = false;
  const std::vector<Instruction*> users(loop.users().begin(), loop.users().end());
  for (Instruction* user : users) {
    if (!carried.isPassed[static_cast<size_t>(user->tupleIndex())]) continue;
    loop.parent().replaceAllUses(user, elementOfTuple(loop.operand(0), user->tupleIndex(), loop));
    loop.parent().remove(user);
    changed = true;
  }
  return changed;
}

Result<bool> dropUnneeded(Instruction& loop, PassContext& context) {
  if (!whyLoopIsFixed(loop).empty()) return false;
  const CarriedElements carried = carriedBy(loop);
  const auto dropped = std::ranges::count(carried.isNeeded, false);
  const bool isPassedRead = std::ranges::any_of(loop.users(), [&](const Instruction* u) {
    return carried.isPassed[static_cast<size_t>(u->tupleIndex())];
  });
  const bool isAll = static_cast<size_t>(dropped) == carried.isNeeded.size();
  if ((isAll && !hasSideEffect(*loop.get<Attr::Body>())) || (dropped == 0 && !isPassedRead)) return false;
  if (!context.mayChange(loop)) return false;
  context.remark(loop, "simplified",
                 fmt::format("{} of {} elements need not be carried", dropped, carried.isNeeded.size()));
  // What was the loop's result is a tuple of its elements then.
  if (loop.isRoot()) TRY_STATUS(takeLoopApart(loop));
  readFromBefore(loop, carried);
  if (dropped > 0) TRY_STATUS(keepOnly(loop, carried.isNeeded));
  return true;
}

// Never: what it starts with. Once: its body.
bool replaceShort(Instruction& loop, PassContext& context) {
  const auto trips = tripCount(loop);
  if (!trips || *trips > 1 || hasSideEffect(*loop.get<Attr::Condition>()) ||
      hasSideEffect(*loop.get<Attr::Body>()) || loop.has(Attr::ControlPredecessors))
    return false;
  if (*trips == 1 && hasFrontendAttribute(loop, kKeepLoopThatRunsOnce, "true")) return false;
  if (!context.mayChange(loop)) return false;
  context.remark(loop, "simplified", *trips == 0 ? "never runs" : "runs once");
  Computation& computation = loop.parent();
  Instruction* result = loop.operand(0);
  if (*trips == 1) {
    result = computation.create(Opcode::Call, loop.shape(), {loop.operand(0)}, {}, &loop);
    result->set<Attr::ToApply>(loop.get<Attr::Body>());
  }
  computation.replaceAllUses(&loop, result);
  computation.remove(&loop);
  if (*trips == 1) inlineCall(*result);
  return true;
}

}  // namespace

Result<bool> simplifyLoops(Module& module, PassContext& context, const LoopSimplifications& which) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    for (Instruction* loop : whileLoopsOf(*computation)) {
      if (context.cancelled()) return changed;
      if (replaceShort(*loop, context)) {
        changed = true;
        continue;
      }
      if (which.compares) changed |= decideCompares(*loop, context);
      if (saysWhatCounts(*loop) || keepsWhatItCarries(*loop) || context.fuel().isSpent()) continue;
      TRY(const bool flattened, flattenState(*loop, context));
      TRY(const bool shared, readEqualElements(*loop, context));
      TRY(const bool dropped, dropUnneeded(*loop, context));
      TRY(const bool merged, mergeCounters(*loop, context));
      changed |= flattened || shared || dropped || merged;
    }
  }
  return changed;
}

}  // namespace hilo
