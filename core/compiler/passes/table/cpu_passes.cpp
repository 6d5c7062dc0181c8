#include "core/compiler/passes/table/cpu_passes.h"

#include "core/compiler/codegen/cpu/choices/cpu_costs.h"
#include "core/compiler/codegen/cpu/choices/cpu_layouts.h"
#include "core/compiler/passes/fusion/loop_fusion.h"
#include "core/compiler/passes/fusion/reduction_splitter.h"
#include "core/compiler/passes/layout/layout_assignment.h"

namespace hilo {

Result<bool> assignLayoutsForCpu(Module& module, PassContext& context) {
  return assignLayouts(module, context, cpuLayouts());
}

Result<bool> fuseLoopsForCpu(Module& module, PassContext& context) {
  return fuseLoops(module, context, cpuCosts());
}

Result<bool> splitReductionsForCpu(Module& module, PassContext& context) {
  return splitReductions(module, context, cpuCosts());
}

}  // namespace hilo
