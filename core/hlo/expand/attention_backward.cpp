// cuDNN's attention, backward. With P the weights, dP = dO V and dS = P (dP - the sum of each row of dO O):
// dQ = scale dS K, dK = scale dS Q, dV = P dO, and the bias has dS.
#include "core/hlo/expand/attention.h"

namespace hilo::library {
namespace {

// Summed along dimensions that are one in `to`.
Result<Instruction*> gathered(const Expansion& call, Instruction* value, Shape to) {
  const Shape from = value->shape();
  if (!to.isArray() || from.rank() != to.rank())
    return call.refuse("gives the gradient of a bias of another rank");
  std::vector<int64_t> summed;
  for (size_t d = 0; d < from.rank(); ++d) {
    if (to.dimension(d) == from.dimension(d)) continue;
    if (to.dimension(d) != 1)
      return call.refuse(fmt::format("gives the gradient of a bias of shape {}", toString(to)));
    summed.push_back(static_cast<int64_t>(d));
  }
  Instruction* sum = summed.empty() ? value : call.reduce(value, summed, Opcode::Add, 0);
  const Shape wideShape = Shape::array(ElementType::F32, to.dimensions());
  return call.convert(call.add(Opcode::Reshape, wideShape, {sum}), to.elementType());
}

// The dimension of an operand of rank 4 that is neither among its batches nor summed.
Result<int64_t> freeDimension(const Expansion& call, const std::vector<int64_t>& batch,
                              const std::vector<int64_t>& summed) {
  int64_t rest = 0 + 1 + 2 + 3;
  for (const int64_t d : batch) rest -= d;
  for (const int64_t d : summed) rest -= d;
  if (batch.size() != 2 || summed.size() != 1 || rest < 0 || rest > 3)
    return call.malformed("has dimension numbers that are not those of an attention");
  return rest;
}

// The products of the way back. That of Q and K follows from those that give their gradients.
struct BackwardProducts {
  Gemm scores;     // Q K
  Gemm toKey;      // dS Q
  Gemm toQuery;    // dS K
  Gemm toValue;    // weights dO
  Gemm toWeights;  // dO V
  Gemm rows;       // dO O, row by row
};

Result<BackwardProducts> readBackward(const Expansion& call, const CallConfig& config) {
  BackwardProducts products;
  TRY(products.toKey, readDimensions(call, config.part("bmm1_grad_gemm1_dot_dimension_numbers")));
  TRY(products.toQuery, readDimensions(call, config.part("bmm1_grad_gemm2_dot_dimension_numbers")));
  TRY(products.toValue, readDimensions(call, config.part("bmm2_grad_gemm1_dot_dimension_numbers")));
  TRY(products.toWeights, readDimensions(call, config.part("bmm2_grad_gemm2_dot_dimension_numbers")));
  const auto& [lhsBatch, lhsContracting, rhsBatch, rhsContracting] =
      std::tie(products.toWeights.lhsBatch, products.toWeights.lhsContracting, products.toWeights.rhsBatch,
               products.toWeights.rhsContracting);
  TRY(const int64_t ofQuery, freeDimension(call, products.toKey.rhsBatch, products.toKey.rhsContracting));
  TRY(const int64_t ofKey, freeDimension(call, products.toQuery.rhsBatch, products.toQuery.rhsContracting));
  TRY(const int64_t row, freeDimension(call, lhsBatch, lhsContracting));
  products.scores = {.lhsBatch = products.toKey.rhsBatch,
                     .lhsContracting = {ofQuery},
                     .rhsBatch = products.toQuery.rhsBatch,
                     .rhsContracting = {ofKey}};
  products.rows.lhsBatch = {lhsBatch[0], lhsBatch[1], row};
  products.rows.lhsContracting = lhsContracting;
  products.rows.rhsBatch = products.rows.lhsBatch;
  products.rows.rhsContracting = lhsContracting;
  return products;
}

Result<Instruction*> expandAttentionBackward(const Expansion& call, bool addsBias) {
  TRY_STATUS(call.needsArrays(6 + addsBias, 6 + addsBias));
  TRY_STATUS(call.needsResults(3, 5));
  TRY(const CallConfig config, readAttention(call));
  TRY(const BackwardProducts products, readBackward(call, config));
  TRY(Instruction * scores, scoresOf(call, config, products.scores, addsBias ? call.operand(5) : nullptr));
  const Shape square = scores->shape();
  if (square.rank() != 4) return call.malformed("has scores that are not of heads of examples");
  const Shape rows = Shape::array(ElementType::F32, square.dimensions().first(square.rank() - 1));
  if (call.operand(3)->shape().withoutLayout() != rows)
    return call.malformed("has no logarithm of a sum for each row");
  const auto alongRows = [&](Instruction* value) {
    return call.broadcast(value, square, std::array<int64_t, 3>{0, 1, 2});
  };
  Instruction* weights =
      call.unary(Opcode::Exponential, call.binary(Opcode::Subtract, scores, alongRows(call.operand(3))));
  Instruction* fromOutput = wide(call, 4);
  // What each weight's gradient is beyond the mean of its row's, as they sum up to one.
  TRY(Instruction * toWeights, productOf(call, products.toWeights, fromOutput, wide(call, 2), square));
  TRY(Instruction * mean, productOf(call, products.rows, fromOutput, wide(call, 5 + addsBias), rows));
  Instruction* toScores =
      call.binary(Opcode::Multiply, weights, call.binary(Opcode::Subtract, toWeights, alongRows(mean)));
  Instruction* scaled =
      call.binary(Opcode::Multiply, toScores, call.splat(square, config.number("fmha_scale", 1)));
  const auto gradient = [&](const Gemm& product, Instruction* of, size_t with,
                            size_t n) -> Result<Instruction*> {
    TRY(Instruction * made, productOf(call, product, of, with == 4 ? fromOutput : wide(call, with),
                                      call.result(n).withoutLayout().withElementType(ElementType::F32)));
    return call.convert(made, call.result(n).elementType());
  };
  std::vector<Instruction*> given(3);
  TRY(given[0], gradient(products.toQuery, scaled, 1, 0));
  TRY(given[1], gradient(products.toKey, scaled, 0, 1));
  TRY(given[2], gradient(products.toValue, weights, 4, 2));
  if (call.resultCount() == 5) {
    TRY(Instruction * bias, gathered(call, toScores, call.result(3)));
    given.push_back(bias);
  }
  return call.give(std::move(given));
}

}  // namespace

// Operands: Q, K, V, the logarithms of sums, the gradient of the output, the output. Results: the gradients
// of Q, K and V; workspace.
Result<Instruction*> expandAttentionSoftmaxBackward(Expansion& call) {
  return expandAttentionBackward(call, false);
}
// The same with a bias before the output, and perhaps its gradient behind that of V.
Result<Instruction*> expandAttentionBiasBackward(Expansion& call) {
  return expandAttentionBackward(call, true);
}

}  // namespace hilo::library
