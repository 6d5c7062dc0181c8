#include "core/compiler/passes/layout/layout_interfaces.h"

#include <algorithm>

#include "core/analysis/call_graph.h"
#include "core/compiler/pass/clone_computation.h"
#include "core/compiler/passes/layout/layout_constraints.h"
#include "core/compiler/passes/layout/tuple_elements.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

bool branches(const Instruction& i) {
  return i.opcode() == Opcode::While || i.opcode() == Opcode::Conditional;
}

// The value's shape as the constraints have it.
Shape laidShape(const Instruction& value, const LayoutConstraints& constraints) {
  const Shape shape = value.shape();
  if (shape.isArray()) {
    if (!hasLayoutOrder(shape) || !isPlainArray(shape)) return shape;
    const Shape laid = inDimensionOrder(shape, constraints.orderOf(value));
    return sameMemoryOrder(laid, shape) ? shape : laid;
  }
  if (!shape.isTuple()) return shape;
  std::vector<Shape> elements(shape.tupleShapes().begin(), shape.tupleShapes().end());
  for (size_t k = 0; k < elements.size(); ++k) {
    if (const Instruction* element = elementWithin(value, k)) elements[k] = laidShape(*element, constraints);
  }
  return Shape::tuple(elements);
}

class Chooser {
 public:
  Chooser(const CallGraph& graph, const GpuLayoutSettings& settings) : graph_(graph), settings_(settings) {}

  LayoutInterfaces run(Module& module, Shape result) {
    interfaces_.results[module.entry()] = result;
    for (Computation* computation : graph_.postOrder()) {
      if (!graph_.runsInstructions(*computation)) continue;
      for (Instruction* i : computation->instructions()) takeCallee(*i);
      if (computation == module.entry()) {
        if (settings_.choosesEntry) chooseEntry(module, result);
      } else {
        choose(*computation);
      }
    }
    return std::move(interfaces_);
  }

 private:
  void lay(Instruction& value, Shape shape) { interfaces_.changed |= setShapeAndElements(value, shape); }

  // A call gives what its computation gives.
  void takeCallee(Instruction& i) {
    if (i.opcode() == Opcode::Call) return takeResult(i, i.calledComputations()[0]);
    if (i.opcode() == Opcode::Conditional) {
      const auto called = i.calledComputations();
      const Computation* largest = largestBranch(i);
      for (const Computation* branch : called) {
        if (interfaces_.results.contains(largest))
          interfaces_.results[branch] = interfaces_.results.at(largest);
      }
      return takeResult(i, largest);
    }
    if (i.opcode() != Opcode::While) return;
    const auto given = interfaces_.results.find(i.get<Attr::Body>());
    if (given == interfaces_.results.end()) return;
    lay(*i.get<Attr::Condition>()->parameters()[0], given->second);
    lay(i, given->second);
  }
  void takeResult(Instruction& call, const Computation* called) {
    const auto given = interfaces_.results.find(called);
    if (given != interfaces_.results.end()) lay(call, given->second);
  }
  // Of those that are given something, where any is.
  static const Computation* largestBranch(const Instruction& conditional) {
    const auto called = conditional.calledComputations();
    const auto weight = [&](size_t branch) {
      const Shape given = conditional.operand(branch + 1)->shape();
      return given.isTuple() && given.tupleShapes().empty() ? 0 : called[branch]->instructionCount();
    };
    size_t largest = 0;
    for (size_t k = 1; k < called.size(); ++k) {
      if (weight(k) > weight(largest)) largest = k;
    }
    return called[largest];
  }

  void choose(Computation& computation) {
    const LayoutConstraints constraints(computation, settings_, InterfaceOrders::Chosen,
                                        computation.root()->shape());
    const Shape result = laidShape(*computation.root(), constraints);
    const bool isBody = std::ranges::any_of(graph_.node(computation).callers, [&](const Instruction* caller) {
      return caller->opcode() == Opcode::While && caller->get<Attr::Body>() == &computation;
    });
    std::vector<Shape> taken;
    for (const Instruction* p : computation.parameters())
      taken.push_back(isBody ? result : laidShape(*p, constraints));
    for (Instruction* p : computation.parameters()) lay(*p, taken[static_cast<size_t>(p->parameterNumber())]);
    interfaces_.results[&computation] = result;
  }

