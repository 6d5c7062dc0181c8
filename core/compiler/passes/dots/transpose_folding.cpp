#include "core/compiler/passes/dots/transpose_folding.h"

#include <algorithm>

#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/dot_dimensions.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

std::vector<int64_t> mapped(std::span<const int64_t> dims, std::span<const int64_t> permutation) {
  std::vector<int64_t> before;
  for (const int64_t d : dims) before.push_back(permutation[static_cast<size_t>(d)]);
  return before;
}

bool isFoldable(const Instruction& operand) {
  return operand.opcode() == Opcode::Transpose && isPlainArray(operand.operand(0)->shape()) &&
         !std::ranges::is_sorted(operand.dimensions());
}

bool foldSide(Instruction& dot, size_t side, const TransposeFoldingSettings& settings, PassContext& context) {
  Instruction& transpose = *dot.operand(side);
  if (!isFoldable(transpose)) return false;
  const DotSide of = dotSide(dot, side);
  // Batch dimensions lead, as libraries have them.
  const std::vector<int64_t> batch = mapped(of.batch, transpose.dimensions());
  if (batch != of.batch && !settings.moveBatchDims) {
    context.remark(transpose, "missed",
                   fmt::format("%{} has its batch dimensions elsewhere before it", dot.name()));
    return false;
  }
  if (!std::ranges::is_sorted(mapped(of.free, transpose.dimensions()))) return false;
  if (!context.mayChange(dot)) return false;
  setDotSide(dot, side, batch, mapped(of.contracting, transpose.dimensions()));
  dot.setOperand(side, transpose.operand(0));
  context.remark(transpose, "folded", fmt::format("into %{}", dot.name()));
  return true;
}

bool foldIntoConvolution(Instruction& convolution, size_t side, PassContext& context) {
  Instruction& transpose = *convolution.operand(side);
  const ConvolutionDimensionNumbers* stated = convolution.get<Attr::DimLabels>();
  if (!isFoldable(transpose) || stated == nullptr || !context.mayChange(convolution)) return false;
  const auto at = [&](int64_t d) { return transpose.dimensions()[static_cast<size_t>(d)]; };
  ConvolutionDimensionNumbers numbers = *stated;
  const std::vector<int64_t> spatial =
      mapped(side == 0 ? numbers.inputSpatial : numbers.kernelSpatial, transpose.dimensions());
  if (side == 0) {
    numbers.inputBatch = at(numbers.inputBatch);
    numbers.inputFeature = at(numbers.inputFeature);
    numbers.inputSpatial = spatial;
  } else {
    numbers.kernelInputFeature = at(numbers.kernelInputFeature);
    numbers.kernelOutputFeature = at(numbers.kernelOutputFeature);
    numbers.kernelSpatial = spatial;
  }
  convolution.set<Attr::DimLabels>(&numbers);
  convolution.setOperand(side, transpose.operand(0));
  context.remark(transpose, "folded", fmt::format("into %{}", convolution.name()));
  return true;
}

bool foldOperand(Instruction& i, size_t side, const TransposeFoldingSettings& settings,
                 PassContext& context) {
  if (i.opcode() == Opcode::Convolution) return foldIntoConvolution(i, side, context);
  return i.opcode() == Opcode::Dot && settings.foldDots && foldSide(i, side, settings, context);
}

}  // namespace

Result<bool> foldTransposes(Module& module, PassContext& context, const TransposeFoldingSettings& settings) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    for (Instruction* i : computation->instructions()) {
      if (context.cancelled() || context.fuel().isSpent()) return changed;
      if (i->operandCount() != 2) continue;
      for (size_t side = 0; side < 2; ++side) changed |= foldOperand(*i, side, settings, context);
    }
  }
  return changed;
}

}  // namespace hilo
