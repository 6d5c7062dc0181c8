// cuBLAS's dots: D = epilogue(alpha * A * B + beta * C + bias), as gemm_backend_config says. Where there
// is more than a dot, what follows it runs in f32 at least and rounds to D's type at the end.
#include "core/hlo/expand/gemm.h"

#include <absl/strings/ascii.h>
#include <absl/strings/strip.h>

#include "core/hlo/expand/activations.h"

namespace hilo::library {
namespace {

Result<Epilogue> epilogueOf(const Expansion& call, const CallConfig& config) {
  using F = Epilogue::Function;
  const std::string text = config.text("epilogue", "DEFAULT");
  Epilogue epilogue;
  std::string_view rest = text;
  if (rest == "DEFAULT") return epilogue;
  epilogue.addsBias = rest.starts_with("BIAS");
  if (epilogue.addsBias) rest.remove_prefix(rest.starts_with("BIAS_") ? 5 : 4);
  epilogue.givesAux = rest.ends_with("_AUX");
  if (epilogue.givesAux) rest.remove_suffix(4);
  epilogue.function = rest == "RELU"   ? F::Relu
                      : rest == "GELU" ? F::Gelu
                      : rest == "SILU" ? F::Silu
                                       : F::None;
  if (!rest.empty() && epilogue.function == F::None) return call.refuse(fmt::format("has epilogue {}", text));
  if (rest.empty() && !epilogue.addsBias) return call.refuse(fmt::format("has epilogue {}", text));
  return epilogue;
}

// XLA's names with a prefix, in capitals.
Result<std::optional<DotAlgorithm>> algorithmOf(const Expansion& call, const CallConfig& config) {
  const std::string name = config.part("precision_config").text("algorithm", "ALG_UNSET");
  if (name == "ALG_UNSET") return std::nullopt;
  const auto algorithm = enumFromText<DotAlgorithm>(absl::AsciiStrToLower(absl::StripPrefix(name, "ALG_")));
  if (!algorithm) return call.refuse(fmt::format("has algorithm {}", name));
  return algorithm;
}

Instruction* addScaled(const Expansion& call, Instruction* sum, Instruction* value, double factor) {
  Instruction* wide = call.convert(value, sum->shape().elementType());
  if (factor != 1) wide = call.binary(Opcode::Multiply, wide, call.splat(wide->shape(), factor));
  return call.binary(Opcode::Add, sum, wide);
}

// Along the dimension of D that lies densest, as cuBLASLt adds it.
Result<Instruction*> addVectorBias(const Expansion& call, Instruction* sum, Instruction* bias) {
  const Shape shape = sum->shape();
  if (bias->shape().isScalar())
    return call.binary(Opcode::Add, sum,
                       call.broadcastScalar(call.convert(bias, shape.elementType()), shape));
  const Layout* layout = call.result(0).layout();
  const int64_t dense = layout != nullptr && !layout->minorToMajor.empty()
                            ? layout->minorToMajor[0]
                            : static_cast<int64_t>(shape.rank()) - 1;
  if (!bias->shape().isArray() || bias->shape().rank() != 1 || dense < 0 ||
      bias->shape().dimension(0) != shape.dimension(static_cast<size_t>(dense))) {
    return call.refuse(fmt::format("adds a bias of shape {}", toString(bias->shape())));
  }
  return call.binary(Opcode::Add, sum,
                     call.broadcast(call.convert(bias, shape.elementType()), shape, std::array{dense}));
}

Instruction* activated(const Expansion& call, Instruction* x, Epilogue::Function function) {
  switch (function) {
    case Epilogue::Function::None:
      return x;
    case Epilogue::Function::Relu:
      return call.binary(Opcode::Maximum, x, call.zeros(x->shape()));
    case Epilogue::Function::Gelu:
      return geluByTanh(call, x);
    case Epilogue::Function::Silu:
      return call.binary(Opcode::Multiply, x, call.unary(Opcode::Logistic, x));
  }
  return x;
}

// An operand without batch dimensions, beside one that has some, is the same in each batch: as XLA's
// gemm_broadcast_folding_rewriter leaves it, and cuBLAS reads it with a stride of 0.
Instruction* inEachBatch(const Expansion& call, Instruction* operand, Shape other,
                         const std::vector<int64_t>& otherBatch, std::vector<int64_t>& batch,
                         std::vector<int64_t>& contracting) {
  const auto count = static_cast<int64_t>(otherBatch.size());
  const bool isShared = batch.empty() && count > 0 && operand->shape().isArray() && other.isArray() &&
                        std::ranges::max(otherBatch) < static_cast<int64_t>(other.rank());
  if (!isShared) return operand;
  std::vector<int64_t> sizes, places;
  for (int64_t d = 0; d < count; ++d) {
    batch.push_back(d);
    sizes.push_back(other.dimension(static_cast<size_t>(otherBatch[static_cast<size_t>(d)])));
  }
  for (const int64_t size : operand->shape().dimensions()) {
    places.push_back(static_cast<int64_t>(sizes.size()));
    sizes.push_back(size);
  }
  for (int64_t& dimension : contracting) dimension += count;
  return call.broadcast(operand, Shape::array(operand->shape().elementType(), sizes), places);
}

// The sizes of batch, free lhs and free rhs dimensions, if the dimensions are distinct and fit.
Result<std::vector<int64_t>> productSizes(const Expansion& call, const Gemm& gemm, Shape lhs, Shape rhs) {
  const auto isFit = [](const std::vector<int64_t>& a, const std::vector<int64_t>& b, Shape shape) {
    std::vector<int64_t> all(a);
    all.insert(all.end(), b.begin(), b.end());
    std::ranges::sort(all);
    return std::ranges::adjacent_find(all) == all.end() &&
           (all.empty() || all.back() < static_cast<int64_t>(shape.rank()));
  };
  if (!lhs.isArray() || !rhs.isArray() || !isFit(gemm.lhsBatch, gemm.lhsContracting, lhs) ||
      !isFit(gemm.rhsBatch, gemm.rhsContracting, rhs) || gemm.lhsBatch.size() != gemm.rhsBatch.size() ||
      gemm.lhsContracting.size() != gemm.rhsContracting.size()) {
    return call.malformed("has dimension numbers that do not fit its operands");
  }
  std::vector<int64_t> sizes;
  for (const int64_t dimension : gemm.lhsBatch)
    sizes.push_back(lhs.dimension(static_cast<size_t>(dimension)));
  const auto addFree = [&](Shape shape, const std::vector<int64_t>& batch,
                           const std::vector<int64_t>& summed) {
    for (size_t n = 0; n < shape.rank(); ++n) {
      const auto number = static_cast<int64_t>(n);
      if (std::ranges::find(batch, number) == batch.end() &&
          std::ranges::find(summed, number) == summed.end())
        sizes.push_back(shape.dimension(n));
    }
  };
  addFree(lhs, gemm.lhsBatch, gemm.lhsContracting);
  addFree(rhs, gemm.rhsBatch, gemm.rhsContracting);
  return sizes;
}

}  // namespace

Result<std::vector<int64_t>> dimensionList(const Expansion& call, const CallConfig& numbers,
                                           const char* name) {
  auto list = numbers.dimensions(name);
  if (!list) return call.malformed(fmt::format("has no list of dimensions as {}", name));
  return *std::move(list);
}

Result<Gemm> readDimensions(const Expansion& call, const CallConfig& numbers) {
  Gemm gemm;
  TRY(gemm.lhsBatch, dimensionList(call, numbers, "lhs_batch_dimensions"));
  TRY(gemm.rhsBatch, dimensionList(call, numbers, "rhs_batch_dimensions"));
  TRY(gemm.lhsContracting, dimensionList(call, numbers, "lhs_contracting_dimensions"));
  TRY(gemm.rhsContracting, dimensionList(call, numbers, "rhs_contracting_dimensions"));
  return gemm;
}

Result<Gemm> readGemm(const Expansion& call, const CallConfig& config) {
  TRY(Gemm gemm, readDimensions(call, config.part("dot_dimension_numbers")));
  gemm.alpha = config.number("alpha_real", 0);
  gemm.alphaImaginary = config.number("alpha_imag", 0);
  gemm.beta = config.number("beta", 0);
  gemm.givesAmax = config.flag("damax_output", false);
  TRY(gemm.epilogue, epilogueOf(call, config));
  TRY(gemm.algorithm, algorithmOf(call, config));
  return gemm;
}

Result<Gemm> readGemm(const Expansion& call) {
  TRY(const CallConfig config, call.config());
  if (config.empty()) return Gemm{.lhsContracting = {1}, .rhsContracting = {0}};
  if (config.part("gemm_backend_config").empty()) return call.malformed("has no gemm_backend_config");
  return readGemm(call, config.part("gemm_backend_config"));
}

bool isPlain(const Gemm& gemm) {
  return gemm.alpha == 1 && gemm.alphaImaginary == 0 && gemm.matrixBias == nullptr &&
         gemm.vectorBias == nullptr && !gemm.givesAmax && gemm.epilogue.function == Epilogue::Function::None;
}

ElementType workType(ElementType result) {
  return isFloat(result) && elementBits(result) < 32 ? ElementType::F32 : result;
}

Result<Instruction*> gemmProduct(const Expansion& call, const Gemm& gemm, ElementType type) {
  return productOf(call, gemm, call.operand(0), call.operand(1), call.result(0).withElementType(type));
}

Result<Instruction*> productOf(const Expansion& call, const Gemm& given, Instruction* lhs, Instruction* rhs,
                               Shape wanted) {
  Gemm gemm = given;
  lhs = inEachBatch(call, lhs, rhs->shape(), gemm.rhsBatch, gemm.lhsBatch, gemm.lhsContracting);
  rhs = inEachBatch(call, rhs, lhs->shape(), gemm.lhsBatch, gemm.rhsBatch, gemm.rhsContracting);
  TRY(const std::vector<int64_t> sizes, productSizes(call, gemm, lhs->shape(), rhs->shape()));
  if (!std::ranges::equal(wanted.dimensions(), sizes)) {
    return call.malformed(
        fmt::format("gives {}, and its operands make [{}]", toString(wanted), fmt::join(sizes, ",")));
  }
  Instruction* dot = call.add(Opcode::Dot, wanted, {lhs, rhs});
  if (!gemm.lhsBatch.empty()) {
    dot->set<Attr::LhsBatchDims>(gemm.lhsBatch);
    dot->set<Attr::RhsBatchDims>(gemm.rhsBatch);
  }
  dot->set<Attr::LhsContractingDims>(gemm.lhsContracting);
  dot->set<Attr::RhsContractingDims>(gemm.rhsContracting);
  if (gemm.algorithm) dot->set<Attr::Algorithm>(*gemm.algorithm);
  return dot;
}

Result<std::vector<Instruction*>> finishGemm(const Expansion& call, const Gemm& gemm, Instruction* product) {
  Instruction* sum = product;
  if (gemm.alpha != 1 || gemm.alphaImaginary != 0)
    sum = call.binary(Opcode::Multiply, call.splat(sum->shape(), gemm.alpha, gemm.alphaImaginary), sum);
  if (gemm.matrixBias != nullptr) {
    if (!gemm.matrixBias->shape().isArray() ||
        !std::ranges::equal(gemm.matrixBias->shape().dimensions(), sum->shape().dimensions()))
      return call.malformed("adds a matrix of another shape than its result");
    sum = addScaled(call, sum, gemm.matrixBias, gemm.beta);
  }
  if (gemm.vectorBias != nullptr) {
    TRY(sum, addVectorBias(call, sum, gemm.vectorBias));
  }
  Instruction* result = activated(call, sum, gemm.epilogue.function);
  if (!gemm.epilogue.givesAux) return std::vector{result};
  return std::vector{result, call.convert(sum, call.result(1).elementType())};
}

// Operands: A, B, C where beta is not 0, the bias where the epilogue adds one. Results: D, the sum before the
// function where the epilogue keeps it, workspace.
Result<Instruction*> expandGemm(Expansion& call) {
  TRY(Gemm gemm, readGemm(call));
  const size_t operands = 2 + (gemm.beta != 0) + gemm.epilogue.addsBias;
  TRY_STATUS(call.needsOperands(operands, operands));
  TRY_STATUS(call.needsResults(1 + gemm.epilogue.givesAux, 2 + gemm.epilogue.givesAux));
  if (gemm.beta != 0) gemm.matrixBias = call.operand(2);
  if (gemm.epilogue.addsBias) gemm.vectorBias = call.operand(operands - 1);
  const ElementType type = call.result(0).elementType();
  TRY(Instruction * sum, gemmProduct(call, gemm, isPlain(gemm) ? type : workType(type)));
  TRY(std::vector<Instruction*> given, finishGemm(call, gemm, sum));
  given[0] = call.convert(given[0], type);
  return call.give(std::move(given));
}

}  // namespace hilo::library
