#include "core/compiler/passes/dots/gemm_rewriter.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>

#include "core/analysis/saturating.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/dot_dimensions.h"
#include "core/compiler/passes/dots/f8_gemm.h"
#include "core/compiler/passes/dots/gemm_epilogues.h"
#include "core/compiler/passes/dots/gemm_workspace.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

// What cuBLASLt multiplies, of operands of one type.
bool isLibraryProduct(ElementType operands, ElementType result) {
  switch (operands) {
    case ElementType::F16:
    case ElementType::BF16:
      return result == operands || result == ElementType::F32;
    case ElementType::F32:
    case ElementType::F64:
    case ElementType::C64:
    case ElementType::C128:
      return result == operands;
    case ElementType::S8:
      return result == ElementType::S32 || result == ElementType::F32;
    default:
      return false;
  }
}

// XLA's rule for what its own emitters compute as well: no integers, no wide or complex numbers.
bool isSmall(const Instruction& dot, int64_t smallest) {
  const ElementType type = dot.shape().elementType();
  if (type != ElementType::F16 && type != ElementType::BF16 && type != ElementType::F32) return false;
  std::array<int64_t, 2> free = {1, 1};
  for (size_t side = 0; side < 2; ++side) {
    for (const int64_t d : dotSide(dot, side).free)
      free[side] =
          saturatingMultiply(free[side], dot.operand(side)->shape().dimension(static_cast<size_t>(d)));
  }
  const int64_t summed =
      dot.operand(0)->shape().dimension(static_cast<size_t>(dotSide(dot, 0).contracting[0]));
  return saturatingMultiply(saturatingAdd(free[0], free[1]), summed) < smallest;
}

std::string_view whyNot(const Instruction& dot, const GemmRewriterSettings& settings) {
  const std::string_view why = whyNoLibraryCall(dot);
  return why.empty() && isSmall(dot, settings.smallest) ? "small" : why;
}

// Without what instructions apply to elements, which is part of their kernels.
std::vector<Computation*> computationsOfKernels(Module& module) {
  absl::flat_hash_set<const Computation*> applied;
  for (const Computation* computation : module.computations()) {
    for (const Instruction* i : computation->instructions()) {
      if (i->opcode() != Opcode::Call && i->has(Attr::ToApply)) applied.insert(i->get<Attr::ToApply>());
    }
  }
  std::vector<Computation*> computations = unfusedComputations(module);
  std::erase_if(computations, [&](const Computation* c) { return applied.contains(c); });
  return computations;
}

std::vector<Instruction*> dotsOf(const Computation& computation) {
  std::vector<Instruction*> dots;
  for (Instruction* i : computation.instructions()) {
    if (i->opcode() == Opcode::Dot) dots.push_back(i);
  }
  return dots;
}

int64_t workspaceOf(const Instruction& dot, const GemmRewriterSettings& settings) {
  if (settings.cublasLt) return settings.workspaceBytes;
  return std::min(settings.workspaceBytes,
                  dot.operand(0)->shape().byteSize() + dot.operand(1)->shape().byteSize());
}

GemmCall callOf(const Instruction& dot, const GemmRewriterSettings& settings) {
  return {.target = settings.cublasLt ? "__cublas$lt$matmul" : "__cublas$gemm",
          .operands = {dot.operands().begin(), dot.operands().end()},
          .results = {dot.shape()},
          .workspaceBytes = workspaceOf(dot, settings),
          .config = gemmConfigOf(dot)};
}

// Where the dot says that it multiplies its numbers as bf16: of such numbers.
void stateTypes(Instruction& dot) {
  if (!dot.has(Attr::Algorithm)) return;
  for (size_t side = 0; side < 2; ++side)
    dot.setOperand(side, convertTo(dot.operand(side), ElementType::BF16, dot));
  dot.erase(Attr::Algorithm);
}

// The dimensions with the leading `count` made one.
std::vector<int64_t> leadingAsOne(Shape shape, size_t count) {
  std::vector<int64_t> sizes = {1};
  for (size_t d = 0; d < shape.rank(); ++d) {
    if (d < count) sizes[0] *= shape.dimension(d);
    if (d >= count) sizes.push_back(shape.dimension(d));
  }
  return sizes;
}

