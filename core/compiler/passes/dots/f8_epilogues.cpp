#include "core/compiler/passes/dots/f8_epilogues.h"

#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/fusion/merge_fusions.h"
#include "core/compiler/passes/made.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

double largest(ElementType type) { return type == ElementType::F8E4M3FN ? 448 : 57344; }

// The scalar by which `i` multiplies or divides `value`; null: it does neither.
Instruction* scalarBeside(const Instruction& i, const Instruction* value) {
  if (i.opcode() == Opcode::Divide)
    return i.operand(0) == value ? algebra::scalarBehind(*i.operand(1)) : nullptr;
  if (i.opcode() != Opcode::Multiply) return nullptr;
  for (size_t side = 0; side < 2; ++side) {
    if (i.operand(side) == value && i.operand(1 - side) != value)
      return algebra::scalarBehind(*i.operand(1 - side));
  }
  return nullptr;
}

// A whole product of 8 bit floats, and what it is multiplied or divided by.
struct ScaledProduct {
  GemmProduct product;
  Instruction* scale = nullptr;   // null: nothing
  Instruction* reader = nullptr;  // of the product
};

std::optional<ScaledProduct> scaledProductOf(Instruction& clamp, const GemmProducts& products) {
  Instruction* value = clamp.operand(1);
  ScaledProduct of{.product = {}, .scale = nullptr, .reader = &clamp};
  for (Instruction* operand : value->operands()) {
    if (Instruction* scale = scalarBeside(*value, operand);
        scale != nullptr && isReadOnce(*value) && products.of(operand)) {
      of.scale = scale;
      of.reader = value;
      value = operand;
      break;
    }
  }
  const auto product = products.of(value);
  if (!product || !product->isWhole() || !product->call->isF8() || product->value->isRoot())
    return std::nullopt;
  of.product = *product;
  return of;
}

// The reduction behind `reader` that finds the largest magnitude of D; null where it is another.
Instruction* amaxOf(Instruction& reader, const GemmCall& call) {
  Instruction* reduce = &reader;
  if (reader.opcode() == Opcode::Abs) {
    if (!isReadOnce(reader)) return nullptr;
    reduce = reader.users()[0];
  } else if (call.config.function != "RELU") {
    return nullptr;
  }
  if (reduce->opcode() != Opcode::Reduce || reduce->operandCount() != 2 || !reduce->shape().isScalar() ||
      reduce->operand(1)->opcode() != Opcode::Constant)
    return nullptr;
  const auto start = algebra::splatValue(*reduce->operand(1));
  const Instruction& taken = *reduce->get<Attr::ToApply>()->root();
  const bool isMaximum =
      taken.opcode() == Opcode::Maximum && taken.operand(0)->opcode() == Opcode::Parameter &&
      taken.operand(1)->opcode() == Opcode::Parameter && taken.operand(0) != taken.operand(1);
  return start && *start <= 0 && isMaximum ? reduce : nullptr;
}

// A matrix of f32 is not added to a result of 8 bits.
bool mayGiveF8(const GemmCall& call) {
  if (call.config.keepsSum) return false;
  if (call.config.beta == 0) return true;
  const ElementType matrix = call.operands[2]->shape().elementType();
  return matrix == ElementType::BF16 || matrix == ElementType::F16;
}

}  // namespace

bool isF8Result(ElementType type) { return type == ElementType::F8E4M3FN || type == ElementType::F8E5M2; }

Instruction* f8Scale(Instruction* scale, bool inverted, Instruction& before) {
  if (inverted)
    scale = algebra::madeBinary(before, Opcode::Divide, algebra::makeSplat(before, scale->shape(), 1), scale);
  return convertTo(scale, ElementType::F32, before);
}

Instruction* f8Bias(const GemmCall& call, Instruction& vector) {
  if (call.config.beta != 0) return nullptr;
  if (vector.shape().elementType() != ElementType::F32) return &vector;
  const bool isWidened =
      vector.opcode() == Opcode::Convert && vector.operand(0)->shape().elementType() == ElementType::BF16;
  return isWidened ? vector.operand(0) : nullptr;
}

bool fuseF8Scale(Instruction& i, GemmProducts& products) {
  const auto found = products.onlyUseIn(i);
  if (!found) return false;
  const GemmProduct& product = found->first;
  Instruction* scale = scalarBeside(i, product.value);
  // The scale of A takes it in, where there is none yet.
  if (scale == nullptr || !product.call->isF8() || !product.isWhole() || !isReadOnce(*found->second) ||
      !product.call->config.isProduct() || !algebra::isAll(*product.call->operands[2], 1) ||
      !products.context().mayChange(i))
    return false;
  GemmCall call = *product.call;
  call.operands[2] = f8Scale(scale, i.opcode() == Opcode::Divide, i);
  return products.replace(i, product, call, "its scale is part of the call");
}

bool fuseF8Conversion(Instruction& convert, GemmProducts& products) {
  const ElementType type = convert.shape().elementType();
  Instruction* clamp = convert.operand(0);
  if (!isF8Result(type) || clamp->opcode() != Opcode::Clamp || !isReadOnce(*clamp) ||
      !algebra::isAll(*clamp->operand(0), -largest(type)) ||
      !algebra::isAll(*clamp->operand(2), largest(type)))
    return false;
  const auto scaled = scaledProductOf(*clamp, products);
  if (!scaled || !mayGiveF8(*scaled->product.call)) return false;
  Instruction* amax = nullptr;
  for (Instruction* user : scaled->product.value->users()) {
    if (user == scaled->reader) continue;
    if (amax != nullptr) return false;
    amax = amaxOf(*user, *scaled->product.call);
    if (amax == nullptr) return false;
  }
  if (!products.context().mayChange(convert)) return false;
  GemmCall call = *scaled->product.call;
  call.operands.push_back(
      scaled->scale != nullptr
          ? f8Scale(scaled->scale, scaled->reader->opcode() == Opcode::Divide, convert)
          : algebra::makeSplat(convert, arrayLike(convert.shape(), ElementType::F32, {}), 1));
  call.results = {convert.shape()};
  call.config.scalesResult = true;
  call.config.givesAmax = amax != nullptr;
  call.writesMatrix = false;
  if (amax != nullptr) call.results.push_back(amax->shape().withElementType(ElementType::F32));
  products.context().remark(convert, "fused", "the call gives 8 bits itself");
  Instruction* made = products.make(call, scaled->product, convert);
  if (amax != nullptr)
    products.supersede(*amax,
                       convertTo(elementOfTuple(made, 1, convert), amax->shape().elementType(), convert));
  products.supersede(convert, elementOfTuple(made, 0, convert));
  if (amax != nullptr) orderByOperands(products.computation());
  return true;
}

}  // namespace hilo
