// What cuBLAS's calls have in common: gemm_backend_config, the dot, what follows it.
#pragma once

#include "core/hlo/expand/expansion.h"

namespace hilo::library {

struct Epilogue {
  bool addsBias = false, givesAux = false;
  enum class Function { None, Relu, Gelu, Silu } function = Function::None;
};

// What gemm_backend_config says; the operands are for the caller to fill in.
struct Gemm {
  std::vector<int64_t> lhsBatch, lhsContracting, rhsBatch, rhsContracting;
  double alpha = 1, alphaImaginary = 0, beta = 0;
  Epilogue epilogue;
  std::optional<DotAlgorithm> algorithm;
  bool givesAmax = false;
  Instruction *matrixBias = nullptr, *vectorBias = nullptr;
};

Result<std::vector<int64_t>> dimensionList(const Expansion& call, const CallConfig& numbers,
                                           const char* name);
// dot_dimension_numbers alone.
Result<Gemm> readDimensions(const Expansion& call, const CallConfig& numbers);
Result<Gemm> readGemm(const Expansion& call, const CallConfig& config);
// The same of a call whose configuration has it at its top; one without any multiplies matrices.
Result<Gemm> readGemm(const Expansion& call);

// Whether nothing follows the dot.
bool isPlain(const Gemm& gemm);
// The type in which alpha, beta and the epilogue are computed.
ElementType workType(ElementType result);
// A * B, the first operands, in the dimensions of the first result.
Result<Instruction*> gemmProduct(const Expansion& call, const Gemm& gemm, ElementType type);
// lhs * rhs, which must have the dimensions of `wanted`.
Result<Instruction*> productOf(const Expansion& call, const Gemm& gemm, Instruction* lhs, Instruction* rhs,
                               Shape wanted);
// alpha * product + beta * C + bias and the epilogue, in the product's type; behind it, where the epilogue
// keeps it, the sum before its function, in the type of the call's second result.
Result<std::vector<Instruction*>> finishGemm(const Expansion& call, const Gemm& gemm, Instruction* product);

}  // namespace hilo::library