// The library counts batches in one dimension: `dot`, or a dot in its place whose several are one.
Instruction* withOneBatchDimension(Instruction& dot) {
  const size_t batches = dotSide(dot, 0).batch.size();
  const bool isDense = liesRowMajor(dot.shape()) && liesRowMajor(dot.operand(0)->shape()) &&
                       liesRowMajor(dot.operand(1)->shape());
  if (batches < 2 || !isDense) return &dot;
  std::array<Instruction*, 2> operands;
  for (size_t side = 0; side < 2; ++side)
    operands[side] = reshapeTo(dot.operand(side), leadingAsOne(dot.operand(side)->shape(), batches), dot);
  Instruction* made = dot.parent().createLike(dot, operands, &dot);
  made->setShape(arrayLike(dot.shape(), dot.shape().elementType(), leadingAsOne(dot.shape(), batches)));
  for (size_t side = 0; side < 2; ++side) {
    const std::array contracting = {dotSide(dot, side).contracting[0] - static_cast<int64_t>(batches) + 1};
    setDotSide(*made, side, std::array<int64_t, 1>{0}, contracting);
  }
  dot.parent().replaceAllUses(&dot, reshapedAs(made, dot.shape(), dot));
  dot.parent().remove(&dot);
  return made;
}

bool rewriteDot(Instruction& stated, const GemmRewriterSettings& settings, GemmCalls& calls,
                PassContext& context) {
  const std::string_view why = whyNot(stated, settings);
  if (!why.empty()) context.remark(stated, "missed", std::string(why));
  if (!why.empty() || !context.mayChange(stated)) return false;
  Instruction* dot = withOneBatchDimension(stated);
  stateTypes(*dot);
  const GemmCall call = callOf(*dot, settings);
  Instruction* made = makeGemmCall(call, *dot, *dot);
  context.remark(*dot, "rewritten", fmt::format("is the call %{}", made->name()));
  dot->parent().replaceAllUses(dot, elementOfTuple(made, 0, *dot));
  dot->parent().remove(dot);
  calls.emplace(made, call);
  return true;
}

bool rewriteF8Dot(Instruction& dot, const GemmRewriterSettings& settings, GemmCalls& calls,
                  PassContext& context) {
  const F8Target target{.capability = settings.capability, .workspaceBytes = settings.workspaceBytes};
  const std::string_view why = whyNoF8Call(dot, target);
  const bool isWidened = !why.empty() && dot.operandCount() == 2 &&
                         isF8(dot.operand(0)->shape().elementType()) &&
                         isF8(dot.operand(1)->shape().elementType());
  if (!why.empty()) context.remark(dot, "missed", std::string(why));
  if ((why.empty() && isSmall(dot, settings.smallest)) || (!why.empty() && !isWidened) ||
      !context.mayChange(dot))
    return false;
  if (isWidened) {
    widenF8Operands(dot);
  } else {
    context.remark(dot, "rewritten", "is a call of 8 bit floats");
    replaceByF8Call(*withOneBatchDimension(dot), target, calls);
  }
  return true;
}

}  // namespace

std::string_view whyNoLibraryCall(const Instruction& dot) {
  if (dot.operandCount() != 2 || dot.has(Attr::SparsityConfig) || dot.has(Attr::ControlPredecessors))
    return "sparse, or ordered by control dependencies";
  const ElementType type = dot.operand(0)->shape().elementType();
  if (type != dot.operand(1)->shape().elementType() || !isLibraryProduct(type, dot.shape().elementType()))
    return "no type of the library's";
  const DotAlgorithm algorithm = dot.get<Attr::Algorithm>().value_or(DotAlgorithm::Unset);
  if (algorithm != DotAlgorithm::Unset &&
      !(algorithm == DotAlgorithm::BF16BF16F32 && type == ElementType::F32))
    return "a stated algorithm";
  return whyNoLibraryArrays(dot);
}

Instruction* libraryCallOf(Instruction& dot, const GemmRewriterSettings& settings) {
  stateTypes(dot);
  const GemmCall call = callOf(dot, settings);
  return elementOfTuple(makeGemmCall(call, dot, dot), 0, dot);
}

Result<bool> rewriteGemms(Module& module, PassContext& context, const GemmRewriterSettings& settings) {
  bool changed = false;
  for (Computation* computation : computationsOfKernels(module)) {
    GemmCalls calls;
    for (Instruction* dot : dotsOf(*computation)) {
      if (context.cancelled()) return changed;
      const bool isDone = settings.isF8 ? rewriteF8Dot(*dot, settings, calls, context)
                                        : rewriteDot(*dot, settings, calls, context);
      changed = isDone || changed;
    }
    if (settings.cublasLt && fuseGemmEpilogues(*computation, calls, settings.fusesBias, context))
      changed = true;
    if (addGemmWorkspaces(*computation, settings.workspaceBytes, context)) changed = true;
  }
  return changed;
}

}  // namespace hilo
