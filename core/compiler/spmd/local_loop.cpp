#include "core/compiler/spmd/local_loop.h"

namespace hilo {
namespace {

Shape tupleOf(std::span<Instruction* const> values) {
  std::vector<Shape> shapes;
  for (const Instruction* value : values) shapes.push_back(value->shape());
  return Shape::tuple(shapes);
}

Instruction* makeTuple(LocalBuilder& builder, std::span<Instruction* const> values) {
  Instruction* tuple = builder.make(Opcode::Tuple, tupleOf(values), {});
  for (Instruction* value : values) tuple->appendOperand(value);
  return tuple;
}

std::vector<Instruction*> elementsOf(LocalBuilder& builder, Instruction* tuple) {
  std::vector<Instruction*> elements;
  for (size_t i = 0; i < tuple->shape().tupleShapes().size(); ++i) {
    elements.push_back(builder.make(Opcode::GetTupleElement, tuple->shape().tupleShapes()[i], {tuple}));
    elements.back()->set<Attr::Index>(static_cast<int64_t>(i));
  }
  return elements;
}

// A computation whose instructions `fill` makes from the elements of its parameter; it gives the root.
template <typename Fill>
Computation* makeComputation(LocalBuilder& builder, std::string_view name, Shape state, Fill fill) {
  Instruction& caller = builder.at();
  Module& module = builder.module();
  Computation* made = module.createComputation(module.uniqueName(name), module.computations().front());
  Instruction* parameter = made->createParameter(0, state);
  // What is made stands in front of it, with the caller's metadata.
  Instruction* end = made->create(Opcode::Copy, state, {parameter});
  if (const auto* metadata = caller.get<Attr::Metadata>()) end->set<Attr::Metadata>(metadata);
  end->set<Attr::FrontendAttributes>(caller.get<Attr::FrontendAttributes>());
  builder.moveTo(*end);
  made->setRoot(fill(elementsOf(builder, parameter)));
  made->removeAll(std::vector{end});
  builder.moveTo(caller);
  return made;
}

}  // namespace

std::vector<Instruction*> makeLoop(LocalBuilder& builder, std::string_view name, std::string_view kind,
                                   int64_t trips, std::vector<Instruction*> values, const LoopBody& body) {
  values.push_back(builder.integer(0));
  const Shape state = tupleOf(values);
  Computation* condition = makeComputation(
      builder, fmt::format("{}_cond_{}", name, kind), state, [&](std::vector<Instruction*> held) {
        const Shape pred = held.back()->shape().withElementType(ElementType::Pred);
        Instruction* goesOn = builder.make(Opcode::Compare, pred, {held.back(), builder.integer(trips)});
        goesOn->set<Attr::Direction>(ComparisonDirection::Lt);
        return goesOn;
      });
  Computation* round = makeComputation(
      builder, fmt::format("{}_body_{}", name, kind), state, [&](std::vector<Instruction*> held) {
        Instruction* number = held.back();
        held.pop_back();
        std::vector<Instruction*> next = body(held, number);
        next.push_back(builder.make(Opcode::Add, number->shape(), {number, builder.integer(1)}));
        return makeTuple(builder, next);
      });
  Instruction* loop = builder.make(Opcode::While, state, {makeTuple(builder, values)});
  loop->set<Attr::Condition>(condition);
  loop->set<Attr::Body>(round);
  std::vector<Instruction*> results = elementsOf(builder, loop);
  results.pop_back();
  return results;
}

}  // namespace hilo
