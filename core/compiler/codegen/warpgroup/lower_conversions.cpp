// Elements as another type.
#include <fmt/format.h>

#include "core/compiler/codegen/warpgroup/each_element.h"
#include "core/hlo/ir/element_type.h"

namespace hilo::warpgroup {

using llvm::Value;

Status lowerConvert(KernelLowering& lowering, OpId op) {
  TRY(const auto operands, operandsOf(lowering, op, 1));
  const KernelOp& one = lowering.op(op);
  TRY(const ElementType result, lowering.elementOf(one, one.results[0]));
  const bool fromUnsigned = one.opcode == "arith.extui" || one.opcode == "arith.uitofp" ||
                            one.opcode == "arith.index_castui" || one.opcode == "llvm.inttoptr";
  const bool toUnsigned = one.opcode == "arith.fptoui";
  const ElementType from = fromUnsigned ? asUnsigned(operands[0].type) : asSigned(operands[0].type);
  const ElementType to = toUnsigned ? asUnsigned(result) : asSigned(result);
  // To one bit an integer is cut, where HLO asks whether it is zero.
  const bool isCut = one.opcode == "arith.trunci" && to == ElementType::Pred;
  // Of a predicate HLO makes 0 and 1, a signed extension 0 and -1.
  const bool isSignedBit = one.opcode == "arith.extsi" && from == ElementType::Pred;
  ScalarEmitter& s = lowering.scalars();
  return giveEach(lowering, op, operands, result, [&](std::span<const Scalar> x) {
    if (isCut) return Scalar{lowering.b().CreateTrunc(x[0].value, lowering.b().getInt1Ty())};
    if (isSignedBit) return Scalar{lowering.b().CreateSExt(x[0].value, s.valueType(to))};
    return s.convert(from, to, x[0]);
  });
}

Status lowerBitcast(KernelLowering& lowering, OpId op) {
  TRY(const auto operands, operandsOf(lowering, op, 1));
  const KernelOp& one = lowering.op(op);
  TRY(const ElementType result, lowering.elementOf(one, one.results[0]));
  if (elementBits(result) != elementBits(operands[0].type)) return refuse(one, "elements of other sizes");
  ScalarEmitter& s = lowering.scalars();
  return giveEach(lowering, op, operands, result, [&](std::span<const Scalar> x) {
    return s.fromBits(result, s.toBits(operands[0].type, x[0]));
  });
}

}  // namespace hilo::warpgroup
