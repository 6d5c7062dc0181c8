#include "core/compiler/passes/canonicalize/stable_sort_expander.h"

#include <absl/container/flat_hash_map.h>
#include <limits>

#include "core/compiler/pass/clone_computation.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

bool isStableSort(const Instruction& i) {
  return i.opcode() == Opcode::Sort && i.get<Attr::IsStable>().value_or(false) &&
         !i.has(Attr::ControlPredecessors) &&
         i.operand(0)->shape().dimension(static_cast<size_t>(i.dimensions()[0])) <=
             std::numeric_limits<int32_t>::max();
}

// The operand that numbers the elements along the sorted dimension already; none: one past the last.
size_t positionsAmong(const Instruction& sort) {
  for (size_t k = 0; k < sort.operandCount(); ++k) {
    const Instruction& operand = *sort.operand(k);
    if (operand.opcode() == Opcode::Iota && operand.get<Attr::IotaDimension>() == sort.dimensions()[0] &&
        isIntegral(operand.shape().elementType()) && elementBits(operand.shape().elementType()) >= 32)
      return k;
  }
  return sort.operandCount();
}

// before(a, b) or, where neither is before the other, the position of a before that of b.
Computation* withPositions(const Instruction& sort, size_t positions) {
  Computation* made = cloneComputation(*sort.get<Attr::ToApply>(), &sort.parent());
  const Shape scalar = Shape::scalar(ElementType::S32);
  if (positions == sort.operandCount()) {
    const auto first = static_cast<int64_t>(made->parameters().size());
    made->createParameter(first, scalar);
    made->createParameter(first + 1, scalar);
  }
  // The comparator once more with the parameters of each pair in turn.
  absl::flat_hash_map<const Instruction*, Instruction*> swapped;
  for (size_t k = 0; k < made->parameters().size(); ++k)
    swapped[made->parameters()[k]] = made->parameters()[k ^ 1];
  Instruction* before = made->root();
  std::vector<Instruction*> originals;
  for (Instruction* i : made->instructions()) originals.push_back(i);
  for (Instruction* i : originals) {
    if (i->opcode() == Opcode::Parameter) continue;
    std::vector<Instruction*> operands;
    for (const Instruction* operand : i->operands()) operands.push_back(swapped.at(operand));
    swapped[i] = made->createLike(*i, operands);
  }
  const Shape flag = before->shape();
  Instruction* same = made->create(Opcode::Compare, flag, {before, swapped.at(before)});
  same->set<Attr::Direction>(ComparisonDirection::Eq);
  Instruction* earlier = made->create(
      Opcode::Compare, flag, {made->parameters()[2 * positions], made->parameters()[2 * positions + 1]});
  earlier->set<Attr::Direction>(ComparisonDirection::Lt);
  made->setRoot(made->create(Opcode::Select, flag, {same, earlier, before}));
  return made;
}

Instruction* expanded(Instruction& sort) {
  Computation& computation = sort.parent();
  const size_t positions = positionsAmong(sort), arrays = sort.operandCount();
  std::vector<Instruction*> operands(sort.operands().begin(), sort.operands().end());
  if (positions == arrays) {
    const Shape shape = sort.operand(0)->shape().withElementType(ElementType::S32);
    operands.push_back(computation.create(Opcode::Iota, shape, {}, {}, &sort));
    operands.back()->set<Attr::IotaDimension>(sort.dimensions()[0]);
  }
  Instruction* made = computation.createLike(sort, operands, &sort);
  made->set<Attr::ToApply>(withPositions(sort, positions));
  made->erase(Attr::IsStable);
  if (positions != arrays) return made;
  std::vector<Shape> shapes;
  if (sort.shape().isTuple())
    shapes.assign(sort.shape().tupleShapes().begin(), sort.shape().tupleShapes().end());
  if (!sort.shape().isTuple()) shapes.push_back(sort.shape());
  shapes.push_back(operands.back()->shape());
  made->setShape(Shape::tuple(shapes));
  if (!sort.shape().isTuple()) return elementOfTuple(made, 0, sort);
  std::vector<Instruction*> elements;
  for (size_t k = 0; k < arrays; ++k) elements.push_back(elementOfTuple(made, static_cast<int64_t>(k), sort));
  return computation.create(Opcode::Tuple, sort.shape(), elements, {}, &sort);
}

}  // namespace

Result<bool> expandStableSorts(Module& module, PassContext& context) {
  return rewriteEach(module, context, "expanded", isStableSort, expanded);
}

}  // namespace hilo
