#include "core/compiler/spmd/spmd_prepare.h"

#include "core/compiler/spmd/op_factors.h"
#include "core/compiler/spmd/tiling.h"

namespace hilo {
namespace {

using Pairs = std::vector<std::pair<int64_t, int64_t>>;  // of the array and of the indices

// Dimensions along which indices count in order.
Pairs countedPairs(const Instruction& scatter) {
  Pairs pairs;
  for (const Factor& factor : scatterFactors(scatter).factors) {
    const bool isCounted = factor.kind == Factor::Kind::Pass && factor.counted >= 0;
    if (isCounted && factor.operands[1] >= 0) pairs.emplace_back(factor.operands[0], factor.operands[1]);
  }
  return pairs;
}

// Two side by side along the same dimension of indices and updates.
bool isOfTwo(const Instruction& scatter) {
  if (scatter.operandCount() != 3 || !scatter.has(Attr::Sharding)) return false;
  const Instruction *indices = scatter.operand(1), *updates = scatter.operand(2);
  const auto areTwo = [](const Instruction* i) {
    return i->opcode() == Opcode::Concatenate && i->operandCount() == 2;
  };
  if (scatter.operand(0)->opcode() != Opcode::Add || !areTwo(indices) || !areTwo(updates) ||
      plainCombiner(scatter.get<Attr::ToApply>()) != Opcode::Add)
    return false;
  const int64_t along = indices->dimensions()[0], vector = scatter.get<Attr::IndexVectorDim>().value_or(0);
  if (along == vector) return false;
  const auto window = scatter.get<Attr::UpdateWindowDims>();
  int64_t place = along - (vector < along ? 1 : 0);
  for (int64_t d = 0; d < static_cast<int64_t>(updates->shape().rank()); ++d) {
    if (std::ranges::find(window, d) != window.end()) continue;
    if (place-- == 0) return updates->dimensions()[0] == d;
  }
  return false;
}

bool isCut(const Instruction* array, int64_t dimension) {
  const Sharding* sharding = array->get<Attr::Sharding>();
  if (sharding == nullptr) return false;
  const auto tiling = tilingOf(*sharding, array->shape(), array->module().partitionCount(), *array);
  return tiling && tiling->tiles[static_cast<size_t>(dimension)] > 1;
}

Instruction* halfOf(Instruction& scatter, Instruction* array, size_t half) {
  std::vector<Instruction*> operands = {array, scatter.operand(1)->operand(half),
                                        scatter.operand(2)->operand(half)};
  Instruction* made = scatter.parent().createLike(scatter, operands, &scatter);
  made->erase(Attr::IndicesAreSorted);
  made->erase(Attr::UniqueIndices);
  return made;
}

bool takeApart(Instruction& scatter) {
  if (!isOfTwo(scatter) || !countedPairs(scatter).empty()) return false;
  Instruction* first = halfOf(scatter, scatter.operand(0), 0);
  Instruction* second = halfOf(scatter, first, 1);
  const Pairs pairs = countedPairs(*first);
  const auto isWorth = [&](const std::pair<int64_t, int64_t>& pair) {
    return isCut(scatter.operand(0)->operand(0), pair.first) && isCut(first->operand(1), pair.second);
  };
  if (pairs != countedPairs(*second) || !std::ranges::any_of(pairs, isWorth)) {
    scatter.parent().removeAll(std::vector{second, first});
    return false;
  }
  scatter.parent().replaceAllUses(&scatter, second);
  if (scatter.isRoot()) scatter.parent().setRoot(second);
  return true;
}

}  // namespace

Result<bool> prepareForPartitioning(Module& module, PassContext& context) {
  bool changed = false;
  for (Computation* computation : module.computations()) {
    std::vector<Instruction*> scatters;
    for (Instruction* i : computation->instructions()) {
      if (i->opcode() == Opcode::Scatter) scatters.push_back(i);
    }
    for (Instruction* scatter : scatters) {
      if (!takeApart(*scatter)) continue;
      context.remark(*scatter, "taken-apart", "each half picks in order along a dimension that is cut");
      computation->removeAll(std::vector{scatter});
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
