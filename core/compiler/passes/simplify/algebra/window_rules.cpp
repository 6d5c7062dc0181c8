// Windows: over pads, of one number, and of which one result is taken.
#include <algorithm>

#include "core/compiler/passes/collectives/collective_match.h"
#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/made.h"
#include "core/compiler/passes/shape_ops.h"
#include "core/compiler/passes/simplify/algebra/rule.h"

namespace hilo::algebra {
namespace {

bool isOfOneArray(const Instruction& i) {
  return i.opcode() == Opcode::ReduceWindow && i.operandCount() == 2 && i.shape().isArray() &&
         !i.operand(0)->shape().isDynamic() && i.has(Attr::Window);
}

// A window over all of what came before along a dimension: results are those of a running sum.
bool runsAlong(const WindowDimension& d, int64_t size) {
  return d == WindowDimension{.size = size, .paddingLow = size - 1} && size > 1;
}
bool standsStill(const WindowDimension& d) { return d == WindowDimension{.size = 1}; }

// Both scalars are one constant.
bool sameConstant(const Instruction& a, const Instruction& b) {
  if (&a == &b) return true;
  const auto x = splatValue(a), y = splatValue(b);
  return x && y && *x == *y;
}

// The number that every element is, behind reshapes, conversions, slices and broadcasts of it; null: none.
const Instruction* oneNumberBehind(const Instruction& value) {
  const Instruction* at = &value;
  while (at->opcode() == Opcode::Broadcast || at->opcode() == Opcode::Reshape ||
         at->opcode() == Opcode::Bitcast || at->opcode() == Opcode::Slice ||
         at->opcode() == Opcode::Convert || at->opcode() == Opcode::Transpose)
    at = at->operand(0);
  const bool isOne =
      at->opcode() == Opcode::Constant && at->shape().isArray() && at->shape().elementCount() == 1;
  return isOne ? at : nullptr;
}

// Combining once more with the same number changes nothing.
bool changesNothing(Opcode combiner, const Instruction& start) {
  switch (combiner) {
    case Opcode::Maximum:
    case Opcode::Minimum:
    case Opcode::And:
    case Opcode::Or:
      return true;
    case Opcode::Add:
      return isAll(start, 0);
    case Opcode::Multiply:
      return isAll(start, 1);
    default:
      return false;
  }
}

bool isCommutative(Opcode combiner) {
  return combiner == Opcode::Add || combiner == Opcode::Multiply || combiner == Opcode::Maximum ||
         combiner == Opcode::Minimum || combiner == Opcode::And || combiner == Opcode::Or;
}

}  // namespace

// What the pad puts around the array is what the window starts with; a conversion between
// them changes neither.
Instruction* reduceWindowOfPad(Instruction& i) {
  if (!isOfOneArray(i) || !combinerOf(i) || !changesNothing(*combinerOf(i), *i.operand(1))) return nullptr;
  Instruction* convert = i.operand(0)->opcode() == Opcode::Convert ? i.operand(0) : nullptr;
  const Instruction& pad = convert == nullptr ? *i.operand(0) : *convert->operand(0);
  if (pad.opcode() != Opcode::Pad || pad.users().size() != 1 ||
      (convert != nullptr && convert->users().size() != 1) || !sameConstant(*pad.operand(1), *i.operand(1)))
    return nullptr;
  const auto written = i.get<Attr::Window>()->dimensions;
  std::vector<WindowDimension> window(written.begin(), written.end());
  for (size_t d = 0; d < window.size(); ++d) {
    const PaddingDimension& by = pad.get<Attr::Padding>()[d];
    WindowDimension& of = window[d];
    if (by.interior != 0 && of.baseDilation != 1) return nullptr;
    of.paddingLow += by.low * of.baseDilation;
    of.paddingHigh += by.high * of.baseDilation;
    if (by.interior != 0) of.baseDilation = by.interior + 1;
  }
  Instruction* inner = pad.operand(0);
  if (convert != nullptr) inner = convertTo(inner, convert->shape().elementType(), i);
  Instruction* made = i.parent().createLike(i, {{inner, i.operand(1)}}, &i);
  const Window wider{window};
  made->set<Attr::Window>(&wider);
  return made;
}

// Windows of one element, with padding around: f(start, x), padded with the start.
Instruction* reduceWindowIsPad(Instruction& i) {
  const auto combiner = isOfOneArray(i) ? combinerOf(i) : std::nullopt;
  if (!combiner || !isCommutative(*combiner) ||
      i.operand(0)->shape().elementType() != i.shape().elementType())
    return nullptr;
  std::vector<PaddingDimension> padding;
  bool isPadded = false;
  for (const WindowDimension& d : i.get<Attr::Window>()->dimensions) {
    if (d != WindowDimension{.size = 1, .paddingLow = d.paddingLow, .paddingHigh = d.paddingHigh})
      return nullptr;
    padding.push_back({.low = d.paddingLow, .high = d.paddingHigh});
    isPadded |= d.paddingLow != 0 || d.paddingHigh != 0;
  }
  Instruction* start = madeBroadcast(i, i.operand(1), i.operand(0)->shape());
  Instruction* combined = madeBinary(i, *combiner, i.operand(0), start);
  if (!isPadded) return combined;
  Instruction* made = i.parent().create(Opcode::Pad, i.shape(), {combined, i.operand(1)}, {}, &i);
  made->set<Attr::Padding>(padding);
  return made;
}

// The k-th running sum of one number is k times it. Exact for integers, and for 1 as long as
// k is a number of the type.
Instruction* runningSumOfOneNumber(Instruction& i) {
  if (!isOfOneArray(i) || combinerOf(i) != Opcode::Add || !isAll(*i.operand(1), 0) ||
      !isPlainArray(i.shape()))
    return nullptr;
  const Instruction* number = oneNumberBehind(*i.operand(0));
  const ElementType type = i.shape().elementType();
  if (number == nullptr || isComplex(type) || type == ElementType::Pred) return nullptr;
  const auto window = i.get<Attr::Window>()->dimensions;
  std::optional<size_t> along;
  for (size_t d = 0; d < window.size(); ++d) {
    if (standsStill(window[d])) continue;
    if (along || !runsAlong(window[d], i.operand(0)->shape().dimension(d))) return nullptr;
    along = d;
  }
  const int64_t exact = type == ElementType::BF16 ? 256 : type == ElementType::F16 ? 2048 : int64_t{1} << 24;
  if (!along || (isFloat(type) && (!isAll(*number, 1) || i.shape().dimension(*along) > exact)) ||
      (isFloat(type) && elementBits(type) < 16))
    return nullptr;
  Instruction* iota = i.parent().create(Opcode::Iota, i.shape(), {}, {}, &i);
  iota->set<Attr::IotaDimension>(static_cast<int64_t>(*along));
  Instruction* count = madeBinary(i, Opcode::Add, iota, makeSplat(i, i.shape(), 1));
  const auto value = splatValue(*number);
  return value ? madeBinary(i, Opcode::Multiply, count, makeSplat(i, i.shape(), *value)) : nullptr;
}

// The last of the running sums is the sum.
Instruction* sliceOfRunningSum(Instruction& i) {
  const Instruction& sums = *i.operand(0);
  if (!isOfOneArray(sums) || !combinerOf(sums) || sums.users().size() != 1 || !liesRowMajor(i.shape()) ||
      !liesRowMajor(sums.operand(0)->shape()) || sums.shape() != sums.operand(0)->shape())
    return nullptr;
  std::vector<int64_t> reduced, kept;
  for (size_t d = 0; d < i.shape().rank(); ++d) {
    const SliceRange& range = i.get<Attr::Slice>()[d];
    const WindowDimension& window = sums.get<Attr::Window>()->dimensions[d];
    const int64_t size = sums.shape().dimension(d);
    if (runsAlong(window, size) && range.start == size - 1 && range.limit == size) {
      reduced.push_back(static_cast<int64_t>(d));
    } else if (standsStill(window) && range.start == 0 && range.limit == size && range.stride == 1) {
      kept.push_back(size);
    } else {
      return nullptr;
    }
  }
  if (reduced.empty()) return nullptr;
  Instruction* reduce = i.parent().create(Opcode::Reduce, arrayLike(i.shape(), i.shape().elementType(), kept),
                                          sums.operands(), {}, &i);
  reduce->set<Attr::Dimensions>(reduced);
  reduce->set<Attr::ToApply>(sums.get<Attr::ToApply>());
  return madeView(i, reduce, i.shape());
}

}  // namespace hilo::algebra
