// Numbers that differ from device to device, computed from the partition id. They stand in front of all else
// of a computation, once each.
#include "core/compiler/spmd/local_builder.h"

namespace hilo {

// Behind what was made so before.
Instruction* LocalBuilder::makeAtStart(Opcode opcode, ElementType type,
                                       std::initializer_list<Instruction*> operands) {
  const bool hasLayouts = at_->shape().isArray() && at_->shape().layout() != nullptr;
  const Shape scalar = hasLayouts ? Shape::scalar(type).withDefaultLayout() : Shape::scalar(type);
  return at_->parent().create(opcode, scalar, operands, {}, partitionNumbers_[&at_->parent()].end);
}

Instruction* LocalBuilder::partitionId() {
  PartitionNumbers& numbers = partitionNumbers_[&at_->parent()];
  if (numbers.end == nullptr) numbers.end = at_->parent().first();
  if (numbers.id == nullptr)
    numbers.id = makeAtStart(Opcode::Convert, ElementType::S32,
                             {makeAtStart(Opcode::PartitionId, ElementType::U32, {})});
  return numbers.id;
}

Instruction* LocalBuilder::integerAtStart(int64_t value) {
  Instruction* made = makeAtStart(Opcode::Constant, ElementType::S32, {});
  Literal literal(made->shape());
  literal.mutableData<int32_t>()[0] = static_cast<int32_t>(value);
  made->set<Attr::Literal>(module_.own(std::move(literal)));
  return made;
}

Instruction* LocalBuilder::tableLookup(const std::vector<int64_t>& numbers) {
  const std::vector<int64_t> count = {static_cast<int64_t>(numbers.size())}, one = {1};
  Instruction* id = partitionId();
  Instruction* list = makeAtStart(Opcode::Constant, ElementType::S32, {});
  list->setShape(shapeLike(list->shape(), count));
  Literal table(list->shape());
  std::ranges::transform(numbers, table.mutableData<int32_t>().begin(),
                         [](int64_t v) { return static_cast<int32_t>(v); });
  list->set<Attr::Literal>(module_.own(std::move(table)));
  Instruction* found = makeAtStart(Opcode::DynamicSlice, ElementType::S32, {list, id});
  found->setShape(shapeLike(list->shape(), one));
  found->set<Attr::DynamicSliceSizes>(one);
  return makeAtStart(Opcode::Reshape, ElementType::S32, {found});
}

// One digit of the partition id, times its weight.
Instruction* LocalBuilder::digit(const DeviceNumbers::Term& term) {
  const auto apply = [&](Opcode opcode, Instruction* value, int64_t by) {
    return makeAtStart(opcode, ElementType::S32, {value, integerAtStart(by)});
  };
  Instruction* value = partitionId();
  if (term.stride > 1) value = apply(Opcode::Divide, value, term.stride);
  if (term.stride * term.size < partitions_) value = apply(Opcode::Remainder, value, term.size);
  return term.weight == 1 ? value : apply(Opcode::Multiply, value, term.weight);
}

Instruction* LocalBuilder::byPartition(const DeviceNumbers& numbers) {
  auto& known = partitionNumbers_[&at_->parent()].known;
  for (const auto& [had, made] : known) {
    if (had == numbers) return made;
  }
  Instruction* made = nullptr;
  if (numbers.isListed()) {
    made = tableLookup(numbers.list());
  } else {
    for (const DeviceNumbers::Term& term : numbers.terms()) {
      Instruction* part = digit(term);
      made = made == nullptr ? part : makeAtStart(Opcode::Add, ElementType::S32, {made, part});
    }
    if (made == nullptr)
      made = (partitionId(), integerAtStart(numbers.constant()));
    else if (numbers.constant() != 0)
      made = makeAtStart(Opcode::Add, ElementType::S32, {made, integerAtStart(numbers.constant())});
  }
  known.emplace_back(numbers, made);
  return made;
}

Instruction* LocalBuilder::whereZero(const DeviceNumbers& numbers, Shape like) {
  Instruction* value = byPartition(numbers);
  Instruction* isZero =
      make(Opcode::Compare, value->shape().withElementType(ElementType::Pred), {value, integer(0)});
  isZero->set<Attr::Direction>(ComparisonDirection::Eq);
  return splat(isZero, like);
}

}  // namespace hilo
