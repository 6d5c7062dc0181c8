#include "core/compiler/passes/layout/gpu_layout_assignment.h"

#include <fmt/format.h>

#include "core/analysis/call_graph.h"
#include "core/compiler/passes/layout/layout_constraints.h"
#include "core/compiler/passes/layout/layout_interfaces.h"
#include "core/compiler/passes/layout/tuple_elements.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

class Assigner {
 public:
  Assigner(Computation& computation, PassContext& context, const GpuLayoutSettings& settings, Shape result)
      : computation_(computation),
        context_(context),
        result_(result),
        constraints_(computation, settings, InterfaceOrders::Stated, result) {
    for (Instruction* i : computation.instructions()) instructions_.push_back(i);
  }

  bool run() {
    for (Instruction* i : instructions_) {
      if (hasLayoutOrder(i->shape()) && isPlainArray(i->shape())) lay(*i);
    }
    for (Instruction* i : instructions_) {
      for (size_t k = 0; k < i->operandCount(); ++k) {
        const DimensionOrder* order =
            hasLayoutOrder(i->operand(k)->shape()) ? constraints_.operandOrder(*i, k) : nullptr;
        if (order != nullptr) copyWhereNeeded(*i, k, *order);
      }
    }
    for (Instruction* i : instructions_) {
      if (i->opcode() == Opcode::Copy || isLayoutConstraint(*i)) dropWhereSame(*i);
    }
    for (Instruction* i : instructions_) {
      if (i->opcode() == Opcode::Tuple) lieAsElements(*i);
      if (i->opcode() == Opcode::Fusion) takeAsGiven(*i);
      for (size_t k = 0; k < i->operandCount(); ++k) giveAsTaken(*i, k);
    }
    if (Instruction* root = computation_.root(); !lieTheSame(root->shape(), result_)) {
      computation_.setRoot(laidAs(root, result_, nullptr));
      changed_ = true;
    }
    return changed_;
  }

 private:
  void lay(Instruction& i) {
    const Shape shape = inDimensionOrder(i.shape(), constraints_.orderOf(i));
    if (sameMemoryOrder(shape, i.shape())) return;
    changed_ = true;
    if (i.opcode() != Opcode::Constant) return i.setShape(shape);
    Instruction* constant = computation_.createConstant(i.literal().withShape(shape), &i);
    for (Instruction* user : std::vector<Instruction*>(i.users().begin(), i.users().end())) {
      for (size_t k = 0; k < user->operandCount(); ++k) {
        if (user->operand(k) == &i) user->setOperand(k, constant);
      }
    }
    if (i.isRoot()) computation_.setRoot(constant);
  }

  // A copy that moves nothing, such as one to a shape that states no layout; a constraint that is kept.
  void dropWhereSame(Instruction& copy) {
    Instruction* operand = copy.operand(0);
    if (copy.has(Attr::ControlPredecessors) || !isPlainArray(copy.shape()) ||
        !isPlainArray(operand->shape()) || !sameMemoryOrder(copy.shape(), operand->shape()))
      return;
    computation_.replaceAllUses(&copy, bitcastTo(operand, copy.shape(), copy));
    computation_.remove(&copy);
    changed_ = true;
  }

  void copyWhereNeeded(Instruction& user, size_t index, const DimensionOrder& order) {
    Instruction* operand = user.operand(index);
    const Shape shape = inDimensionOrder(operand->shape(), order);
    if (sameMemoryOrder(shape, operand->shape())) return;
    Instruction*& copy = copies_[{operand, order}];
    if (copy == nullptr) {
      copy = computation_.create(Opcode::Copy, shape, {operand}, {}, operand->next());
      if (const OpMetadata* metadata = operand->get<Attr::Metadata>()) copy->set<Attr::Metadata>(metadata);
      tell(*copy, user, index, *operand, order);
    }
    user.setOperand(index, copy);
    changed_ = true;
  }

  void lieAsElements(Instruction& tuple) {
    std::vector<Shape> elements(tuple.shape().tupleShapes().begin(), tuple.shape().tupleShapes().end());
    for (size_t k = 0; k < elements.size(); ++k) {
      const Shape lies = tuple.operand(k)->shape();
      if (!lieTheSame(elements[k], lies)) elements[k] = lies;
    }
    if (const Shape laid = Shape::tuple(elements); laid != tuple.shape()) {
      tuple.setShape(laid);
      changed_ = true;
    }
  }

