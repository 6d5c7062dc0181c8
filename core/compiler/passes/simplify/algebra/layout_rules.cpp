// What moves no byte, once arrays have their layouts: it is a bitcast.
#include <algorithm>

#include "core/compiler/passes/made.h"
#include "core/compiler/passes/shape_ops.h"
#include "core/compiler/passes/simplify/algebra/rule.h"

namespace hilo::algebra {
namespace {

bool hasPlainLayout(Shape shape) { return isPlainArray(shape) && shape.layout() != nullptr; }

// Dimensions of more than one element, from major to minor as they lie in memory.
std::vector<int64_t> orderInMemory(Shape shape) {
  std::vector<int64_t> order;
  const auto& minorToMajor = shape.layout()->minorToMajor;
  for (size_t k = minorToMajor.size(); k-- > 0;) {
    if (shape.dimension(static_cast<size_t>(minorToMajor[k])) != 1) order.push_back(minorToMajor[k]);
  }
  return order;
}

bool sameBytes(Shape a, Shape b) {
  return hasPlainLayout(a) && hasPlainLayout(b) && a.elementType() == b.elementType() &&
         a.elementCount() == b.elementCount() && a.elementCount() > 0;
}

Instruction* bitcastOf(Instruction& i, Instruction* value) { return bitcastTo(value, i.shape(), i); }

// Groups of dimensions that a reshape joins or splits, so that it moves nothing where each group lies
// together, in order, and the groups in the same order on both sides.
bool reshapeMovesNothing(Shape from, Shape to) {
  std::vector<int64_t> fromGroup(from.rank()), toGroup(to.rank());
  size_t f = 0, t = 0;
  for (int64_t group = 0; f < from.rank() || t < to.rank(); ++group) {
    int64_t left = 1, right = 1;
    do {
      const bool takesLeft = t == to.rank() || (f < from.rank() && left <= right);
      if (takesLeft) {
        left *= from.dimension(f);
        fromGroup[f++] = group;
      } else {
        right *= to.dimension(t);
        toGroup[t++] = group;
      }
    } while (left != right && (f < from.rank() || t < to.rank()));
  }
  const auto groupsOf = [](Shape shape,
                           const std::vector<int64_t>& group) -> std::optional<std::vector<int64_t>> {
    std::vector<int64_t> groups;
    int64_t last = -1;
    for (const int64_t d : orderInMemory(shape)) {
      const int64_t of = group[static_cast<size_t>(d)];
      if (!groups.empty() && groups.back() == of && d < last) return std::nullopt;
      if (groups.empty() || groups.back() != of) {
        if (contains(groups, of)) return std::nullopt;
        groups.push_back(of);
      }
      last = d;
    }
    return groups;
  };
  const auto left = groupsOf(from, fromGroup), right = groupsOf(to, toGroup);
  return left && right && *left == *right;
}

}  // namespace

Instruction* copyIsBitcast(Instruction& i) {
  Instruction* value = i.operand(0);
  const bool moves =
      !sameBytes(value->shape(), i.shape()) || orderInMemory(value->shape()) != orderInMemory(i.shape());
  return moves ? nullptr : bitcastOf(i, value);
}

Instruction* transposeIsBitcast(Instruction& i) {
  Instruction* value = i.operand(0);
  if (!sameBytes(value->shape(), i.shape())) return nullptr;
  std::vector<int64_t> from;
  for (const int64_t d : orderInMemory(i.shape())) from.push_back(i.dimensions()[static_cast<size_t>(d)]);
  return from == orderInMemory(value->shape()) ? bitcastOf(i, value) : nullptr;
}

Instruction* reshapeIsBitcast(Instruction& i) {
  Instruction* value = i.operand(0);
  const bool isOne = sameBytes(value->shape(), i.shape()) && reshapeMovesNothing(value->shape(), i.shape());
  return isOne ? bitcastOf(i, value) : nullptr;
}

// bitcast(f(bitcast(x))) = bitcast(f(x)), for work on each element.
Instruction* bitcastOfWorkOnBitcast(Instruction& i) {
  const Instruction& work = *i.operand(0);
  if (!isElementwise(work.opcode()) || work.operandCount() != 1 || work.users().size() != 1 ||
      work.operand(0)->opcode() != Opcode::Bitcast || work.opcode() == Opcode::Bitcast ||
      work.opcode() == Opcode::Convert || work.opcode() == Opcode::BitcastConvert ||
      work.opcode() == Opcode::Copy)
    return nullptr;
  Instruction* source = work.operand(0)->operand(0);
  const Shape shape = source->shape();
  if (!isPlainArray(shape) || !isPlainArray(i.shape()) || !isPlainArray(work.shape()) ||
      shape.elementType() != work.operand(0)->shape().elementType() ||
      i.shape().elementType() != work.shape().elementType())
    return nullptr;
  Instruction* made = i.parent().createLike(work, {{source}}, &i);
  made->setShape(shape.withElementType(work.shape().elementType()));
  return bitcastOf(i, made);
}

// copy(bitcast(copy(x))) of which the copies undo each other around a bitcast that only splits and joins.
Instruction* copyOfBitcastOfCopy(Instruction& i) {
  const Instruction& bitcast = *i.operand(0);
  const bool isView = bitcast.opcode() == Opcode::Bitcast || bitcast.opcode() == Opcode::Reshape;
  if (!isView || bitcast.users().size() != 1 || bitcast.operand(0)->opcode() != Opcode::Copy ||
      bitcast.operand(0)->users().size() != 1)
    return nullptr;
  Instruction* source = bitcast.operand(0)->operand(0);
  const Shape between = bitcast.operand(0)->shape();
  if (!sameBytes(source->shape(), i.shape()) || !hasPlainLayout(between) || !hasPlainLayout(bitcast.shape()))
    return nullptr;
  // A reshape keeps the order of elements, in whatever layouts; of a bitcast only row-major ones say so.
  const bool isRowMajor = between.layout()->isDescending() && bitcast.shape().layout()->isDescending();
  if (bitcast.opcode() == Opcode::Bitcast && !isRowMajor) return nullptr;
  return reshapeMovesNothing(source->shape(), i.shape()) ? bitcastOf(i, source) : nullptr;
}

Instruction* layoutConstraint(Instruction& i) {
  if (i.get<Attr::CustomCallTarget>() != "LayoutConstraint" || i.operandCount() != 1) return nullptr;
  Instruction* value = i.operand(0);
  if (value->shape() == i.shape()) return value;
  return value->shape().withoutLayout() == i.shape().withoutLayout()
             ? i.parent().create(Opcode::Copy, i.shape(), {value}, {}, &i)
             : nullptr;
}

// A bitcast of a broadcast, between shapes in row-major order, is a reshape of it; of a transpose: where its
// layout only orders the dimensions otherwise, the broadcast goes there at once.
Instruction* bitcastOfBroadcast(Instruction& i) {
  const Instruction& broadcast = *i.operand(0);
  if (broadcast.opcode() != Opcode::Broadcast || !sameBytes(broadcast.shape(), i.shape()) ||
      broadcast.shape().rank() != i.shape().rank())
    return nullptr;
  const auto &from = broadcast.shape().layout()->minorToMajor, &to = i.shape().layout()->minorToMajor;
  std::vector<int64_t> place(from.size()), dimensions;
  for (size_t k = 0; k < from.size(); ++k) {
    if (broadcast.shape().dimension(static_cast<size_t>(from[k])) !=
        i.shape().dimension(static_cast<size_t>(to[k])))
      return nullptr;
    place[static_cast<size_t>(from[k])] = to[k];
  }
  for (const int64_t d : broadcast.dimensions()) dimensions.push_back(place[static_cast<size_t>(d)]);
  if (!std::ranges::is_sorted(dimensions)) return nullptr;
  return madeBroadcast(i, broadcast.operand(0), i.shape(), dimensions);
}

}  // namespace hilo::algebra
