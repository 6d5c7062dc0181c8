// Loops that passes write: what an iteration does, instruction by instruction, and the loop that counts them.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <span>
#include <string>
#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo {

// Instructions at the end of a computation; scalars are s64.
class LoopWriter {
 public:
  explicit LoopWriter(Computation& in) : in_(in) {}
  Instruction* number(int64_t value) const {
    return in_.createConstant(Literal::scalar<int64_t>(ElementType::S64, value));
  }
  Instruction* make(Opcode opcode, Instruction* a, Instruction* b) const {
    return in_.create(opcode, a->shape(), {a, b});
  }
  Instruction* compare(Instruction* a, ComparisonDirection direction, Instruction* b) const {
    Instruction* made = in_.create(Opcode::Compare, Shape::scalar(ElementType::Pred), {a, b});
    made->set<Attr::Direction>(direction);
    return made;
  }
  Instruction* element(Instruction* tuple, int64_t k) const {
    Instruction* made =
        in_.create(Opcode::GetTupleElement, tuple->shape().tupleShapes()[static_cast<size_t>(k)], {tuple});
    made->set<Attr::Index>(k);
    return made;
  }
  // What lies at `places`, so large.
  Instruction* slice(Instruction* array, std::span<Instruction* const> places,
                     std::span<const int64_t> sizes) const {
    std::vector<Instruction*> operands = {array};
    operands.insert(operands.end(), places.begin(), places.end());
    const Shape shape = Shape::array(array->shape().elementType(), sizes);
    Instruction* made = in_.create(Opcode::DynamicSlice, shape, operands);
    made->set<Attr::DynamicSliceSizes>(sizes);
    return made;
  }
  Instruction* reshape(Instruction* value, std::span<const int64_t> sizes) const {
    return in_.create(Opcode::Reshape, Shape::array(value->shape().elementType(), sizes), {value});
  }
  Instruction* update(Instruction* array, Instruction* part, std::span<Instruction* const> places) const {
    std::vector<Instruction*> operands = {array, part};
    operands.insert(operands.end(), places.begin(), places.end());
    return in_.create(Opcode::DynamicUpdateSlice, array->shape(), operands);
  }
  Instruction* splat(Instruction* scalar, std::span<const int64_t> sizes) const {
    Instruction* made =
        in_.create(Opcode::Broadcast, Shape::array(scalar->shape().elementType(), sizes), {scalar});
    made->set<Attr::Dimensions>(std::vector<int64_t>{});
    return made;
  }
  Instruction* select(Instruction* which, Instruction* a, Instruction* b) const {
    return in_.create(Opcode::Select, a->shape(), {which, a, b});
  }
  Instruction* tuple(std::span<Instruction* const> elements) const {
    std::vector<Shape> shapes;
    for (const Instruction* element : elements) shapes.push_back(element->shape());
    return in_.create(Opcode::Tuple, Shape::tuple(shapes), elements);
  }
  Instruction* convertToNumber(Instruction* scalar) const {
    return in_.create(Opcode::Convert, Shape::scalar(ElementType::S64), {scalar});
  }

  // What elementwise work gives of arrays of one size: one value, or those of its tuple.
  std::vector<Instruction*> applied(const Computation& work, std::span<Instruction* const> arguments) const {
    const auto sizes = arguments[0]->shape().dimensions();
    absl::flat_hash_map<const Instruction*, Instruction*> made;
    for (const Instruction* i : work.instructions()) {
      std::vector<Instruction*> operands;
      for (const Instruction* operand : i->operands()) operands.push_back(made.at(operand));
      if (i->opcode() == Opcode::Tuple) return operands;
      if (i->opcode() == Opcode::Parameter) {
        made[i] = arguments[static_cast<size_t>(i->parameterNumber())];
      } else if (i->opcode() == Opcode::Constant) {
        made[i] = splat(in_.createConstant(i->literal()), sizes);
      } else {
        made[i] = in_.createLike(*i, operands);
        made[i]->setShape(Shape::array(i->shape().elementType(), sizes));
      }
    }
    return {made.at(work.root())};
  }

 private:
  Computation& in_;
};

// A loop in front of `before` that runs so often. The first of what is carried is the count, 0 at first,
// which each iteration must raise by one. `body`, named so, has its parameter and no root yet.
inline Instruction* countedLoop(std::span<Instruction* const> carried, int64_t trips, std::string_view name,
                                Instruction& before, Computation*& body) {
  Computation& computation = before.parent();
  Module& module = computation.module();
  std::vector<Shape> shapes;
  for (const Instruction* value : carried) shapes.push_back(value->shape());
  const Shape state = Shape::tuple(shapes);
  Computation* condition =
      module.createComputation(module.uniqueName(std::string(name) + "_goes_on"), &computation);
  const LoopWriter write(*condition);
  Instruction* count = write.element(condition->createParameter(0, state), 0);
  condition->setRoot(write.compare(count, ComparisonDirection::Lt, write.number(trips)));
  body = module.createComputation(module.uniqueName(name), &computation);
  Instruction* start = computation.create(Opcode::Tuple, state, carried, {}, &before);
  Instruction* loop = computation.create(Opcode::While, state, {start}, {}, &before);
  loop->set<Attr::Condition>(condition);
  loop->set<Attr::Body>(body);
  return loop;
}

}  // namespace hilo
