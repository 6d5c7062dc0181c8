// Elementwise operations on several arrays with fewer elements than their bounds: in each dimension the
// result has as many as the operand that has the fewest, but that one element stands for as many as the other
// has. As XLA's inference of dynamic dimensions has it.
#include "core/hlo/expand/dynamic_expansion.h"

namespace hilo {
namespace {

// Where elementwise operations on one such array have its sizes from.
const Instruction* sizesFrom(const Instruction* array) {
  while (isElementwise(array->opcode())) {
    const Instruction* only = nullptr;
    for (const Instruction* operand : array->operands()) {
      if (!operand->shape().isDynamic() || operand == only) continue;
      if (only != nullptr) return array;
      only = operand;
    }
    if (only == nullptr) return array;
    array = only;
  }
  return array;
}

// min(a, b), or the other where one of them is 1.
Instruction* joinedSize(const DynamicExpansion& e, Instruction* a, Instruction* b) {
  Instruction *least = e.binary(Opcode::Minimum, a, b), *most = e.binary(Opcode::Maximum, a, b);
  return e.add(Opcode::Select, least->shape(), {e.equals(least, e.number(1)), most, least});
}

// The array, or where `size` is 1 its first elements along a dimension for all.
Instruction* spread(const DynamicExpansion& e, Instruction* value, size_t dimension, Instruction* size) {
  const Shape shape = value->shape();
  std::vector<int64_t> one(shape.dimensions().begin(), shape.dimensions().end()), rest = one, kept;
  one[dimension] = 1;
  rest.erase(rest.begin() + static_cast<ptrdiff_t>(dimension));
  std::vector<SliceRange> ranges;
  for (size_t d = 0; d < shape.rank(); ++d) {
    ranges.push_back({.start = 0, .limit = one[d], .stride = 1});
    if (d != dimension) kept.push_back(static_cast<int64_t>(d));
  }
  Instruction* first = e.add(Opcode::Slice, Shape::array(shape.elementType(), one), {value});
  first->set<Attr::Slice>(ranges);
  first = e.add(Opcode::Reshape, Shape::array(shape.elementType(), rest), {first});
  Instruction* isOne =
      e.broadcastScalar(e.equals(size, e.number(1)), shape.withElementType(ElementType::Pred));
  return e.add(Opcode::Select, shape, {isOne, e.broadcast(first, shape, kept), value});
}

}  // namespace

bool mayDifferInSizes(const Instruction& elementwise) {
  const Instruction* from = nullptr;
  for (const Instruction* operand : elementwise.operands()) {
    if (!operand->shape().isArray() || !operand->shape().isDynamic()) continue;
    if (from != nullptr && sizesFrom(operand) != from) return true;
    from = sizesFrom(operand);
  }
  return false;
}

Result<Instruction*> padElementwise(DynamicExpansion& e) {
  std::vector<RealSizes> own;
  for (size_t n = 0; n < e.operandCount(); ++n) own.push_back(e.sizesOf(n));
  RealSizes sizes(e.shape().rank());
  for (const RealSizes& each : own) {
    for (size_t d = 0; d < each.size(); ++d) {
      if (each[d] != nullptr) sizes[d] = sizes[d] == nullptr ? each[d] : joinedSize(e, sizes[d], each[d]);
    }
  }
  std::vector<Instruction*> operands;
  for (size_t n = 0; n < e.operandCount(); ++n) {
    Instruction* value = e.whole(n);
    for (size_t d = 0; d < own[n].size(); ++d) {
      const bool isAlone = own[n][d] == nullptr || own[n][d] == sizes[d] || value->shape().dimension(d) < 2;
      if (!isAlone) value = spread(e, value, d, own[n][d]);
    }
    operands.push_back(value);
  }
  return e.give(e.again(operands), sizes);
}

}  // namespace hilo
