#include "core/compiler/passes/dots/transpose_folding.h"

#include <algorithm>

#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/dots/dot_dimensions.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

std::vector<int64_t> mapped(std::span<const int64_t> dims, std::span<const int64_t> permutation) {
  std::vector<int64_t> before;
  for (const int64_t d : dims) before.push_back(permutation[static_cast<size_t>(d)]);
  return before;
}

bool foldSide(Instruction& dot, size_t side, PassContext& context) {
  Instruction& transpose = *dot.operand(side);
  if (transpose.opcode() != Opcode::Transpose || !isPlainArray(transpose.operand(0)->shape()) ||
      std::ranges::is_sorted(transpose.dimensions()))
    return false;
  const DotSide of = dotSide(dot, side);
  // Batch dimensions lead, as libraries have them.
  const std::vector<int64_t> batch = mapped(of.batch, transpose.dimensions());
  if (batch != of.batch) {
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

}  // namespace

Result<bool> foldTransposes(Module& module, PassContext& context, const TransposeFoldingSettings& settings) {
  bool changed = false;
  if (!settings.foldDots) return changed;
  for (Computation* computation : unfusedComputations(module)) {
    for (Instruction* dot : computation->instructions()) {
      if (context.cancelled() || context.fuel().isSpent()) return changed;
      if (dot->opcode() != Opcode::Dot || dot->operandCount() != 2) continue;
      for (size_t side = 0; side < 2; ++side) changed |= foldSide(*dot, side, context);
    }
  }
  return changed;
}

}  // namespace hilo
