// Reductions of what is simple, and windows that are reductions.
#include <algorithm>
#include <cmath>

#include "core/compiler/passes/collectives/collective_match.h"
#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/made.h"
#include "core/compiler/passes/shape_ops.h"
#include "core/compiler/passes/simplify/algebra/rule.h"

namespace hilo::algebra {
namespace {

bool isOfOneArray(const Instruction& i) {
  return i.operandCount() == 2 && i.shape().isArray() && i.operand(0)->shape().isArray() &&
         i.operand(0)->shape().elementType() == i.shape().elementType() && !i.operand(0)->shape().isDynamic();
}

}  // namespace

// Dimensions that a reshape joins or splits form groups of both shapes; one that is reduced goes whole.
Instruction* reduceOfReshape(Instruction& i) {
  const Instruction& reshape = *i.operand(0);
  if (!isOfOneArray(i) || reshape.opcode() != Opcode::Reshape || reshape.users().size() != 1 ||
      reshape.shape().elementCount() == 0 || !liesRowMajor(reshape.shape()) ||
      !liesRowMajor(reshape.operand(0)->shape()) || !liesRowMajor(i.shape()))
    return nullptr;
  Instruction* source = reshape.operand(0);
  const Shape from = source->shape(), to = reshape.shape();
  std::vector<int64_t> dims, sizes;
  size_t f = 0, t = 0;
  while (f < from.rank() || t < to.rank()) {
    const size_t first = f, start = t;
    int64_t left = 1, right = 1;
    do {
      if (t == to.rank() || (f < from.rank() && left <= right)) {
        left *= from.dimension(f++);
      } else {
        right *= to.dimension(t++);
      }
    } while (left != right && (f < from.rank() || t < to.rank()));
    size_t reduced = 0, counted = 0;
    for (size_t d = start; d < t; ++d) {
      if (to.dimension(d) == 1) continue;
      ++counted;
      reduced += static_cast<size_t>(contains(i.dimensions(), static_cast<int64_t>(d)));
    }
    if (reduced != 0 && reduced != counted) return nullptr;
    for (size_t d = first; d < f; ++d) {
      if (reduced != 0) dims.push_back(static_cast<int64_t>(d));
      if (reduced == 0) sizes.push_back(from.dimension(d));
    }
  }
  if (dims.empty()) return nullptr;
  Instruction* made = i.parent().createLike(i, {{source, i.operand(1)}}, &i);
  made->setShape(arrayLike(i.shape(), i.shape().elementType(), sizes));
  made->set<Attr::Dimensions>(dims);
  made->erase(Attr::Sharding);
  return reshapedAs(made, i.shape(), i);
}

Instruction* reduceOfNegate(Instruction& i) {
  const Instruction& negate = *i.operand(0);
  if (!isOfOneArray(i) || negate.opcode() != Opcode::Negate || combinerOf(i) != Opcode::Add ||
      !isAll(*i.operand(1), 0) || negate.users().size() != 1)
    return nullptr;
  Instruction* sum = i.parent().createLike(i, {{negate.operand(0), i.operand(1)}}, &i);
  return i.parent().create(Opcode::Negate, i.shape(), {sum}, {}, &i);
}

Instruction* reduceSameElements(Instruction& i) {
  const Instruction& broadcast = *i.operand(0);
  if (!isOfOneArray(i) || broadcast.opcode() != Opcode::Broadcast ||
      !broadcast.operand(0)->shape().isScalar() || broadcast.shape().elementCount() == 0 ||
      i.dimensions().empty())
    return nullptr;
  const auto combiner = combinerOf(i);
  if (combiner != Opcode::Maximum && combiner != Opcode::Minimum && combiner != Opcode::And &&
      combiner != Opcode::Or)
    return nullptr;
  Instruction* start = i.operand(1);
  Instruction* one = i.parent().create(*combiner, start->shape(), {broadcast.operand(0), start}, {}, &i);
  if (i.shape().rank() == 0) return one;
  Instruction* wide = i.parent().create(Opcode::Broadcast, i.shape(), {one}, {}, &i);
  wide->set<Attr::Dimensions>(std::vector<int64_t>{});
  return wide;
}

Instruction* reduceWindowOfNothing(Instruction& i) {
  if (!isOfOneArray(i) || i.operand(0)->shape().elementCount() != 0 || i.shape().isDynamic() ||
      i.shape().rank() == 0)
    return nullptr;
  Instruction* wide = i.parent().create(Opcode::Broadcast, i.shape(), {i.operand(1)}, {}, &i);
  wide->set<Attr::Dimensions>(std::vector<int64_t>{});
  return wide;
}

Instruction* reduceWindowOfAll(Instruction& i) {
  if (!isOfOneArray(i) || !liesRowMajor(i.operand(0)->shape()) || !liesRowMajor(i.shape()) ||
      !combinerOf(i) || i.shape().elementCount() == 0)
    return nullptr;
  const auto window = i.get<Attr::Window>()->dimensions;
  std::vector<int64_t> reduced, kept;
  for (size_t d = 0; d < window.size(); ++d) {
    const int64_t size = i.operand(0)->shape().dimension(d);
    WindowDimension plain{.size = window[d].size};
    // Where the window stands once its stride says nothing.
    if (i.shape().dimension(d) == 1) plain.stride = window[d].stride;
    if (window[d] != plain) return nullptr;
    if (window[d].size == size && size != 1) {
      reduced.push_back(static_cast<int64_t>(d));
    } else if (window[d].size == 1) {
      kept.push_back(size);
    } else {
      return nullptr;
    }
  }
  if (reduced.empty()) return nullptr;
  Instruction* reduce = i.parent().create(Opcode::Reduce, arrayLike(i.shape(), i.shape().elementType(), kept),
                                          i.operands(), {}, &i);
  reduce->set<Attr::Dimensions>(reduced);
  reduce->set<Attr::ToApply>(i.get<Attr::ToApply>());
  return reshapedAs(reduce, i.shape(), i);
}

Instruction* remainderOfShiftedIota(Instruction& i) {
  const Instruction& sum = *i.operand(0);
  if (sum.opcode() != Opcode::Add || sum.operand(0)->opcode() != Opcode::Iota ||
      !isIntegral(i.shape().elementType()))
    return nullptr;
  const Instruction& iota = *sum.operand(0);
  const auto shift = splatValue(*sum.operand(1)), divisor = splatValue(*i.operand(1));
  if (!shift || !divisor || *shift != *divisor || *divisor <= 0) return nullptr;
  const auto size =
      static_cast<double>(iota.shape().dimension(static_cast<size_t>(*iota.get<Attr::IotaDimension>())));
  const int bits = elementBits(i.shape().elementType()) - static_cast<int>(isSigned(i.shape().elementType()));
  if (size - 1 + *shift > std::ldexp(1.0, bits) - 1) return nullptr;
  return i.parent().createLike(i, {{sum.operand(0), i.operand(1)}}, &i);
}

}  // namespace hilo::algebra
