// Constants whose elements are all the same or count up, and iotas that are reshaped.
#include <algorithm>
#include <cmath>

#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/made.h"
#include "core/compiler/passes/shape_ops.h"
#include "core/compiler/passes/simplify/algebra/place_of_dimensions.h"
#include "core/compiler/passes/simplify/algebra/rule.h"

namespace hilo::algebra {
namespace {

Instruction* madeIota(Instruction& at, Shape shape, size_t dimension) {
  Instruction* made = at.parent().create(Opcode::Iota, shape, {}, {}, &at);
  made->set<Attr::IotaDimension>(static_cast<int64_t>(dimension));
  return made;
}

// Every number up to `size` is one of the type's, so that sums of multiples are exact.
bool countsExactly(ElementType type, int64_t size) {
  if (isIntegral(type)) return true;
  const int bits = type == ElementType::F64   ? 53
                   : type == ElementType::F32 ? 24
                   : type == ElementType::F16 ? 11
                                              : 8;
  return (type == ElementType::BF16 || elementBits(type) >= 16) && size <= (int64_t{1} << bits);
}

struct Counting {
  double step;
};

// 0, s, 2s, ...: what a constant in one dimension counts up by; integers, and floats by 1.
std::optional<Counting> countingOf(const Instruction& i) {
  const ElementType type = i.shape().elementType();
  if (i.opcode() != Opcode::Constant || i.shape().rank() != 1 || isComplex(type) ||
      type == ElementType::Pred || elementBits(type) < 8)
    return std::nullopt;
  const int64_t count = i.shape().elementCount();
  const auto step = count > 1 ? numberAt(i, 1) : std::nullopt;
  if (!step || *step == 0 || (isFloat(type) && *step != 1)) return std::nullopt;
  for (int64_t k = 0; k < count; ++k) {
    if (numberAt(i, k) != static_cast<double>(k) * *step) return std::nullopt;
  }
  return Counting{*step};
}

}  // namespace

Instruction* constantOfOneNumber(Instruction& i) {
  if (!i.shape().isArray() || i.shape().isDynamic() || i.shape().rank() == 0 || i.shape().elementCount() < 2)
    return nullptr;
  Instruction* scalar = splatScalar(i);
  return scalar == nullptr ? nullptr : madeBroadcast(i, scalar, i.shape());
}

Instruction* constantThatCounts(Instruction& i) {
  const auto counting = countingOf(i);
  if (!counting || !isPlainArray(i.shape())) return nullptr;
  Instruction* iota = madeIota(i, i.shape(), 0);
  if (counting->step == 1) return iota;
  return madeBinary(i, Opcode::Multiply, iota, makeSplat(i, i.shape(), counting->step));
}

Instruction* constantOfTuple(Instruction& i) {
  if (!i.shape().isTuple() || i.literal().isElided() || i.shape().tupleShapes().empty()) return nullptr;
  std::vector<Instruction*> elements;
  for (size_t k = 0; k < i.shape().tupleShapes().size(); ++k) {
    elements.push_back(
        i.parent().createConstant(i.literal().elements()[k].withShape(i.shape().tupleShapes()[k]), &i));
  }
  return i.parent().create(Opcode::Tuple, i.shape(), elements, {}, &i);
}

// The start is clamped to the array, as dynamic-slice does.
Instruction* dynamicSliceThatCounts(Instruction& i) {
  const Instruction& table = *i.operand(0);
  const bool isScaled = table.opcode() == Opcode::Multiply && table.operand(0)->opcode() == Opcode::Iota;
  const Instruction& iota = isScaled ? *table.operand(0) : table;
  const auto step = isScaled ? splatValue(*table.operand(1)) : std::optional(1.0);
  if (iota.opcode() != Opcode::Iota || iota.shape().rank() != 1 || !step || i.shape().dimension(0) != 1 ||
      !isPlainArray(i.shape()) || !isIntegral(i.shape().elementType()))
    return nullptr;
  Instruction* index = i.operand(1);
  const auto last = static_cast<double>(iota.shape().dimension(0) - 1);
  const int bits =
      elementBits(index->shape().elementType()) - static_cast<int>(isSigned(index->shape().elementType()));
  if (std::ldexp(1.0, bits) - 1 < last) return nullptr;
  Instruction* within =
      i.parent().create(Opcode::Clamp, index->shape(),
                        {makeSplat(i, index->shape(), 0), index, makeSplat(i, index->shape(), last)}, {}, &i);
  Instruction* number = convertTo(within, i.shape().elementType(), i);
  if (*step != 1) number = madeBinary(i, Opcode::Multiply, number, makeSplat(i, number->shape(), *step));
  return reshapedAs(number, i.shape(), i);
}

Instruction* reshapeOfIota(Instruction& i) {
  const Instruction& iota = *i.operand(0);
  if (iota.opcode() != Opcode::Iota || !liesRowMajor(i.shape()) || !liesRowMajor(iota.shape()))
    return nullptr;
  const auto along = static_cast<size_t>(*iota.get<Attr::IotaDimension>());
  const auto parts = partsAfterReshape(iota.shape(), along, i.shape());
  if (!parts) return nullptr;
  const int64_t size = iota.shape().dimension(along);
  std::vector<Instruction*> terms;
  int64_t stride = size;
  for (size_t d = parts->first; d < parts->end; ++d) {
    stride /= i.shape().dimension(d);
    if (i.shape().dimension(d) == 1) continue;
    Instruction* term = madeIota(i, i.shape(), d);
    if (stride > 1) {
      if (!countsExactly(i.shape().elementType(), size)) return nullptr;
      term = madeBinary(i, Opcode::Multiply, term, makeSplat(i, i.shape(), static_cast<double>(stride)));
    }
    terms.push_back(term);
  }
  Instruction* sum = terms.back();
  for (size_t k = terms.size() - 1; k-- > 0;) sum = madeBinary(i, Opcode::Add, sum, terms[k]);
  return sum;
}

}  // namespace hilo::algebra
