#include "core/compiler/passes/dots/triton/swap_operands.h"

#include <algorithm>

#include "core/analysis/saturating.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/dot_dimensions.h"
#include "core/compiler/passes/dots/triton/triton_gemm.h"
#include "core/compiler/passes/gpu_config.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

constexpr int64_t kTile = 64;

int64_t rowsOf(const Instruction& dot, size_t side) {
  int64_t size = 1;
  for (const int64_t d : dotSide(dot, side).free)
    size = saturatingMultiply(size, dot.operand(side)->shape().dimension(static_cast<size_t>(d)));
  return size;
}

// Whether the kernel computes the value, and does not only read it in another order.
bool isComputed(const Instruction* value) {
  for (; value->operandCount() > 0; value = value->operand(0)) {
    switch (value->opcode()) {
      case Opcode::Bitcast:
      case Opcode::Broadcast:
      case Opcode::GetTupleElement:
      case Opcode::Reshape:
      case Opcode::Transpose:
        continue;
      default:
        return true;
    }
  }
  return false;
}

bool suitsSwapped(const Instruction& dot) {
  if (dot.operandCount() != 2 || !isPlainArray(dot.shape()) || dot.has(Attr::SparsityConfig)) return false;
  const int64_t left = rowsOf(dot, 0), right = rowsOf(dot, 1);
  return right >= kTile && (left < kTile || (!isComputed(dot.operand(0)) && isComputed(dot.operand(1))));
}

// Where dimensions of the swapped result were in the result: batch, right, left.
std::vector<int64_t> orderOf(const Instruction& dot) {
  const auto batch = static_cast<int64_t>(dotSide(dot, 0).batch.size()),
             left = static_cast<int64_t>(dotSide(dot, 0).free.size()),
             rank = static_cast<int64_t>(dot.shape().rank());
  std::vector<int64_t> order;
  for (int64_t d = 0; d < batch; ++d) order.push_back(d);
  for (int64_t d = batch + left; d < rank; ++d) order.push_back(d);
  for (int64_t d = batch; d < batch + left; ++d) order.push_back(d);
  return order;
}

// The same bytes with dimensions in another order.
Shape reordered(Shape shape, std::span<const int64_t> order) {
  std::vector<int64_t> sizes, placeOf(order.size());
  for (size_t d = 0; d < order.size(); ++d) {
    sizes.push_back(shape.dimension(static_cast<size_t>(order[d])));
    placeOf[static_cast<size_t>(order[d])] = static_cast<int64_t>(d);
  }
  Layout layout = shape.layout() == nullptr ? Layout::descending(shape.rank()) : *shape.layout();
  for (int64_t& d : layout.minorToMajor) d = placeOf[static_cast<size_t>(d)];
  return Shape::array(shape.elementType(), sizes, &layout);
}

void swapOperands(Instruction& dot) {
  Computation& computation = dot.parent();
  const DotSide left = dotSide(dot, 0), right = dotSide(dot, 1);
  Instruction* operands[] = {dot.operand(1), dot.operand(0)};
  Instruction* swapped = computation.createLike(dot, operands, &dot);
  swapped->setShape(reordered(dot.shape(), orderOf(dot)));
  setDotSide(*swapped, 0, right.batch, right.contracting);
  setDotSide(*swapped, 1, left.batch, left.contracting);
  if (const auto stated = dot.get<Attr::OperandPrecision>(); stated.size() == 2) {
    const Precision precision[] = {stated[1], stated[0]};
    swapped->set<Attr::OperandPrecision>(precision);
  }
  computation.replaceAllUses(&dot, bitcastTo(swapped, dot.shape(), dot));
  computation.remove(&dot);
}

}  // namespace

Result<bool> swapGemmOperands(Module& module, PassContext& context) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    for (Instruction* fusion : computation->instructions()) {
      if (context.cancelled()) return changed;
      if (!gpuFusionKind(*fusion).starts_with("__triton")) continue;
      Instruction* dot = dotOf(*fusion->get<Attr::Calls>());
      if (dot == nullptr || !suitsSwapped(*dot)) continue;
      if (!context.mayChange(*fusion)) return changed;
      context.remark(*fusion, "swapped",
                     fmt::format("the right side of %{} is its left one now", dot->name()));
      swapOperands(*dot);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
