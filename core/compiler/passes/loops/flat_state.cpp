#include "core/compiler/passes/loops/flat_state.h"

#include "core/compiler/passes/loops/element_origins.h"
#include "core/compiler/passes/loops/loop_parts.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

void addArrays(Shape shape, std::vector<Shape>& arrays) {
  if (!shape.isTuple()) arrays.push_back(shape);
  for (size_t k = 0; shape.isTuple() && k < shape.tupleShapes().size(); ++k)
    addArrays(shape.tupleShapes()[k], arrays);
}

bool isFlattened(const Instruction& loop) {
  if (!loop.shape().isTuple() || loop.operandCount() != 1 || loop.has(Attr::Sharding)) return false;
  for (const Computation* called : {loop.get<Attr::Body>(), loop.get<Attr::Condition>()}) {
    if (called == nullptr || called->parameters().size() != 1 || called->parameters()[0]->has(Attr::Sharding))
      return false;
  }
  return std::ranges::any_of(loop.shape().tupleShapes(), [](Shape s) { return s.isTuple(); });
}

// The arrays of a tuple in order, taken in front of `before`.
void takeArrays(Instruction* value, Instruction& before, std::vector<Instruction*>& arrays) {
  if (!value->shape().isTuple()) {
    arrays.push_back(value);
    return;
  }
  for (size_t k = 0; k < value->shape().tupleShapes().size(); ++k)
    takeArrays(elementOfTuple(value, static_cast<int64_t>(k), before), before, arrays);
}

// A value of `shape` of the next elements of `flat`, made in front of `before`.
Instruction* nested(Instruction* flat, Shape shape, int64_t& next, Instruction* before) {
  Computation& computation = flat->parent();
  if (!shape.isTuple()) {
    Instruction* element = computation.create(Opcode::GetTupleElement, shape, {flat}, {}, before);
    element->set<Attr::Index>(next++);
    return element;
  }
  std::vector<Instruction*> elements;
  for (size_t k = 0; k < shape.tupleShapes().size(); ++k)
    elements.push_back(nested(flat, shape.tupleShapes()[k], next, before));
  return computation.create(Opcode::Tuple, shape, elements, {}, before);
}

// `value` becomes flat, and who used it uses what is built of its elements.
void makeFlat(Instruction& value, Shape flat) {
  const Shape whole = value.shape();
  takeFlatOrigins(value, value);
  int64_t next = 0;
  Instruction* before = value.next();
  // Its elements use it as before.
  const std::vector<Instruction*> users(value.users().begin(), value.users().end());
  const bool wasRoot = value.isRoot();
  value.setShape(flat);
  Instruction* built = nested(&value, whole, next, before);
  for (Instruction* user : users) {
    for (size_t k = 0; k < user->operandCount(); ++k) {
      if (user->operand(k) == &value) user->setOperand(k, built);
    }
  }
  if (wasRoot) value.parent().setRoot(built);
}

Instruction* flatTuple(Instruction* value, Shape flat, Instruction& before) {
  std::vector<Instruction*> arrays;
  takeArrays(value, before, arrays);
  Instruction* tuple = value->parent().create(Opcode::Tuple, flat, arrays, {}, &before);
  takeFlatOrigins(*value, *tuple);
  return tuple;
}

// Of what was the root the body gives the arrays.
void giveFlat(Computation& body, Shape flat) {
  Instruction* root = body.root();
  std::vector<Instruction*> arrays;
  // Behind the root, to make instructions in front of.
  Instruction* end = body.create(Opcode::Tuple, Shape::tuple({}), {}, {}, root->next());
  takeArrays(root, *end, arrays);
  body.setRoot(body.create(Opcode::Tuple, flat, arrays, {}, end));
  body.remove(end);
}

}  // namespace

Result<bool> flattenState(Instruction& loop, PassContext& context) {
  if (!isFlattened(loop) || !context.mayChange(loop)) return false;
  context.remark(loop, "simplified", "tuples within the tuple it carries are taken apart");
  std::vector<Shape> arrays;
  addArrays(loop.shape(), arrays);
  const Shape flat = Shape::tuple(arrays);
  Computation& body = *ownComputation(loop, loop.get<Attr::Body>());
  Computation& condition = *ownComputation(loop, loop.get<Attr::Condition>());
  giveFlat(body, flat);
  makeFlat(*body.parameters()[0], flat);
  makeFlat(*condition.parameters()[0], flat);
  loop.setOperand(0, flatTuple(loop.operand(0), flat, loop));
  makeFlat(loop, flat);
  return true;
}

}  // namespace hilo
