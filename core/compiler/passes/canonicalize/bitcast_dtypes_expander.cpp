#include "core/compiler/passes/canonicalize/bitcast_dtypes_expander.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "core/base/check.h"
#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

bool changesWidth(const Instruction& i) {
  if (i.opcode() != Opcode::BitcastConvert || !liesRowMajor(i.shape()) ||
      !liesRowMajor(i.operand(0)->shape()) || i.shape().elementCount() == 0)
    return false;
  const ElementType from = i.operand(0)->shape().elementType(), to = i.shape().elementType();
  return elementBits(from) != elementBits(to) && !isComplex(from) && !isComplex(to);
}

ElementType unsignedOf(ElementType type) {
  const auto same = elementTypeFromName(fmt::format("u{}", elementBits(type)));
  CHECK(same.has_value(), elementTypeName(type));
  return *same;
}

// The same bits. Truth values are 0 and 1.
Instruction* bitsAs(Instruction* value, ElementType type, Instruction& before) {
  if (value->shape().elementType() == type) return value;
  if (type == ElementType::Pred || value->shape().elementType() == ElementType::Pred)
    return convertTo(value, type, before);
  return before.parent().create(Opcode::BitcastConvert, value->shape().withElementType(type), {value}, {},
                                &before);
}

Instruction* with(Opcode opcode, Instruction* a, Instruction* b, Instruction& before) {
  return before.parent().create(opcode, a->shape(), {a, b}, {}, &before);
}

Instruction* withNumber(Opcode opcode, Instruction* a, double number, Instruction& before) {
  return with(opcode, a, algebra::makeSplat(before, a->shape(), number), before);
}

// Elements of one as the narrow ones it is made of.
Instruction* narrowed(Instruction& i) {
  Instruction* value = i.operand(0);
  const ElementType wide = unsignedOf(value->shape().elementType()),
                    narrow = unsignedOf(i.shape().elementType());
  const int bits = elementBits(narrow);
  std::vector<int64_t> dims(value->shape().rank());
  std::iota(dims.begin(), dims.end(), 0);
  Instruction* all = bitsAs(broadcastTo(value, i.shape().dimensions(), dims, i), wide, i);
  Instruction* places = i.parent().create(Opcode::Iota, all->shape(), {}, {}, &i);
  places->set<Attr::IotaDimension>(static_cast<int64_t>(dims.size()));
  Instruction* width = algebra::makeSplat(i, all->shape(), bits);
  Instruction* shifted = with(Opcode::ShiftRightLogical, all, with(Opcode::Multiply, width, places, i), i);
  return convertTo(withNumber(Opcode::And, shifted, std::ldexp(1.0, bits) - 1, i), narrow, i);
}

// Every `count`th element along the last dimension, from `first` on.
Instruction* everyNth(Instruction* value, int64_t first, int64_t count, Instruction& before) {
  const Shape from = value->shape();
  std::vector<SliceRange> ranges;
  std::vector<int64_t> sizes(from.dimensions().begin(), from.dimensions().end());
  for (const int64_t size : sizes) ranges.push_back({.start = 0, .limit = size, .stride = 1});
  ranges.back() = {.start = first, .limit = sizes.back() - count + first + 1, .stride = count};
  sizes.back() /= count;
  Instruction* slice =
      before.parent().create(Opcode::Slice, arrayLike(from, from.elementType(), sizes), {value}, {}, &before);
  slice->set<Attr::Slice>(ranges);
  return slice;
}

// Elements beside each other as one.
Instruction* widened(Instruction& i) {
  const Shape from = i.operand(0)->shape();
  const ElementType narrow = unsignedOf(from.elementType()), wide = unsignedOf(i.shape().elementType());
  const int64_t bits = elementBits(narrow), count = elementBits(wide) / bits;
  std::vector<int64_t> joined(from.dimensions().begin(), from.dimensions().end());
  if (joined.size() > 1) {
    joined.pop_back();
    joined.back() *= count;
  }
  Instruction *all = reshapeTo(i.operand(0), joined, i), *bitsSoFar = nullptr;
  for (int64_t k = 0; k < count; ++k) {
    Instruction* part = convertTo(bitsAs(everyNth(all, k, count, i), narrow, i), wide, i);
    if (k > 0) part = withNumber(Opcode::ShiftLeft, part, static_cast<double>(k * bits), i);
    bitsSoFar = k == 0 ? part : with(Opcode::Or, bitsSoFar, part, i);
  }
  return reshapeTo(bitsSoFar, i.shape().dimensions(), i);
}

Instruction* expanded(Instruction& i) {
  const bool narrows =
      elementBits(i.operand(0)->shape().elementType()) > elementBits(i.shape().elementType());
  return bitsAs(narrows ? narrowed(i) : widened(i), i.shape().elementType(), i);
}

}  // namespace

Result<bool> expandBitcastTypes(Module& module, PassContext& context) {
  return rewriteEach(module, context, "expanded", changesWidth, expanded);
}

}  // namespace hilo
