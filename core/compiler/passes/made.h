// What rules make in front of the instruction they replace.
#pragma once

#include <algorithm>

#include "core/hlo/ir/module.h"

namespace hilo::algebra {

inline Instruction* madeBroadcast(Instruction& at, Instruction* value, Shape shape,
                                  std::span<const int64_t> dimensions) {
  if (value->shape() == shape) return value;
  Instruction* made = at.parent().create(Opcode::Broadcast, shape, {value}, {}, &at);
  made->set<Attr::Dimensions>(dimensions);
  return made;
}
inline Instruction* madeBroadcast(Instruction& at, Instruction* scalar, Shape shape) {
  return madeBroadcast(at, scalar, shape, std::span<const int64_t>());
}

// The same elements in the same order.
inline Instruction* madeView(Instruction& at, Instruction* value, Shape shape) {
  if (value->shape() == shape) return value;
  return at.parent().create(Opcode::Reshape, shape, {value}, {}, &at);
}

inline Instruction* madeBinary(Instruction& at, Opcode opcode, Instruction* left, Instruction* right) {
  return at.parent().create(opcode, left->shape(), {left, right}, {}, &at);
}

inline Instruction* madeUnary(Instruction& at, Opcode opcode, Instruction* value) {
  return at.parent().create(opcode, value->shape(), {value}, {}, &at);
}

// The scalar behind a broadcast of one; null where the value is none.
inline Instruction* scalarBehind(const Instruction& value) {
  const bool isOne = value.opcode() == Opcode::Broadcast && value.operand(0)->shape().isScalar();
  return isOne ? value.operand(0) : nullptr;
}

inline std::vector<int64_t> listOf(std::span<const int64_t> values) { return {values.begin(), values.end()}; }
inline bool contains(std::span<const int64_t> values, int64_t value) {
  return std::ranges::find(values, value) != values.end();
}

}  // namespace hilo::algebra
