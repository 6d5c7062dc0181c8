#include "core/compiler/passes/dots/gemm_call.h"

#include "core/compiler/passes/dot_dimensions.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

std::string quoted(std::span<const int64_t> dims) {
  std::vector<std::string> items;
  for (const int64_t d : dims) items.push_back(fmt::format("\"{}\"", d));
  return fmt::format("[{}]", fmt::join(items, ","));
}

int64_t strideOf(const Instruction& dot, size_t side) {
  const DotSide of = dotSide(dot, side);
  int64_t elements = 1;
  for (const auto* dims : {&of.free, &of.contracting}) {
    for (const int64_t d : *dims) elements *= dot.operand(side)->shape().dimension(static_cast<size_t>(d));
  }
  return elements;
}

std::string_view precisionOf(const Instruction& dot, size_t side) {
  const auto stated = dot.get<Attr::OperandPrecision>();
  const Precision precision = side < stated.size() ? stated[side] : Precision::Default;
  return precision == Precision::Highest ? "HIGHEST" : precision == Precision::High ? "HIGH" : "DEFAULT";
}

std::string epilogueOf(const GemmConfig& config) {
  std::string name = config.addsBias ? "BIAS" : "";
  if (!config.function.empty()) name += fmt::format("{}{}", name.empty() ? "" : "_", config.function);
  if (config.keepsSum) name += "_AUX";
  return name.empty() ? "DEFAULT" : name;
}

}  // namespace

std::string GemmConfig::text() const {
  return fmt::format(
      R"({{"operation_queue_id":"0","gemm_backend_config":{{"alpha_real":{},"alpha_imag":{},"beta":{},)"
      R"({},"epilogue":"{}","damax_output":{},{},"grad_x":false,"grad_y":false}},)"
      R"("force_earliest_schedule":false}})",
      alpha.real(), alpha.imag(), beta, dot, epilogueOf(*this), givesAmax, strides);
}

GemmConfig gemmConfigOf(const Instruction& dot) {
  return gemmConfigOf(dot, {dotSide(dot, 0).contracting[0], dotSide(dot, 1).contracting[0]});
}

GemmConfig gemmConfigOf(const Instruction& dot, const std::array<int64_t, 2>& contracting) {
  const DotSide lhs = dotSide(dot, 0), rhs = dotSide(dot, 1);
  GemmConfig config;
  config.dot = fmt::format(
      R"("dot_dimension_numbers":{{"lhs_contracting_dimensions":{},"rhs_contracting_dimensions":{},)"
      R"("lhs_batch_dimensions":{},"rhs_batch_dimensions":{}}},"precision_config":{{"operand_precision":)"
      R"(["{}","{}"],"algorithm":"ALG_UNSET"}})",
      quoted(std::span(&contracting[0], 1)), quoted(std::span(&contracting[1], 1)), quoted(lhs.batch),
      quoted(rhs.batch), precisionOf(dot, 0), precisionOf(dot, 1));
  config.strides = fmt::format(R"("lhs_stride":"{}","rhs_stride":"{}")", strideOf(dot, 0), strideOf(dot, 1));
  return config;
}

Instruction* makeGemmCall(const GemmCall& call, const Instruction& like, Instruction& before) {
  std::vector<Shape> results = call.results;
  results.push_back(arrayLike(results[0], ElementType::S8, std::span(&call.workspaceBytes, 1)));
  Instruction* made = before.parent().create(Opcode::CustomCall, Shape::tuple(results), call.operands,
                                             before.module().uniqueName("custom-call"), &before);
  made->set<Attr::CustomCallTarget>(call.target);
  made->set<Attr::BackendConfig>(call.config.text());
  if (call.writesMatrix) {
    constexpr int64_t kFirst[] = {0};
    made->set<Attr::OutputToOperandAliasing>(std::array{AliasEntry{.outputIndex = kFirst, .parameter = 2}});
  }
  if (const OpMetadata* metadata = like.get<Attr::Metadata>()) made->set<Attr::Metadata>(metadata);
  return made;
}

std::string_view whyNoLibraryArrays(const Instruction& dot) {
  if (!isMatrixProduct(dot)) return "it is no dot of matrices, or has more dimensions than one";
  for (const Shape shape : {dot.shape(), dot.operand(0)->shape(), dot.operand(1)->shape()}) {
    if (!isPlainArray(shape) || shape.elementCount() == 0) return "no plain arrays";
  }
  return "";
}

}  // namespace hilo
