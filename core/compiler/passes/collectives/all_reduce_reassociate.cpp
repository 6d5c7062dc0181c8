#include "core/compiler/passes/collectives/all_reduce_reassociate.h"

#include <algorithm>

#include "core/compiler/passes/collectives/collective_attributes.h"
#include "core/compiler/passes/collectives/collective_match.h"
#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/hlo/ir/attribute_equality.h"

namespace hilo {
namespace {

bool isReadOnce(const Instruction& i) { return i.users().size() == 1 && !i.isRoot(); }

// An operand of the operation: its all-reduce, and what stands between, the nearest to the operation first.
struct Side {
  Instruction* allReduce = nullptr;
  std::vector<Instruction*> between;

  bool isSliced() const { return between.size() == 1 && between[0]->opcode() == Opcode::DynamicSlice; }
  bool isConverted() const {
    return std::ranges::any_of(between, [](const Instruction* i) { return i->opcode() == Opcode::Convert; });
  }
};

// Of pads with infinity, for minima and maxima, nothing is known here.
bool padsWithNeutral(const Instruction& pad, Opcode combiner) {
  if (combiner == Opcode::Add) return algebra::isAll(*pad.operand(1), 0);
  return combiner == Opcode::Multiply && algebra::isAll(*pad.operand(1), 1);
}

// To a type that holds every value: a wider float of a float, a wider integer of the same signedness.
bool keepsValues(const Instruction& convert) {
  const ElementType from = convert.operand(0)->shape().elementType(), to = convert.shape().elementType();
  if (elementBits(from) >= elementBits(to)) return false;
  return (isFloat(from) && isFloat(to)) ||
         (isIntegral(from) && isIntegral(to) && isSigned(from) == isSigned(to));
}

bool mayStandBetween(const Instruction& i, Opcode combiner) {
  switch (i.opcode()) {
    case Opcode::Reshape:
    case Opcode::Slice:
      return true;
    case Opcode::Pad:
      return padsWithNeutral(i, combiner);
    case Opcode::Convert:
      return keepsValues(i);
    default:
      return false;
  }
}

std::optional<Side> sideOf(Instruction* value, Opcode combiner) {
  Side side;
  for (; value->opcode() != Opcode::AllReduce; value = value->operand(0)) {
    const bool slices = value->opcode() == Opcode::DynamicSlice && side.between.empty() &&
                        value->operand(0)->opcode() == Opcode::AllReduce;
    if (!isReadOnce(*value) || (!slices && !mayStandBetween(*value, combiner))) return std::nullopt;
    side.between.push_back(value);
  }
  if (!isReadOnce(*value) || value->operandCount() != 1 || combinerOf(*value) != combiner ||
      value->has(Attr::ControlPredecessors))
    return std::nullopt;
  side.allReduce = value;
  return side;
}

bool sliceAlike(const Instruction& a, const Instruction& b) {
  return a.operand(0)->shape() == b.operand(0)->shape() && a.shape() == b.shape() && sameMeaning(a, b) &&
         std::ranges::equal(a.operands().subspan(1), b.operands().subspan(1));
}

// No more elements are reduced than before.
bool isWorthIt(const Side& lhs, const Side& rhs, const Instruction& i) {
  if (lhs.isSliced()) return true;
  const int64_t other = lhs.allReduce == rhs.allReduce ? 0 : rhs.allReduce->shape().elementCount();
  return lhs.allReduce->shape().elementCount() + other >= i.shape().elementCount();
}

template <bool converted>
bool combinesTwo(const Instruction& i) {
  if (i.operandCount() != 2 || !i.shape().isArray()) return false;
  const auto lhs = sideOf(i.operand(0), i.opcode()), rhs = sideOf(i.operand(1), i.opcode());
  if (!lhs || !rhs || !sameCollective(*lhs->allReduce, *rhs->allReduce) ||
      collectiveGroupKey(*lhs->allReduce) != collectiveGroupKey(*rhs->allReduce) ||
      lhs->isSliced() != rhs->isSliced() || !isWorthIt(*lhs, *rhs, i))
    return false;
  if (lhs->isSliced()) return sliceAlike(*lhs->between[0], *rhs->between[0]);
  return converted || (!lhs->isConverted() && !rhs->isConverted());
}

// What is reduced, with what stood behind the all-reduce done to it.
Instruction* withoutAllReduce(const Side& side, Instruction& before) {
  Instruction* value = side.allReduce->operand(0);
  for (size_t k = side.isSliced() ? 0 : side.between.size(); k-- > 0;) {
    std::vector<Instruction*> operands(side.between[k]->operands().begin(),
                                       side.between[k]->operands().end());
    operands[0] = value;
    value = before.parent().createLike(*side.between[k], operands, &before);
  }
  return value;
}

Instruction* reassociated(Instruction& i) {
  const Side lhs = *sideOf(i.operand(0), i.opcode()), rhs = *sideOf(i.operand(1), i.opcode());
  Computation& computation = i.parent();
  Instruction* inside = computation.createLike(i, {{withoutAllReduce(lhs, i), withoutAllReduce(rhs, i)}}, &i);
  if (lhs.isSliced()) inside->setShape(lhs.allReduce->shape());
  Instruction* made = computation.createLike(*lhs.allReduce, {{inside}}, &i);
  made->setShape(inside->shape());
  made->set<Attr::ToApply>(
      combinerOfType(*lhs.allReduce->get<Attr::ToApply>(), inside->shape().elementType()));
  if (!lhs.isSliced()) return made;
  Instruction* slice = lhs.between[0];
  std::vector<Instruction*> operands(slice->operands().begin(), slice->operands().end());
  operands[0] = made;
  return computation.createLike(*slice, operands, &i);
}

}  // namespace

Result<bool> reassociateAllReduces(Module& module, PassContext& context,
                                   const ReassociatedAllReduces& which) {
  return which.converted ? rewriteEach(module, context, "reassociated", combinesTwo<true>, reassociated)
                         : rewriteEach(module, context, "reassociated", combinesTwo<false>, reassociated);
}

}  // namespace hilo
