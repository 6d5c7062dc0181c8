// cuBLASLt's dots by groups of rows: a ragged-dot. Operands: A, B, the sizes of the groups, C where beta
// is not 0, the bias where the epilogue adds one.
#include "core/hlo/expand/gemm.h"

namespace hilo::library {

Result<Instruction*> expandGroupedGemm(Expansion& call) {
  TRY(const CallConfig whole, call.config());
  const CallConfig config = whole.part("grouped_gemm_backend_config");
  TRY(const Gemm gemm, readGemm(call, config.part("gemm_backend_config")));
  const CallConfig ragged = config.part("ragged_dot_dimension_numbers");
  const CallConfig numbers = ragged.part("dot_dimension_numbers");
  if (!isPlain(gemm) || gemm.beta != 0 || gemm.epilogue.addsBias)
    return call.refuse("does more than multiply by groups");
  TRY_STATUS(call.needsOperands(3, 3));
  TRY_STATUS(call.needsResults(1, 2));
  TRY(const auto lhsBatch, dimensionList(call, numbers, "lhs_batch_dimensions"));
  TRY(const auto rhsBatch, dimensionList(call, numbers, "rhs_batch_dimensions"));
  TRY(const auto lhsContracting, dimensionList(call, numbers, "lhs_contracting_dimensions"));
  TRY(const auto rhsContracting, dimensionList(call, numbers, "rhs_contracting_dimensions"));
  TRY(const auto lhsRagged, dimensionList(call, ragged, "lhs_ragged_dimensions"));
  TRY(const auto rhsGroup, dimensionList(call, ragged, "rhs_group_dimensions"));
  Instruction* product =
      call.add(Opcode::RaggedDot, call.result(0), {call.operand(0), call.operand(1), call.operand(2)});
  product->set<Attr::LhsBatchDims>(lhsBatch);
  product->set<Attr::LhsContractingDims>(lhsContracting);
  product->set<Attr::RhsBatchDims>(rhsBatch);
  product->set<Attr::RhsContractingDims>(rhsContracting);
  product->set<Attr::LhsRaggedDims>(lhsRagged);
  product->set<Attr::RhsGroupDims>(rhsGroup);
  return call.give({product});
}

}  // namespace hilo::library
