// Operations on each element by itself: those of arith and math, on arrays in registers and on scalars.
#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "core/compiler/codegen/warpgroup/each_element.h"
#include "core/hlo/ir/element_type.h"

namespace hilo::warpgroup {

using llvm::Value;

namespace {

// How an operation takes integers, which have no sign of their own.
enum class Sign : uint8_t { Signed, Unsigned };

struct Elementwise {
  std::string_view name;
  Opcode opcode;
  Sign sign;
};
constexpr Elementwise kOperations[] = {
#define POINTWISE(operation, opcode, sign) {operation, Opcode::opcode, Sign::sign},
#include "core/compiler/codegen/warpgroup/pointwise.def"
#undef POINTWISE
};

ElementType typeFor(Sign sign, ElementType type) {
  return sign == Sign::Unsigned ? asUnsigned(type) : asSigned(type);
}

Result<Elementwise> operationOf(const KernelOp& op, ElementType type) {
  const Elementwise operation = *std::ranges::find(kOperations, op.opcode, &Elementwise::name);
  if (canEmitElementwise(operation.opcode, typeFor(operation.sign, type))) return operation;
  return refuse(op, fmt::format("not of elements of type {}", elementTypeName(type)));
}

}  // namespace

Status lowerUnary(KernelLowering& lowering, OpId op) {
  TRY(const auto operands, operandsOf(lowering, op, 1));
  TRY(const Elementwise operation, operationOf(lowering.op(op), operands[0].type));
  const ElementType type = typeFor(operation.sign, operands[0].type);
  return giveEach(lowering, op, operands, operands[0].type, [&](std::span<const Scalar> x) {
    return lowering.scalars().unary(operation.opcode, type, x[0]);
  });
}

Status lowerBinary(KernelLowering& lowering, OpId op) {
  TRY(const auto operands, operandsOf(lowering, op, 2));
  TRY(const Elementwise operation, operationOf(lowering.op(op), operands[0].type));
  const ElementType type = typeFor(operation.sign, operands[0].type);
  return giveEach(lowering, op, operands, operands[0].type, [&](std::span<const Scalar> x) {
    return lowering.scalars().binary(operation.opcode, type, x[0], x[1]);
  });
}

// Towards minus infinity: one less where the signs differ and something is left.
Status lowerFloorDivide(KernelLowering& lowering, OpId op) {
  TRY(const auto operands, operandsOf(lowering, op, 2));
  ScalarEmitter& s = lowering.scalars();
  llvm::IRBuilder<>& b = lowering.b();
  const ElementType type = operands[0].type;
  return giveEach(lowering, op, operands, type, [&](std::span<const Scalar> x) {
    Value* quotient = s.binary(Opcode::Divide, type, x[0], x[1]).value;
    Value* rest = s.binary(Opcode::Remainder, type, x[0], x[1]).value;
    Value* zero = llvm::ConstantInt::get(rest->getType(), 0);
    Value* differ = b.CreateICmpSLT(b.CreateXor(rest, x[1].value), zero);
    Value* isBelow = b.CreateAnd(b.CreateICmpNE(rest, zero), differ);
    return Scalar{b.CreateSub(quotient, b.CreateZExt(isBelow, quotient->getType()))};
  });
}

Status lowerCopysign(KernelLowering& lowering, OpId op) {
  TRY(const auto operands, operandsOf(lowering, op, 2));
  return giveEach(lowering, op, operands, operands[0].type, [&](std::span<const Scalar> x) {
    return Scalar{lowering.b().CreateBinaryIntrinsic(llvm::Intrinsic::copysign, x[0].value, x[1].value)};
  });
}

Status lowerPowerOfTwo(KernelLowering& lowering, OpId op) {
  TRY(const auto operands, operandsOf(lowering, op, 1));
  const ElementType type = operands[0].type;
  if (!isFloat(type)) return refuse(lowering.op(op), "only of floats");
  ScalarEmitter& s = lowering.scalars();
  return giveEach(lowering, op, operands, type, [&](std::span<const Scalar> x) {
    const Scalar two{llvm::ConstantFP::get(x[0].value->getType(), 2.0)};
    return s.binary(Opcode::Power, type, two, x[0]);
  });
}

// In f64, so that it is rounded once but for what is lost there.
Status lowerLogarithmOfTwo(KernelLowering& lowering, OpId op) {
  TRY(const auto operands, operandsOf(lowering, op, 1));
  const ElementType type = operands[0].type;
  if (!isFloat(type)) return refuse(lowering.op(op), "only of floats");
  ScalarEmitter& s = lowering.scalars();
  return giveEach(lowering, op, operands, type, [&](std::span<const Scalar> x) {
    const Scalar wide = s.convert(type, ElementType::F64, x[0]);
    Value* logarithm = s.unary(Opcode::Log, ElementType::F64, wide).value;
    Value* scale = llvm::ConstantFP::get(logarithm->getType(), std::numbers::log2e);
    return s.convert(ElementType::F64, type, {lowering.b().CreateFMul(logarithm, scale)});
  });
}

}  // namespace hilo::warpgroup
