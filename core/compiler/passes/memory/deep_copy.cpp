#include "core/compiler/passes/memory/deep_copy.h"

namespace hilo {
namespace {

Instruction* copyPart(Instruction* value, const PartsToCopy& parts, uint32_t ordinal, Instruction* before,
                      std::vector<Instruction*>& copies) {
  if (!parts.anyWithin(ordinal)) return value;
  Computation& computation = value->parent();
  const Shape shape = value->shape();
  if (shape.isArray()) {
    copies[ordinal] = computation.create(Opcode::Copy, shape, {value}, {}, before);
    return copies[ordinal];
  }
  if (!shape.isTuple()) return value;
  std::vector<Instruction*> elements;
  for (size_t i = 0; i < shape.tupleShapes().size(); ++i) {
    const auto index = static_cast<int64_t>(i);
    Instruction* element =
        computation.create(Opcode::GetTupleElement, shape.tupleShapes()[i], {value}, {}, before);
    element->set<Attr::Index>(index);
    elements.push_back(copyPart(element, parts, parts.table().child(ordinal, index), before, copies));
  }
  return computation.create(Opcode::Tuple, shape, elements, {}, before);
}

}  // namespace

bool PartsToCopy::anyWithin(uint32_t ordinal) const {
  const auto first = marked_.begin() + ordinal, last = first + table_.parts()[ordinal].count;
  return std::find(first, last, true) != last;
}

Instruction* deepCopy(Instruction* value, const PartsToCopy& parts, Instruction* before,
                      std::vector<Instruction*>& copies) {
  copies.assign(parts.table().size(), nullptr);
  return copyPart(value, parts, 0, before, copies);
}

std::pair<const Instruction*, ShapeIndex> partBefore(const Instruction& value, uint32_t firstNew) {
  const Instruction* at = &value;
  ShapeIndex index;
  while (at->id().value >= firstNew && at->operandCount() > 0) {
    size_t operand = 0;
    if (at->opcode() == Opcode::GetTupleElement) {
      index.insert(index.begin(), at->tupleIndex());
    } else if (at->opcode() == Opcode::Tuple && !index.empty()) {
      operand = static_cast<size_t>(index.front());
      index.erase(index.begin());
    }
    at = at->operand(operand);
  }
  return {at, index};
}

std::string nameBefore(const Instruction& value, uint32_t firstNew) {
  const auto [instruction, index] = partBefore(value, firstNew);
  return fmt::format("%{}{}", instruction->name(), index.empty() ? "" : toString(index));
}

}  // namespace hilo
