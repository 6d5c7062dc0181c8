#include "core/compiler/codegen/gpu/accumulator.h"

namespace hilo::gpu {

using llvm::Value;

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

SharedAccumulators::SharedAccumulators(Block& block, KernelBuilder& kernel, std::vector<ElementType> types,
                                       int64_t count)
    : block_(block), s_(kernel.scalars()), types_(std::move(types)) {
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
