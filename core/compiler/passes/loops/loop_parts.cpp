#include "core/compiler/passes/loops/loop_parts.h"

#include "core/analysis/schedule/verify_order.h"
#include "core/compiler/pass/clone_computation.h"
#include "core/compiler/passes/loops/element_origins.h"

namespace hilo {
namespace {

bool onlyElementsAreRead(const Instruction& tuple) {
  return std::ranges::all_of(
      tuple.users(), [](const Instruction* user) { return user->opcode() == Opcode::GetTupleElement; });
}

// Does anything but the loop's own attribute name the computation?
bool isShared(const Computation& computation, const Instruction& loop) {
  size_t calls = 0;
  for (const Computation* c : computation.module().computations()) {
    for (const Instruction* i : c->instructions())
      calls += static_cast<size_t>(std::ranges::count(i->calledComputations(), &computation));
  }
  return calls > 1 || loop.get<Attr::Body>() == loop.get<Attr::Condition>();
}

Instruction* makeElement(Instruction* tuple, int64_t index) {
  Instruction* element = tuple->parent().create(Opcode::GetTupleElement,
                                                tuple->shape().tupleShapes()[static_cast<size_t>(index)],
                                                {tuple}, {}, tuple->next());
  element->set<Attr::Index>(index);
  return element;
}

Instruction* ownInit(Instruction& loop) {
  Instruction* given = loop.operand(0);
  Computation& computation = loop.parent();
  if (given->opcode() == Opcode::Tuple && given->users().size() == 1 && !given->isRoot()) return given;
  std::vector<Instruction*> elements;
  if (given->opcode() == Opcode::Tuple) {
    elements.assign(given->operands().begin(), given->operands().end());
  } else {
    for (size_t i = 0; i < given->shape().tupleShapes().size(); ++i) {
      Instruction* element =
          computation.create(Opcode::GetTupleElement, given->shape().tupleShapes()[i], {given}, {}, &loop);
      element->set<Attr::Index>(static_cast<int64_t>(i));
      elements.push_back(element);
    }
  }
  Instruction* init = computation.create(Opcode::Tuple, given->shape(), elements, {}, &loop);
  loop.setOperand(0, init);
  return init;
}

// Gives what used the loop as a whole a tuple of its elements.
void takeFromRoot(Instruction& loop) {
  if (!loop.isRoot()) return;
  Computation& computation = loop.parent();
  std::vector<Instruction*> elements;
  for (size_t i = 0; i < loop.shape().tupleShapes().size(); ++i) {
    elements.push_back(computation.create(Opcode::GetTupleElement, loop.shape().tupleShapes()[i], {&loop}));
    elements.back()->set<Attr::Index>(static_cast<int64_t>(i));
  }
  Instruction* whole = computation.create(Opcode::Tuple, loop.shape(), elements);
  if (const auto* origin = loop.get<Attr::Origin>()) whole->set<Attr::Origin>(origin);
  if (const auto* metadata = loop.get<Attr::Metadata>()) whole->set<Attr::Metadata>(metadata);
  computation.setRoot(whole);
}

void widen(Instruction& tuple, Shape element) {
  std::vector<Shape> shapes(tuple.shape().tupleShapes().begin(), tuple.shape().tupleShapes().end());
  shapes.push_back(element);
  tuple.setShape(Shape::tuple(shapes));
  addUnknownOrigin(tuple);
}

std::vector<Instruction*> elementsOf(const Instruction& tuple, int64_t index) {
  std::vector<Instruction*> elements;
  for (Instruction* user : tuple.users()) {
    if (user->opcode() == Opcode::GetTupleElement && user->tupleIndex() == index) elements.push_back(user);
  }
  return elements;
}

}  // namespace

Computation* ownComputation(Instruction& loop, Computation* computation) {
  if (!isShared(*computation, loop)) return computation;
  Computation* copy = cloneComputation(*computation, &loop.parent());
  redirectCall(loop, computation, copy);
  return copy;
}

std::string_view whyLoopIsFixed(const Instruction& loop) {
  const Computation *body = loop.get<Attr::Body>(), *condition = loop.get<Attr::Condition>();
  if (body == nullptr || condition == nullptr || loop.operandCount() != 1 || !loop.shape().isTuple() ||
      body->parameters().size() != 1 || condition->parameters().size() != 1)
    return "the loop does not carry a tuple";
  if (body->root()->opcode() != Opcode::Tuple) return "the loop's body does not end in a tuple";
  if (!onlyElementsAreRead(*body->parameters()[0]) || body->root() == body->parameters()[0])
    return "what the loop carries is used as a whole in its body";
  if (!onlyElementsAreRead(*condition->parameters()[0]))
    return "what the loop carries is used as a whole in its condition";
  if (!onlyElementsAreRead(loop)) return "what the loop gives is used as a whole";
  if (!body->root()->users().empty()) return "the body's result is used in the body";
  return {};
}

Result<LoopParts> takeLoopApart(Instruction& loop) {
  CHECK(whyLoopIsFixed(loop).empty());
  LoopParts parts{.loop = &loop};
  parts.body = ownComputation(loop, loop.get<Attr::Body>());
  parts.condition = ownComputation(loop, loop.get<Attr::Condition>());
  parts.init = ownInit(loop);
  parts.parameter = parts.body->parameters()[0];
  parts.root = parts.body->root();
  takeFromRoot(loop);
  return parts;
}

Instruction* elementInBody(const LoopParts& parts, int64_t index) {
  return makeElement(parts.parameter, index);
}

Instruction* elementAfterLoop(const LoopParts& parts, int64_t index) {
  return makeElement(parts.loop, index);
}

std::vector<Instruction*> elementsInBody(const LoopParts& parts, int64_t index) {
  return elementsOf(*parts.parameter, index);
}

std::vector<Instruction*> elementsAfterLoop(const LoopParts& parts, int64_t index) {
  return elementsOf(*parts.loop, index);
}

int64_t carry(LoopParts& parts, Instruction* first, Instruction* next) {
  CHECK(&first->parent() == &parts.outside() && &next->parent() == parts.body);
  const int64_t index = parts.size();
  parts.init->appendOperand(first);
  parts.root->appendOperand(next);
  for (Instruction* tuple :
       {parts.init, parts.loop, parts.parameter, parts.root, parts.condition->parameters()[0]})
    widen(*tuple, next->shape());
  return index;
}

void restoreOrder(const LoopParts& parts) {
  parts.body->reorder(postOrder(*parts.body));
  parts.outside().reorder(postOrder(parts.outside()));
}

std::vector<Instruction*> whileLoopsOf(const Computation& computation) {
  std::vector<Instruction*> loops;
  for (Instruction* i : computation.instructions()) {
    if (i->opcode() == Opcode::While) loops.push_back(i);
  }
  return loops;
}

Instruction* makeInteger(Computation& computation, Shape scalar, int64_t value) {
  Literal literal{scalar};
  // Two's complement: the low bytes are the value's in every width.
  std::memcpy(literal.mutableBytes().data(), &value, literal.bytes().size());
  return computation.createConstant(std::move(literal));
}

Instruction* makeZero(Computation& computation, Shape shape) {
  Instruction* zero = computation.createConstant(Literal(Shape::scalar(shape.elementType())));
  if (shape.rank() == 0) return zero;
  Instruction* all = computation.create(Opcode::Broadcast, shape, {zero});
  all->set<Attr::Dimensions>(std::span<const int64_t>());
  return all;
}

}  // namespace hilo
