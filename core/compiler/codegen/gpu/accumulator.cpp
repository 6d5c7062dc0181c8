#include "core/compiler/codegen/gpu/accumulator.h"

#include "core/runtime/program/program.h"

#include "core/base/check.h"

namespace hilo::gpu {

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

bool keepsAnOrder(const ReductionForm& form) {
  return std::ranges::any_of(form.stages, [](const auto& stage) {
    return std::ranges::any_of(
        stage, [](const Instruction* reduction) { return Folding::of(*reduction).keepsOrder; });
  });
}

std::vector<ElementType> partTypes(const ReductionForm& form) {
  std::vector<ElementType> types;
  for (const Instruction* reduction : form.stages[0]) {
    for (const ElementType type : Folding::of(*reduction).types) types.push_back(type);
  }
  return types;
}

const Instruction& writtenBy(const Instruction& instruction) {
  return instruction.opcode() == Opcode::Fusion ? *instruction.calledComputations()[0]->root() : instruction;
}

Scalar resultAt(ElementEmitter& elements, const Instruction& root, size_t i, const ElementIndex& index) {
  if (root.opcode() == Opcode::Tuple) return elements.at(*root.operand(i), index);
  return elements.allAt(root, index)[i];
}

// The computation may be of wider floats than the arrays.
Scalar Accumulator::wide(const Instruction& operand, size_t parameter, Scalar x) {
  const ElementType from = operand.shape().elementType();
  const ElementType to = reduction_.get<Attr::ToApply>()->parameters()[parameter]->shape().elementType();
  x = s_.convert(from, to, x);
  return folding_.isSum ? Scalar{s_.toDouble(to, x)} : x;
}

Scalars Accumulator::initial() {
  Scalars values;
  for (size_t i = 0; i < count(); ++i) {
    const Instruction& operand = *reduction_.operand(count() + i);
    values.push_back(wide(operand, i, elements_.at(operand, {})));
  }
  return values;
}

Scalars Accumulator::neutral() {
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

Scalars Accumulator::element(const ElementIndex& index) {
  Scalars values;
  for (size_t i = 0; i < count(); ++i) {
    const Instruction& operand = *reduction_.operand(i);
    values.push_back(wide(operand, count() + i, elements_.at(operand, index)));
  }
  return values;
}

Scalars Accumulator::combine(const Scalars& a, const Scalars& b) {
  if (folding_.isSum) return {{k_.addInAnyOrder(a[0].value, b[0].value)}};
  Scalars arguments = a;
  arguments.insert(arguments.end(), b.begin(), b.end());
  Scalars next = elements_.apply(*reduction_.get<Attr::ToApply>(), arguments);
  // Values that are combined again, not what they were before they were rounded.
  for (Scalar& value : next) value = {value.value, value.imaginary};
  return next;
}

Scalars Accumulator::result(const Scalars& total) {
  const auto shapes = arrayLeaves(reduction_.shape());
  Scalars values;
  for (size_t i = 0; i < count(); ++i) {
    const ElementType type = shapes[i].elementType();
    values.push_back(folding_.isSum ? s_.fromDouble(type, total[i].value)
                                    : s_.convert(types()[i], type, total[i]));
  }
  return values;
}

Scalars Accumulator::combineLanes(Block& block, Scalars own, int width, Value* lane, Value* valid) {
  for (int by = 1; by < width; by *= 2) {
    Scalars other;
    for (const Scalar& value : own) other.push_back(block.fromLaneBeyond(value, by, width));
    Scalars both = combine(own, other);
    if (valid != nullptr) {
      Value* isThere = k_.b().CreateICmpSLT(k_.b().CreateAdd(lane, k_.int64(by)), valid);
      for (size_t i = 0; i < both.size(); ++i) both[i] = s_.select(isThere, both[i], own[i]);
    }
    own = std::move(both);
  }
  return own;
}

SharedAccumulators::SharedAccumulators(Block& block, KernelBuilder& kernel, const Accumulator& accumulator,
                                       int64_t count)
    : block_(block), s_(kernel.scalars()), types_(accumulator.types()) {
  for (const ElementType type : types_) {
    const Scalar zero = s_.zero(type);
    // A bit takes a byte.
    llvm::Type* held = zero.value->getType();
    if (held->isIntegerTy() && held->getIntegerBitWidth() < 8) held = kernel.b().getInt8Ty();
    values_.push_back(block.shared(held, count));
    imaginary_.push_back(zero.imaginary == nullptr ? SharedArray{}
                                                   : block.shared(zero.imaginary->getType(), count));
  }
}

void SharedAccumulators::store(Value* place, const Scalars& values) {
  for (size_t i = 0; i < values.size(); ++i) {
    Value* value = values[i].value;
    if (value->getType() != values_[i].type) value = block_.builder().CreateZExt(value, values_[i].type);
    block_.store(values_[i], place, value);
    if (imaginary_[i].array != nullptr) block_.store(imaginary_[i], place, values[i].imaginary);
  }
}

Scalars SharedAccumulators::load(Value* place) {
  Scalars values;
  for (size_t i = 0; i < types_.size(); ++i) {
    Value* value = block_.load(values_[i], place);
    llvm::Type* type = s_.valueType(types_[i]);
    if (type != value->getType()) value = block_.builder().CreateTrunc(value, type);
    Value* imaginary = imaginary_[i].array == nullptr ? nullptr : block_.load(imaginary_[i], place);
    values.push_back({value, imaginary});
  }
  return values;
}

}  // namespace hilo::gpu
