#include "core/compiler/passes/layout/tuple_elements.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>

#include "core/compiler/passes/layout/convolution_orders.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

bool takeElementsOnce(Computation& computation) {
  bool changed = false;
  absl::flat_hash_map<std::pair<const Instruction*, int64_t>, Instruction*> first;
  for (Instruction* i : computation.instructions()) {
    if (i->opcode() != Opcode::GetTupleElement || i->has(Attr::ControlPredecessors)) continue;
    Instruction* whole = i->operand(0);
    const int64_t index = i->tupleIndex();
    Instruction* element = whole->opcode() == Opcode::Tuple
                               ? whole->operand(static_cast<size_t>(index))
                               : first.try_emplace({whole, index}, i).first->second;
    if (whole->opcode() != Opcode::Tuple) {
      const Shape lies = whole->shape().tupleShapes()[static_cast<size_t>(index)];
      if (!lieTheSame(i->shape(), lies)) changed |= setShapeAndElements(*i, lies);
    }
    if (element == i || (i->users().empty() && !i->isRoot())) continue;
    if (i->isRoot() && !lieTheSame(i->shape(), element->shape())) continue;
    computation.replaceAllUses(i, element);
    changed = true;
  }
  return changed;
}

// The result of a call to cuDNN as it makes it, element 0, which only get-tuple-elements read.
bool layConvolution(Instruction& call, const GpuLayoutSettings& settings) {
  const auto order = convolutionResultOrder(call, settings);
  const auto isElement = [](const Instruction* user) { return user->opcode() == Opcode::GetTupleElement; };
  if (!order || !call.shape().isTuple() || call.isRoot() || !std::ranges::all_of(call.users(), isElement))
    return false;
  std::vector<Shape> elements(call.shape().tupleShapes().begin(), call.shape().tupleShapes().end());
  const Shape made = inDimensionOrder(elements[0], *order);
  if (sameMemoryOrder(made, elements[0])) return false;
  elements[0] = made;
  return setShapeAndElements(call, Shape::tuple(elements));
}

Shape rowMajor(Shape shape) {
  if (shape.isArray()) {
    return liesRowMajor(shape) || !isPlainArray(shape) ? shape
                                                       : inDimensionOrder(shape, rowMajorOrder(shape.rank()));
  }
  if (!shape.isTuple()) return shape;
  std::vector<Shape> elements;
  for (const Shape element : shape.tupleShapes()) elements.push_back(rowMajor(element));
  return Shape::tuple(elements);
}

bool isTransfer(const Instruction& i) {
  switch (i.opcode()) {
    case Opcode::Send:
    case Opcode::Recv:
    case Opcode::RecvDone:
      return !i.get<Attr::IsHostTransfer>().value_or(false);
    default:
      return false;
  }
}

}  // namespace

bool settleTupleElements(Computation& computation, const GpuLayoutSettings& settings) {
  bool changed = takeElementsOnce(computation);
  for (Instruction* i : computation.instructions()) {
    changed |= layConvolution(*i, settings);
    if (isTransfer(*i)) changed |= setShapeAndElements(*i, rowMajor(i->shape()));
  }
  return changed;
}

bool setShapeAndElements(Instruction& value, Shape shape) {
  if (value.shape() == shape) return false;
  value.setShape(shape);
  for (Instruction* user : value.users()) {
    if (user->opcode() == Opcode::GetTupleElement)
      setShapeAndElements(*user, shape.tupleShapes()[static_cast<size_t>(user->tupleIndex())]);
  }
  return true;
}

bool lieTheSame(Shape a, Shape b) {
  if (a.isTuple()) return std::ranges::equal(a.tupleShapes(), b.tupleShapes(), lieTheSame);
  return !isPlainArray(a) || !isPlainArray(b) || sameMemoryOrder(a, b);
}

}  // namespace hilo