  void chooseEntry(Module& module, Shape given) {
    Computation& entry = *module.entry();
    const LayoutConstraints constraints(entry, settings_, InterfaceOrders::ChosenWhereNoneIsStated, given);
    std::vector<Shape> taken;
    for (const Instruction* p : entry.parameters())
      taken.push_back(withStated(p->shape(), laidShape(*p, constraints)));
    Shape result = withStated(given, laidShape(*entry.root(), constraints));
    for (const AliasEntry& alias : module.get<Attr::InputOutputAlias>())
      lieTheSame(entry, given, alias, taken[static_cast<size_t>(alias.parameter)], result);
    for (Instruction* p : entry.parameters()) lay(*p, taken[static_cast<size_t>(p->parameterNumber())]);
    interfaces_.changed |= result != given;
    interfaces_.results[&entry] = result;
    if (!module.attributes().has(Attr::EntryComputationLayout)) return;
    const ProgramShape laid{.parameters = taken, .result = result};
    module.set<Attr::EntryComputationLayout>(&laid);
  }
  // Arrays that state a layout keep it.
  static Shape withStated(Shape stated, Shape laid) {
    if (stated.isArray()) return stated.layout() != nullptr ? stated : laid;
    if (!stated.isTuple()) return stated;
    std::vector<Shape> elements;
    for (size_t k = 0; k < stated.tupleShapes().size(); ++k)
      elements.push_back(withStated(stated.tupleShapes()[k], laid.tupleShapes()[k]));
    return Shape::tuple(elements);
  }
  // As the side that states its layout; of two that do not, as the result.
  static void lieTheSame(const Computation& entry, Shape given, const AliasEntry& alias, Shape& taken,
                         Shape& result) {
    const Shape stated =
        elementAt(entry.parameters()[static_cast<size_t>(alias.parameter)]->shape(), alias.parameterIndex);
    if (stated.layout() == nullptr) {
      taken = withElement(taken, alias.parameterIndex, elementAt(result, alias.outputIndex));
    } else if (elementAt(given, alias.outputIndex).layout() == nullptr) {
      result = withElement(result, alias.outputIndex, elementAt(taken, alias.parameterIndex));
    }
  }
  static Shape elementAt(Shape shape, std::span<const int64_t> index) {
    for (const int64_t k : index) shape = shape.tupleShapes()[static_cast<size_t>(k)];
    return shape;
  }
  static Shape withElement(Shape shape, std::span<const int64_t> index, Shape element) {
    if (index.empty()) return element;
    std::vector<Shape> elements(shape.tupleShapes().begin(), shape.tupleShapes().end());
    const auto k = static_cast<size_t>(index[0]);
    elements[k] = withElement(elements[k], index.subspan(1), element);
    return Shape::tuple(elements);
  }

  const CallGraph& graph_;
  const GpuLayoutSettings& settings_;
  LayoutInterfaces interfaces_;
};

// True where something was copied.
Result<bool> unshare(Module& module) {
  absl::flat_hash_set<const Computation*> taken;
  std::vector<Instruction*> callers;
  for (Computation* computation : module.computations()) {
    for (Instruction* i : computation->instructions()) {
      if (branches(*i)) callers.push_back(i);
      if (i->opcode() == Opcode::Call) taken.insert(i->calledComputations()[0]);
    }
  }
  bool changed = false;
  for (Instruction* caller : callers) {
    for (const Computation* called : caller->calledComputations()) {
      if (taken.insert(called).second) continue;
      Computation* own = cloneComputation(*called, &caller->parent());
      redirectCall(*caller, called, own);
      for (Instruction* i : own->instructions()) TRY_STATUS(giveOwnComputations(*i));
      changed = true;
    }
  }
  return changed;
}

}  // namespace

Result<LayoutInterfaces> chooseInterfaces(Module& module, const GpuLayoutSettings& settings, Shape result) {
  TRY(const bool copied, unshare(module));
  TRY(const CallGraph graph, CallGraph::build(module));
  LayoutInterfaces interfaces = Chooser(graph, settings).run(module, result);
  interfaces.changed |= copied;
  return interfaces;
}

const Instruction* parameterGiven(const Instruction& caller, size_t index) {
  switch (caller.opcode()) {
    case Opcode::While:
      return caller.get<Attr::Body>()->parameters()[0];
    case Opcode::Conditional:
      return index == 0 ? nullptr : caller.calledComputations()[index - 1]->parameters()[0];
    case Opcode::Call:
    case Opcode::AsyncStart:
      return caller.calledComputations()[0]->parameters()[index];
    default:
      return nullptr;
  }
}

const Instruction* elementWithin(const Instruction& tuple, size_t index) {
  if (tuple.opcode() == Opcode::Tuple) return tuple.operand(index);
  for (const Instruction* user : tuple.users()) {
    if (user->opcode() == Opcode::GetTupleElement && user->tupleIndex() == static_cast<int64_t>(index))
      return user;
  }
  return nullptr;
}

}  // namespace hilo