  // A fusion reads what it is given as it lies, and gives its result as others see it. One with bitcasts
  // inside states all its orders.
  void takeAsGiven(const Instruction& fusion) {
    Computation& fused = *fusion.calledComputations()[0];
    const auto isBitcast = [](const Instruction* i) { return i->opcode() == Opcode::Bitcast; };
    if (std::ranges::any_of(fused.instructions(), isBitcast)) return;
    for (size_t k = 0; k < fusion.operandCount(); ++k) {
      const Shape given = fusion.operand(k)->shape();
      Instruction* parameter = fused.parameters()[k];
      if (!lieTheSame(parameter->shape(), given)) changed_ |= setShapeAndElements(*parameter, given);
    }
    Instruction* root = fused.root();
    if (root->shape().isArray() && root->opcode() != Opcode::Constant &&
        !lieTheSame(root->shape(), fusion.shape()))
      changed_ |= setShapeAndElements(*root, fusion.shape());
  }

  // What the constraints could not ask for: a tuple as called computations take it.
  void giveAsTaken(Instruction& caller, size_t index) {
    const Instruction* parameter = parameterGiven(caller, index);
    Instruction* given = caller.operand(index);
    if (parameter == nullptr || lieTheSame(given->shape(), parameter->shape())) return;
    caller.setOperand(index, laidAs(given, parameter->shape(), &caller));
    changed_ = true;
  }
  Instruction* laidAs(Instruction* value, Shape shape, Instruction* before) {
    if (lieTheSame(value->shape(), shape)) return value;
    if (shape.isArray()) return computation_.create(Opcode::Copy, shape, {value}, {}, before);
    std::vector<Instruction*> elements;
    for (size_t k = 0; k < shape.tupleShapes().size(); ++k) {
      Instruction* element = value->opcode() == Opcode::Tuple ? value->operand(k) : nullptr;
      if (element == nullptr) {
        element = computation_.create(Opcode::GetTupleElement, value->shape().tupleShapes()[k], {value}, {},
                                      before);
        element->set<Attr::Index>(static_cast<int64_t>(k));
      }
      elements.push_back(laidAs(element, shape.tupleShapes()[k], before));
    }
    return computation_.create(Opcode::Tuple, shape, elements, {}, before);
  }

  // "%dot (operand 1)": who asked at first, and how far the order went from there.
  std::string askerText(const LayoutConstraints::Place& place) const {
    const auto way = constraints_.wayTo(place);
    if (way.empty()) return "nobody";
    const auto& [asker, index] = way.back();
    const std::string what =
        index == LayoutConstraints::kValue ? "its result" : fmt::format("operand {}", index);
    return fmt::format("%{} ({}), {} steps away", asker->name(), what, way.size() - 1);
  }

  void tell(const Instruction& copy, const Instruction& user, size_t index, const Instruction& operand,
            const DimensionOrder& order) {
    const std::string wants = layoutText(order), has = layoutText(majorToMinor(operand.shape()));
    const std::string wantedBy = askerText({&user, index}),
                      givenBy = askerText({&operand, LayoutConstraints::kValue});
    context_.remark(
        user, "copied",
        fmt::format("{} bytes: %{} wants %{} in {}, asked for by {}; it has {}, given by {}",
                    operand.shape().byteSize(), user.name(), operand.name(), wants, wantedBy, has, givenBy),
        {{"copy", std::string(copy.name())},
         {"value", std::string(operand.name())},
         {"wants", wants},
         {"wanted_by", wantedBy},
         {"has", has},
         {"given_by", givenBy}});
  }

  Computation& computation_;
  PassContext& context_;
  const Shape result_;
  bool changed_ = false;
  LayoutConstraints constraints_;
  std::vector<Instruction*> instructions_;  // as they were
  absl::flat_hash_map<std::pair<const Instruction*, DimensionOrder>, Instruction*> copies_;
};

Result<bool> settleAllElements(Module& module, const GpuLayoutSettings& settings) {
  TRY(const CallGraph graph, CallGraph::build(module));
  bool changed = false;
  for (Computation* computation : module.computations()) {
    if (graph.runsInstructions(*computation)) changed |= settleTupleElements(*computation, settings);
  }
  return changed;
}

}  // namespace

Result<bool> assignGpuLayouts(Module& module, PassContext& context, const GpuLayoutSettings& settings) {
  const Shape given = module.entry()->root()->shape();
  TRY(const bool settled, settleAllElements(module, settings));
  TRY(LayoutInterfaces interfaces, chooseInterfaces(module, settings, given));
  bool changed = settled || interfaces.changed;
  TRY(const CallGraph graph, CallGraph::build(module));
  for (Computation* computation : module.computations()) {
    if (context.cancelled()) return changed;
    if (!graph.runsInstructions(*computation)) continue;
    const Shape result =
        interfaces.results.try_emplace(computation, computation->root()->shape()).first->second;
    changed |= Assigner(*computation, context, settings, result).run();
  }
  return changed;
}

}  // namespace hilo
