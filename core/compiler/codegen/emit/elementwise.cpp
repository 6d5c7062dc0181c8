#include "core/compiler/codegen/emit/elementwise.h"

namespace hilo {

using llvm::Value;

namespace {

Scalar stochasticConvert(const Instruction& instruction, Scalar x, Scalar random, KernelBuilder& k) {
  llvm::IRBuilder<>& b = k.b();
  ScalarEmitter& s = k.scalars();
  const ElementType from = instruction.operand(0)->shape().elementType(),
                    to = instruction.shape().elementType();
  Value* bits = b.CreateZExt(random.value, b.getInt64Ty());
  Value* rounded = s.call(
      "hilo_stochastic_convert", b.getInt64Ty(),
      {s.convert(from, ElementType::F64, x).value, bits, b.getInt32(static_cast<uint32_t>(elementBits(from))),
       b.getInt32(static_cast<uint32_t>(elementBits(to)))});
  return s.convert(ElementType::S64, to, {rounded});
}

}  // namespace

Scalar elementwise(const Instruction& instruction, llvm::ArrayRef<Scalar> x, KernelBuilder& k) {
  ScalarEmitter& s = k.scalars();
  const ElementType type = instruction.operand(0)->shape().elementType(),
                    to = instruction.shape().elementType();
  switch (instruction.opcode()) {
    case Opcode::Select:
      return s.select(x[0].value, x[1], x[2]);
    case Opcode::Clamp:
      return s.clamp(type, x[0], x[1], x[2]);
    case Opcode::Convert:
      return s.convert(type, to, x[0]);
    case Opcode::BitcastConvert:
      return s.fromBits(to, s.toBits(type, x[0]));
    case Opcode::Compare:
      return {s.compare(*instruction.get<Attr::Direction>(),
                        instruction.get<Attr::ComparisonTypeKind>() == ComparisonType::TotalOrder, type, x[0],
                        x[1])};
    case Opcode::StochasticConvert:
      return stochasticConvert(instruction, x[0], x[1], k);
    case Opcode::ReducePrecision:
      return s.reducePrecision(type, x[0], *instruction.get<Attr::ExponentBits>(),
                               *instruction.get<Attr::MantissaBits>());
    default:
      return x.size() == 1 ? s.unary(instruction.opcode(), type, x[0])
                           : s.binary(instruction.opcode(), type, x[0], x[1]);
  }
}

}  // namespace hilo
