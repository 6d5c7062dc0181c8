#include "core/compiler/codegen/emit/fold.h"

#include "core/base/check.h"
#include "core/runtime/program/program.h"

namespace hilo {

using llvm::Value;

bool isInAnyOrder(Opcode opcode, ElementType type) {
  switch (opcode) {
    case Opcode::Add:
      return true;
    case Opcode::Multiply:
    case Opcode::Maximum:
    case Opcode::Minimum:
      return !isComplex(type);
    case Opcode::And:
    case Opcode::Or:
    case Opcode::Xor:
      return true;
    default:
      return false;
  }
}

namespace {

Scalar numberOf(ScalarEmitter& s, KernelBuilder& k, ElementType type, double number) {
  return s.convert(ElementType::F64, type, {llvm::ConstantFP::get(k.b().getDoubleTy(), number)});
}

}  // namespace

Folding Folding::of(const Instruction& reduction) {
  const Computation& applied = *reduction.get<Attr::ToApply>();
  const size_t n = reduction.operandCount() / 2;
  Folding folding{.types = {}, .isSum = isFloatSum(reduction)};
  for (size_t i = 0; i < n; ++i) folding.types.push_back(applied.parameters()[i]->shape().elementType());
  if (n == 1) folding.opcode = singleBinaryOpcode(applied);
  folding.keepsOrder = !folding.opcode || !isInAnyOrder(*folding.opcode, folding.types[0]);
  if (folding.isSum) folding.types[0] = ElementType::F64;
  return folding;
}

// The computation may be of wider floats than the arrays.
Scalar Fold::wide(const Instruction& operand, size_t parameter, Scalar x) {
  const ElementType from = operand.shape().elementType();
  const ElementType to = reduction_.get<Attr::ToApply>()->parameters()[parameter]->shape().elementType();
  x = s_.convert(from, to, x);
  return folding_.isSum ? Scalar{s_.toDouble(to, x)} : x;
}

Scalars Fold::initial() {
  Scalars values;
  for (size_t i = 0; i < count(); ++i) {
    const Instruction& operand = *reduction_.operand(count() + i);
    values.push_back(wide(operand, i, elements_.at(operand, {})));
  }
  return values;
}

Scalars Fold::neutral() {
  CHECK(!keepsOrder());
  const ElementType type = types()[0];
  // A zero that leaves the sign of a zero as it is.
  if (folding_.opcode == Opcode::Add && isFloat(type)) return {numberOf(s_, k_, type, -0.0)};
  if (folding_.opcode == Opcode::Add && isComplex(type)) {
    Value* part = llvm::ConstantFP::get(s_.zero(type).value->getType(), -0.0);
    return {{part, part}};
  }
  if (folding_.opcode == Opcode::Multiply)
    return {type == ElementType::Pred ? Scalar{k_.b().getTrue()} : numberOf(s_, k_, type, 1)};
  if (folding_.opcode == Opcode::Add || folding_.opcode == Opcode::Xor) return {s_.zero(type)};
  return initial();  // as often as one likes
}

Scalars Fold::element(const ElementIndex& index) {
  Scalars values;
  for (size_t i = 0; i < count(); ++i) values.push_back(elements_.at(*reduction_.operand(i), index));
  return widened(std::move(values));
}

Scalars Fold::widened(Scalars elements) {
  for (size_t i = 0; i < count(); ++i) elements[i] = wide(*reduction_.operand(i), count() + i, elements[i]);
  return elements;
}

Scalars Fold::combine(const Scalars& a, const Scalars& b) {
  if (folding_.isSum) return {{k_.addInAnyOrder(a[0].value, b[0].value)}};
  Scalars arguments = a;
  arguments.insert(arguments.end(), b.begin(), b.end());
  Scalars next = elements_.apply(*reduction_.get<Attr::ToApply>(), arguments);
  // Values that are combined again, not what they were before they were rounded.
  for (Scalar& value : next) value = {value.value, value.imaginary};
  return next;
}

Scalars Fold::result(const Scalars& total) {
  const auto shapes = arrayLeaves(reduction_.shape());
  Scalars values;
  for (size_t i = 0; i < count(); ++i) {
    const ElementType type = shapes[i].elementType();
    values.push_back(folding_.isSum ? s_.fromDouble(type, total[i].value)
                                    : s_.convert(types()[i], type, total[i]));
  }
  return values;
}

}  // namespace hilo
