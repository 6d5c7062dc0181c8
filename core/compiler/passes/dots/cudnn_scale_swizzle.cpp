#include "core/compiler/passes/dots/cudnn_scale_swizzle.h"

#include <algorithm>

#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/dots/cudnn_scaled_dot.h"
#include "core/compiler/passes/dots/cudnn_scales.h"
#include "core/compiler/passes/gpu_config.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

// The scaled dot of a fusion that cuDNN compiles; null where there is none.
Instruction* scaledDotOf(const Instruction& i) {
  if (gpuFusionKind(i) != "__cudnn$fusion") return nullptr;
  const auto& inside = i.get<Attr::Calls>()->instructions();
  const auto found = std::ranges::find(inside, Opcode::ScaledDot, &Instruction::opcode);
  return found == inside.end() ? nullptr : *found;
}

Instruction* sameBytes(Instruction* value, std::span<const int64_t> sizes, Instruction& before) {
  if (value->shape().layout() == nullptr) return reshapeTo(value, sizes, before);
  return bitcastTo(value, arrayLike(value->shape(), value->shape().elementType(), sizes), before);
}

void swizzle(Instruction& fusion, Instruction& dot, size_t side) {
  const Shape values = dot.operand(side)->shape(), scales = dot.operand(side + 2)->shape();
  const int64_t rows = roundedUp(values.dimension(values.rank() - 2), 128);
  Instruction* outside = scalesForCudnn(fusion.operand(side + 2), rows, sameBytes, fusion);
  fusion.setOperand(side + 2, outside);
  Instruction* parameter = dot.operand(side + 2);
  parameter->setShape(outside->shape());
  dot.setOperand(side + 2, scalesFromCudnn(parameter, scales.dimensions(), sameBytes, dot));
}

}  // namespace

Result<bool> swizzleCudnnScales(Module& module, PassContext& context) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    for (Instruction* fusion : computation->instructions()) {
      if (context.cancelled()) return changed;
      Instruction* dot = scaledDotOf(*fusion);
      if (dot == nullptr) continue;
      if (const auto refusal = cudnnFusionRefusal(*dot)) {
        context.remark(*fusion, "left", *refusal);
        continue;
      }
      if (!context.mayChange(*fusion)) return changed;
      for (const size_t side : {0, 1}) swizzle(*fusion, *dot, side);
      context.remark(*fusion, "swizzled", "its scales are in the order that cuDNN's kernel reads");
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
