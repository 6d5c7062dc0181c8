#include "core/compiler/passes/layout/reshape_decomposer.h"

#include <algorithm>

#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

// Sizes from major to minor without those of 1, each with the dimension it is.
std::vector<std::pair<int64_t, int64_t>> majorToMinor(Shape shape) {
  std::vector<std::pair<int64_t, int64_t>> dims;
  for (size_t i = shape.rank(); i-- > 0;) {
    const int64_t d = shape.layout()->minorToMajor[i];
    if (shape.dimension(static_cast<size_t>(d)) != 1)
      dims.emplace_back(d, shape.dimension(static_cast<size_t>(d)));
  }
  return dims;
}

bool liesInOrder(Shape shape) { return std::ranges::is_sorted(majorToMinor(shape)); }

bool hasLayouts(const Instruction& i) {
  return isPlainArray(i.shape()) && isPlainArray(i.operand(0)->shape()) && i.shape().layout() != nullptr &&
         i.operand(0)->shape().layout() != nullptr;
}

bool isBitcastTranspose(const Instruction& transpose) {
  const auto from = majorToMinor(transpose.operand(0)->shape());
  auto to = majorToMinor(transpose.shape());
  for (auto& [dimension, size] : to) dimension = transpose.dimensions()[static_cast<size_t>(dimension)];
  return from == to;
}

Instruction* decomposed(Instruction& i) {
  if (i.opcode() == Opcode::Transpose)
    return isBitcastTranspose(i) ? bitcastTo(i.operand(0), i.shape(), i) : nullptr;
  Instruction* from = i.operand(0);
  if (!liesInOrder(from->shape()) && !(majorToMinor(from->shape()) == majorToMinor(i.shape())))
    from = i.parent().create(Opcode::Copy, from->shape().withoutLayout().withDefaultLayout(), {from}, {}, &i);
  Instruction* to = bitcastTo(from, i.shape(), i);
  if (liesInOrder(i.shape()) || majorToMinor(from->shape()) == majorToMinor(i.shape())) return to;
  to = bitcastTo(from, i.shape().withoutLayout().withDefaultLayout(), i);
  return i.parent().create(Opcode::Copy, i.shape(), {to}, {}, &i);
}

}  // namespace

Result<bool> decomposeReshapes(Module& module, PassContext& context) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    for (Instruction* i : computation->instructions()) {
      if (context.cancelled()) return changed;
      if (i->opcode() != Opcode::Reshape && i->opcode() != Opcode::Transpose) continue;
      if (!hasLayouts(*i) || i->has(Attr::ControlPredecessors)) continue;
      if (i->opcode() == Opcode::Transpose && !isBitcastTranspose(*i)) continue;
      if (!context.mayChange(*i)) return changed;
      computation->replaceAllUses(i, decomposed(*i));
      computation->remove(i);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
