#include "core/compiler/passes/fusion/block_level_rewriter.h"

#include <algorithm>

#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/fusion/block_tiles.h"
#include "core/compiler/passes/fusion/triton_support.h"
#include "core/compiler/passes/gpu_config.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

// Which dimension of the operand each of the result is, where neighbours that stay together are one and those
// of size 1 are left out.
std::vector<int64_t> mergedPermutation(const Instruction& transpose) {
  const Shape from = transpose.operand(0)->shape();
  std::vector<int64_t> left(from.rank(), -1);  // by dimension: its number among those that are left
  int64_t count = 0;
  for (size_t d = 0; d < from.rank(); ++d) {
    if (from.dimension(d) != 1) left[d] = count++;
  }
  std::vector<int64_t> firsts, last;  // of each run of neighbours, in the result's order
  for (const int64_t d : transpose.dimensions()) {
    const int64_t at = left[static_cast<size_t>(d)];
    if (at < 0) continue;
    if (!last.empty() && last.back() + 1 == at) {
      last.back() = at;
    } else {
      firsts.push_back(at);
      last.push_back(at);
    }
  }
  std::vector<int64_t> permutation;
  for (const int64_t first : firsts)
    permutation.push_back(std::ranges::count_if(firsts, [first](int64_t other) { return other < first; }));
  return permutation;
}

bool isPowerOfTwo(int64_t size) { return size > 0 && (size & (size - 1)) == 0; }

// The innermost dimension changes places with one that is at least two further out.
bool isSlowTranspose(const Instruction& fusion) {
  const Instruction& root = *fusion.get<Attr::Calls>()->root();
  if (fusion.get<Attr::FusionKindKind>() != FusionKind::Loop || root.opcode() != Opcode::Transpose ||
      !liesRowMajor(root.shape()) || !liesRowMajor(root.operand(0)->shape()))
    return false;
  const std::vector<int64_t> permutation = mergedPermutation(root);
  const auto rank = static_cast<int64_t>(permutation.size());
  if (rank < 3 || permutation.back() >= rank - 2 ||
      permutation[static_cast<size_t>(permutation.back())] != rank - 1)
    return false;
  const Instruction& value = *root.operand(0);
  if (value.opcode() == Opcode::Parameter) return true;
  return value.opcode() == Opcode::Bitcast && value.operand(0)->opcode() == Opcode::Parameter &&
         value.shape().rank() > 0 && isPowerOfTwo(value.shape().dimension(value.shape().rank() - 1));
}

bool isIntegerReduction(const Instruction& fusion) {
  const Instruction& root = *fusion.get<Attr::Calls>()->root();
  return root.opcode() == Opcode::Reduce && root.shape().isArray() &&
         root.shape().elementType() == ElementType::S32;
}

bool hasDot(const Computation& computation) {
  return std::ranges::any_of(computation.instructions(), [](const Instruction* i) {
    return i->opcode() == Opcode::Dot || i->opcode() == Opcode::ScaledDot;
  });
}

bool resultsAreAlike(const Instruction& fusion) {
  const Shape shape = fusion.shape();
  if (!shape.isTuple()) return true;
  const auto shapes = shape.tupleShapes();
  return !shapes.empty() && std::ranges::all_of(shapes, [&](const Shape each) {
    return each.isArray() && shapes[0].isArray() &&
           std::ranges::equal(each.dimensions(), shapes[0].dimensions());
  });
}

bool isWanted(const Instruction& i, const BlockLevelFusions& which) {
  if (i.opcode() != Opcode::Fusion || !gpuFusionKind(i).empty() || hasDot(*i.get<Attr::Calls>()))
    return false;
  if (i.shape().isTuple() && !(which.severalResults && resultsAreAlike(i))) return false;
  return which.all || isSlowTranspose(i) || isIntegerReduction(i);
}

}  // namespace

Result<bool> rewriteToBlockLevel(Module& module, PassContext& context, const BlockLevelFusions& which) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    for (Instruction* i : computation->instructions()) {
      if (context.cancelled()) return changed;
      if (!isWanted(*i, which)) continue;
      if (const auto refusal = tritonRefusal(*i->get<Attr::Calls>(), which.capability)) {
        context.remark(*i, "missed", *refusal);
        continue;
      }
      const auto tiles = quickestTiles(*i, which);
      if (!tiles) {
        context.remark(*i, "missed", tiles.error().message);
        continue;
      }
      if (!context.mayChange(*i)) return changed;
      setBlockTiles(*i, *tiles);
      context.remark(*i, "rewritten", "kernel of tiles");
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
