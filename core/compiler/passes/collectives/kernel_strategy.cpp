#include "core/compiler/passes/collectives/kernel_strategy.h"

#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/collectives/collective_match.h"
#include "core/compiler/passes/gpu_config.h"

namespace hilo {
namespace {

constexpr int64_t kMostOneShot = 256 << 10, kMostTwoShot = 4 << 20, kMostDevices = 8;

bool hasKernel(ElementType type, Opcode combiner) {
  if (type == ElementType::Pred) return combiner == Opcode::Or || combiner == Opcode::Maximum;
  return combiner == Opcode::Add && (type == ElementType::F32 || type == ElementType::BF16);
}

// Why a library does it; "" where a kernel does.
std::string_view whyLibrary(const Instruction& reduction) {
  if (reduction.operandCount() != 1 || !reduction.shape().isArray()) return "several arrays";
  const auto combiner = combinerOf(reduction);
  if (!combiner || !hasKernel(reduction.shape().elementType(), *combiner))
    return "no kernel for this type and combination";
  const ReplicaGroups* groups = reduction.get<Attr::ReplicaGroups>();
  if (groups == nullptr || expandReplicaGroups(*groups).empty()) return "groups are not written out";
  const auto size = groupSizeOf(reduction);
  if (!size || *size < 1 || *size > kMostDevices || (*size & (*size - 1)) != 0)
    return "groups are of different sizes, or of no 2, 4 or 8 devices";
  return reduction.shape().byteSize() > kMostTwoShot ? "too large" : "";
}

}  // namespace

Result<bool> annotateCollectiveKernels(Module& module, PassContext& context) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    for (Instruction* i : computation->instructions()) {
      if (context.cancelled()) return changed;
      if (i->opcode() != Opcode::AllReduce) continue;
      if (const std::string_view why = whyLibrary(*i); !why.empty()) {
        context.remark(*i, "missed", std::string(why));
        continue;
      }
      if (!context.mayChange(*i)) return changed;
      const std::string_view strategy = i->shape().byteSize() <= kMostOneShot
                                            ? R"("KERNEL_STRATEGY_TRITON_ONE_SHOT")"
                                            : R"("KERNEL_STRATEGY_TRITON_TWO_SHOT")";
      changed |= setGpuConfig(*i, "collective_backend_config", "kernel_strategy", strategy);
    }
  }
  return changed;
}

}  // namespace hilo
