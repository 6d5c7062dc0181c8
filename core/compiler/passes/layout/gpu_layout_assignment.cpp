#include "core/compiler/passes/layout/gpu_layout_assignment.h"

#include <fmt/format.h>

#include "core/analysis/call_graph.h"
#include "core/compiler/passes/layout/convolution_orders.h"
#include "core/compiler/passes/layout/layout_constraints.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

// The result of a call to cuDNN as it makes it, element 0, which only get-tuple-elements read.
bool layConvolution(Instruction& call, const GpuLayoutSettings& settings) {
  const auto order = convolutionResultOrder(call, settings);
  const auto isElement = [](const Instruction* user) { return user->opcode() == Opcode::GetTupleElement; };
  if (!order || call.isRoot() || !std::ranges::all_of(call.users(), isElement)) return false;
  std::vector<Shape> elements(call.shape().tupleShapes().begin(), call.shape().tupleShapes().end());
  const Shape made = inDimensionOrder(elements[0], *order);
  if (sameMemoryOrder(made, elements[0])) return false;
  elements[0] = made;
  call.setShape(Shape::tuple(elements));
  for (Instruction* user : call.users()) {
    if (user->tupleIndex() == 0) user->setShape(made);
  }
  return true;
}

bool layConvolutions(Computation& computation, const GpuLayoutSettings& settings) {
  bool changed = false;
  for (Instruction* i : computation.instructions()) changed |= layConvolution(*i, settings);
  return changed;
}

class Assigner {
 public:
  Assigner(Computation& computation, PassContext& context, const GpuLayoutSettings& settings)
      : computation_(computation),
        context_(context),
        rootShape_(computation.root()->shape()),
        changed_(layConvolutions(computation, settings)),
        constraints_(computation, settings) {
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
    Instruction* root = computation_.root();
    if (hasLayoutOrder(rootShape_) && !sameMemoryOrder(root->shape(), rootShape_)) {
      computation_.setRoot(computation_.create(Opcode::Copy, rootShape_, {root}));
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
    if (user.opcode() == Opcode::Tuple && !user.isRoot()) layElement(user, index);
    changed_ = true;
  }

  // A tuple for a call, which wants its elements so.
  void layElement(Instruction& tuple, size_t index) {
    std::vector<Shape> elements(tuple.shape().tupleShapes().begin(), tuple.shape().tupleShapes().end());
    elements[index] = tuple.operand(index)->shape();
    tuple.setShape(Shape::tuple(elements));
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
  const Shape rootShape_;
  bool changed_;
  LayoutConstraints constraints_;
  std::vector<Instruction*> instructions_;  // as they were
  absl::flat_hash_map<std::pair<const Instruction*, DimensionOrder>, Instruction*> copies_;
};

}  // namespace

Result<bool> assignGpuLayouts(Module& module, PassContext& context, const GpuLayoutSettings& settings) {
  TRY(const CallGraph graph, CallGraph::build(module));
  bool changed = false;
  for (Computation* computation : module.computations()) {
    if (context.cancelled()) return changed;
    if (graph.runsInstructions(*computation)) changed |= Assigner(*computation, context, settings).run();
  }
  return changed;
}

}  // namespace hilo
