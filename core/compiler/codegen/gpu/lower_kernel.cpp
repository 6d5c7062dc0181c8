// Instructions and fusions as one kernel of the first shape that fits, or of the one that is stated.
#include <fmt/format.h>

#include "core/analysis/gpu_kernel_choice.h"
#include "core/compiler/codegen/gpu/lowerings.h"
#include "core/compiler/codegen/lower/control_flow.h"
#include "core/compiler/codegen/lower/one_kernel.h"
#include "core/compiler/codegen/lower/real_sizes.h"
#include "core/compiler/codegen/plain/plain_codegen.h"

namespace hilo::gpu {
namespace {

using LowerShape = Result<bool> (*)(const Instruction& instruction, LoweringContext& context);

struct KernelShape {
  std::string_view name;
  LowerShape lower;
};
constexpr KernelShape kShapes[] = {
#define KERNEL_SHAPE(name, function) {name, function},
#include "core/compiler/codegen/gpu/kernel_shapes.def"
};

std::unexpected<Diagnostic> noSuchKernel(const Instruction& instruction, const GpuKernelChoice& choice) {
  return fail("no-such-kernel", fmt::format("it cannot be a kernel of the shape \"{}\"", toString(choice)),
              {.computation = std::string(instruction.parent().name()),
               .instruction = std::string(instruction.name())});
}

}  // namespace

// Arrays that are smaller than their bounds are read element by element.
Status lowerElementKernel(const Instruction& instruction, LoweringContext& context) {
  if (readsRealSizes(instruction, context)) return plain::lowerElements(instruction, context);
  const auto stated = statedGpuKernel(instruction);
  for (const KernelShape& shape : kShapes) {
    if (stated && stated->shape != shape.name) continue;
    TRY(const bool isDone, shape.lower(instruction, context));
    if (isDone) return {};
  }
  return stated ? noSuchKernel(instruction, *stated) : Status();
}

// What one kernel cannot do, or would do many times over, several do.
Status lowerFusion(const Instruction& instruction, LoweringContext& context) {
  const Computation& fused = *instruction.calledComputations()[0];
  const auto stated = statedGpuKernel(instruction);
  if (!readsRealSizes(instruction, context)) {
    for (const KernelShape& shape : kShapes) {
      if (stated && stated->shape != shape.name) continue;
      if (shape.lower == lowerVectors && !canBeOneKernel(fused)) break;
      const auto done = shape.lower(instruction, context);
      if (!done && (stated || done.error().kind != "too-large")) return std::unexpected(done.error());
      if (done && *done) return {};
    }
  }
  if (stated) return noSuchKernel(instruction, *stated);
  return lowerInline(instruction, fused, context);
}

}  // namespace hilo::gpu
