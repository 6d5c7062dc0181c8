// cuBLASLt's dots of 8 bit floats. Operands: A, B, C where beta is not 0, the scales of A and B, (of C
// and D, in modules of older compilers), the bias where the epilogue adds one, the scale of an 8 bit D where
// it has one. Results: D, the sum before the epilogue's function where it keeps it, the largest magnitude
// before D is scaled where it is asked for, workspace.
#include <numeric>

#include "core/hlo/expand/gemm.h"

namespace hilo::library {
namespace {

// The largest finite number, past which conversion to 8 bits saturates.
std::optional<double> largest(ElementType type) {
  switch (type) {
    case ElementType::F8E4M3FN:
      return 448;
    case ElementType::F8E5M2:
      return 57344;
    case ElementType::F8E4M3FNUZ:
      return 240;
    case ElementType::F8E5M2FNUZ:
      return 57344;
    default:
      return std::nullopt;
  }
}

Instruction* scaled(const Expansion& call, Instruction* value, Instruction* scale) {
  Instruction* factor = call.convert(scale, value->shape().elementType());
  return call.binary(Opcode::Multiply, value, call.broadcastScalar(factor, value->shape()));
}

struct Scales {
  Instruction *a = nullptr, *b = nullptr, *c = nullptr, *d = nullptr;
};

Result<Scales> takeOperands(const Expansion& call, Gemm& gemm) {
  const bool hasMatrix = gemm.beta != 0, hasVector = gemm.epilogue.addsBias;
  const bool isNarrow = call.result(0).isArray() && largest(call.result(0).elementType()).has_value();
  const size_t first = hasMatrix ? 3 : 2;
  const size_t least = first + 2 + hasVector, count = call.operandCount();
  const bool isOld = count == least + 2, scalesResult = isNarrow && count == least + 1;
  if (count != least && !isOld && !scalesResult) return call.malformed(fmt::format("has {} operands", count));
  if (hasMatrix) gemm.matrixBias = call.operand(2);
  Scales scales{.a = call.operand(first), .b = call.operand(first + 1)};
  if (isOld) scales.c = call.operand(first + 2), scales.d = call.operand(first + 3);
  if (hasVector) gemm.vectorBias = call.operand(first + (isOld ? 4 : 2));
  if (scalesResult) scales.d = call.operand(least);
  for (const Instruction* scale : {scales.a, scales.b, scales.c, scales.d}) {
    if (scale != nullptr && !scale->shape().isScalar()) return call.refuse("scales by what is no scalar");
  }
  return scales;
}

}  // namespace

Result<Instruction*> expandF8Gemm(Expansion& call) {
  TRY(Gemm gemm, readGemm(call));
  const size_t results = 1 + gemm.epilogue.givesAux + gemm.givesAmax;
  TRY_STATUS(call.needsResults(results, results + 1));
  TRY(const Scales scales, takeOperands(call, gemm));
  const ElementType type = call.result(0).elementType();
  TRY(Instruction * sum, gemmProduct(call, gemm, ElementType::F32));
  sum = scaled(call, scaled(call, sum, scales.a), scales.b);
  if (scales.c != nullptr && gemm.matrixBias != nullptr)
    gemm.matrixBias = scaled(call, call.convert(gemm.matrixBias, ElementType::F32), scales.c);
  TRY(std::vector<Instruction*> given, finishGemm(call, gemm, sum));
  Instruction* result = given[0];
  if (gemm.givesAmax) {
    std::vector<int64_t> all(result->shape().rank());
    std::iota(all.begin(), all.end(), 0);
    Instruction* amax = call.reduce(call.unary(Opcode::Abs, result), all, Opcode::Maximum, 0);
    given.push_back(call.convert(amax, call.result(given.size()).elementType()));
  }
  if (scales.d != nullptr) result = scaled(call, result, scales.d);
  if (const auto most = largest(type)) {
    const Shape shape = result->shape();
    result = call.add(Opcode::Clamp, shape, {call.splat(shape, -*most), result, call.splat(shape, *most)});
  }
  given[0] = call.convert(result, type);
  return call.give(std::move(given));
}

}  // namespace hilo::library
