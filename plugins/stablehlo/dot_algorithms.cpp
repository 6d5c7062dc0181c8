#include "plugins/stablehlo/dot_algorithms.h"

#include <string_view>

namespace hilo::stablehlo {
namespace {

using Algorithm = pb::PrecisionConfig;

struct AlgorithmRow {
  pb::PrecisionConfig::Algorithm algorithm;
  std::string_view operand, accumulation;  // "f8" stands for every float of 8 bits
  int64_t components, operations;
  bool imprecise;
};
// Of an algorithm that is said in several ways the first is written.
constexpr AlgorithmRow kAlgorithms[] = {
    {Algorithm::ALG_DOT_ANY_F8_ANY_F8_F32, "f8", "f32", 1, 1, false},
    {Algorithm::ALG_DOT_ANY_F8_ANY_F8_F32_FAST_ACCUM, "f8", "f32", 1, 1, true},
    {Algorithm::ALG_DOT_F16_F16_F16, "f16", "f16", 1, 1, false},
    {Algorithm::ALG_DOT_F16_F16_F32, "f16", "f32", 1, 1, false},
    {Algorithm::ALG_DOT_BF16_BF16_BF16, "bf16", "bf16", 1, 1, false},
    {Algorithm::ALG_DOT_BF16_BF16_F32, "bf16", "f32", 1, 1, false},
    {Algorithm::ALG_DOT_BF16_BF16_F32_X3, "bf16", "f32", 1, 3, false},
    {Algorithm::ALG_DOT_BF16_BF16_F32_X6, "bf16", "f32", 1, 6, false},
    {Algorithm::ALG_DOT_BF16_BF16_F32_X9, "bf16", "f32", 1, 9, false},
    {Algorithm::ALG_DOT_BF16_BF16_F32_X3, "bf16", "f32", 3, 3, false},
    {Algorithm::ALG_DOT_BF16_BF16_F32_X6, "bf16", "f32", 3, 6, false},
    {Algorithm::ALG_DOT_BF16_BF16_F32_X9, "bf16", "f32", 3, 9, false},
    {Algorithm::ALG_DOT_TF32_TF32_F32, "tf32", "f32", 1, 1, false},
    {Algorithm::ALG_DOT_TF32_TF32_F32_X3, "tf32", "f32", 1, 3, false},
    {Algorithm::ALG_DOT_F32_F32_F32, "f32", "f32", 1, 1, false},
    {Algorithm::ALG_DOT_F64_F64_F64, "f64", "f64", 1, 1, false},
};

}  // namespace

pb::PrecisionConfig::Algorithm algorithmOf(const DotAlgorithm& algorithm) {
  const std::string_view operand =
      algorithm.operand.starts_with("f8") ? std::string_view("f8") : std::string_view(algorithm.operand);
  for (const AlgorithmRow& row : kAlgorithms) {
    if (operand == row.operand && algorithm.accumulation == row.accumulation &&
        algorithm.imprecise == row.imprecise && algorithm.components == row.components &&
        algorithm.operations == row.operations)
      return row.algorithm;
  }
  return Algorithm::ALG_UNSET;
}

std::string dotAlgorithmText(pb::PrecisionConfig::Algorithm algorithm) {
  for (const AlgorithmRow& row : kAlgorithms) {
    if (row.algorithm != algorithm) continue;
    const std::string operand(row.operand == "f8" ? "f8E5M2" : row.operand),
        components = std::to_string(row.components);
    return "#stablehlo.dot_algorithm<lhs_precision_type = " + operand + ", rhs_precision_type = " + operand +
           ", accumulation_type = " + std::string(row.accumulation) +
           ", lhs_component_count = " + components + ", rhs_component_count = " + components +
           ", num_primitive_operations = " + std::to_string(row.operations) +
           ", allow_imprecise_accumulation = " + (row.imprecise ? "true" : "false") + ">";
  }
  return {};
}

}  // namespace hilo::stablehlo
