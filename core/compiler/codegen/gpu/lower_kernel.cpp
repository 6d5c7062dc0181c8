// Instructions and fusions as one kernel of the first shape that fits.
#include "core/compiler/codegen/gpu/lowerings.h"
#include "core/compiler/codegen/lower/control_flow.h"
#include "core/compiler/codegen/lower/one_kernel.h"
#include "core/compiler/codegen/lower/real_sizes.h"
#include "core/compiler/codegen/plain/plain_codegen.h"

namespace hilo::gpu {
namespace {

using LowerShape = Result<bool> (*)(const Instruction& instruction, LoweringContext& context);

constexpr LowerShape kShapes[] = {
#define KERNEL_SHAPE(name, function) function,
#include "core/compiler/codegen/gpu/kernel_shapes.def"
};

}  // namespace

// Arrays that are smaller than their bounds are read element by element.
Status lowerElementKernel(const Instruction& instruction, LoweringContext& context) {
  if (readsRealSizes(instruction, context)) return plain::lowerElements(instruction, context);
  for (const LowerShape lower : kShapes) {
    TRY(const bool isDone, lower(instruction, context));
    if (isDone) break;
  }
  return {};
}

// What one kernel cannot do, or would do many times over, several do.
Status lowerFusion(const Instruction& instruction, LoweringContext& context) {
  const Computation& fused = *instruction.calledComputations()[0];
  if (!readsRealSizes(instruction, context)) {
    for (const LowerShape lower : kShapes) {
      if (lower == lowerVectors && !canBeOneKernel(fused)) break;
      const auto done = lower(instruction, context);
      if (!done && done.error().kind != "too-large") return std::unexpected(done.error());
      if (done && *done) return {};
    }
  }
  return lowerInline(instruction, fused, context);
}

}  // namespace hilo::gpu
