#include "core/compiler/passes/dots/gemm_rewriter.h"

#include <algorithm>

#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/dots/dot_dimensions.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

bool isLibraryType(ElementType type) {
  switch (type) {
    case ElementType::F16:
    case ElementType::BF16:
    case ElementType::F32:
    case ElementType::F64:
    case ElementType::C64:
    case ElementType::C128:
      return true;
    default:
      return false;
  }
}

std::string quoted(std::span<const int64_t> dims) {
  std::vector<std::string> items;
  for (const int64_t d : dims) items.push_back(fmt::format("\"{}\"", d));
  return fmt::format("[{}]", fmt::join(items, ","));
}

int64_t stride(const Instruction& dot, size_t side) {
  const DotSide of = dotSide(dot, side);
  int64_t elements = 1;
  for (const auto* dims : {&of.free, &of.contracting}) {
    for (const int64_t d : *dims) elements *= dot.operand(side)->shape().dimension(static_cast<size_t>(d));
  }
  return elements;
}

std::string precisionOf(const Instruction& dot, size_t side) {
  const auto stated = dot.get<Attr::OperandPrecision>();
  const Precision precision = side < stated.size() ? stated[side] : Precision::Default;
  return precision == Precision::Highest ? "HIGHEST" : precision == Precision::High ? "HIGH" : "DEFAULT";
}

std::string configOf(const Instruction& dot) {
  const DotSide lhs = dotSide(dot, 0), rhs = dotSide(dot, 1);
  return fmt::format(
      R"({{"operation_queue_id":"0","gemm_backend_config":{{"alpha_real":1,"alpha_imag":0,"beta":0,)"
      R"("dot_dimension_numbers":{{"lhs_contracting_dimensions":{},"rhs_contracting_dimensions":{},)"
      R"("lhs_batch_dimensions":{},"rhs_batch_dimensions":{}}},"precision_config":{{"operand_precision":)"
      R"(["{}","{}"],"algorithm":"ALG_UNSET"}},"epilogue":"DEFAULT","damax_output":false,"lhs_stride":"{}",)"
      R"("rhs_stride":"{}","grad_x":false,"grad_y":false}},"force_earliest_schedule":false}})",
      quoted(lhs.contracting), quoted(rhs.contracting), quoted(lhs.batch), quoted(rhs.batch),
      precisionOf(dot, 0), precisionOf(dot, 1), stride(dot, 0), stride(dot, 1));
}

int64_t workspaceOf(const Instruction& dot, const GemmRewriterSettings& settings) {
  if (settings.cublasLt) return settings.workspaceBytes;
  return std::min(settings.workspaceBytes,
                  dot.operand(0)->shape().byteSize() + dot.operand(1)->shape().byteSize());
}

}  // namespace

std::string_view whyNoLibraryCall(const Instruction& dot) {
  if (dot.operandCount() != 2 || dot.has(Attr::SparsityConfig) || dot.has(Attr::ControlPredecessors))
    return "sparse, or ordered by control dependencies";
  const ElementType type = dot.operand(0)->shape().elementType();
  if (!isLibraryType(type) || type != dot.operand(1)->shape().elementType() ||
      type != dot.shape().elementType())
    return "no type of the library's";
  if (dot.get<Attr::Algorithm>().value_or(DotAlgorithm::Unset) != DotAlgorithm::Unset)
    return "a stated algorithm";
  if (!isCanonicalDot(dot))
    return "more than one free or contracting dimension, or batch dimensions behind others";
  for (const Shape shape : {dot.shape(), dot.operand(0)->shape(), dot.operand(1)->shape()}) {
    if (!isPlainArray(shape) || shape.elementCount() == 0) return "no plain arrays";
  }
  return "";
}

Instruction* libraryCallOf(Instruction& dot, const GemmRewriterSettings& settings) {
  Computation& computation = dot.parent();
  const std::vector<int64_t> bytes = {workspaceOf(dot, settings)};
  const std::vector<Shape> results = {dot.shape(), arrayLike(dot.shape(), ElementType::S8, bytes)};
  Instruction* call = computation.create(Opcode::CustomCall, Shape::tuple(results), dot.operands(),
                                         dot.module().uniqueName("custom-call"), &dot);
  call->set<Attr::CustomCallTarget>(settings.cublasLt ? "__cublas$lt$matmul" : "__cublas$gemm");
  call->set<Attr::BackendConfig>(configOf(dot));
  if (const OpMetadata* metadata = dot.get<Attr::Metadata>()) call->set<Attr::Metadata>(metadata);
  Instruction* result = computation.create(Opcode::GetTupleElement, dot.shape(), {call}, {}, &dot);
  result->set<Attr::Index>(0);
  return result;
}

Result<bool> rewriteGemms(Module& module, PassContext& context, const GemmRewriterSettings& settings) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    for (Instruction* dot : computation->instructions()) {
      if (context.cancelled()) return changed;
      if (dot->opcode() != Opcode::Dot) continue;
      if (const std::string_view why = whyNoLibraryCall(*dot); !why.empty()) {
        context.remark(*dot, "missed", std::string(why));
        continue;
      }
      if (!context.mayChange(*dot)) return changed;
      Instruction* result = libraryCallOf(*dot, settings);
      context.remark(*dot, "rewritten", fmt::format("is the call %{}", result->operand(0)->name()));
      computation->replaceAllUses(dot, result);
      computation->remove(dot);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
