#include "core/compiler/passes/collectives/kernel_strategy.h"

#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/collectives/collective_match.h"
#include "core/compiler/passes/gpu_config.h"

namespace hilo {
namespace {

constexpr int64_t kMostOneShot = 256 << 10, kMostTwoShot = 4 << 20, kMostDevices = 8;
constexpr int64_t kTransactionBytes = 16;

bool hasKernel(ElementType type, Opcode combiner) {
  if (type == ElementType::Pred) return combiner == Opcode::Or || combiner == Opcode::Maximum;
  return combiner == Opcode::Add && (type == ElementType::F32 || type == ElementType::BF16);
}

bool isGathered(ElementType type) {
  switch (type) {
    case ElementType::Pred:
    case ElementType::S8:
    case ElementType::S16:
    case ElementType::S32:
    case ElementType::S64:
    case ElementType::F16:
    case ElementType::BF16:
    case ElementType::F32:
    case ElementType::F64:
      return true;
    default:
      return false;
  }
}

bool hasWrittenGroups(const Instruction& collective) {
  const ReplicaGroups* groups = collective.get<Attr::ReplicaGroups>();
  return groups != nullptr && !expandReplicaGroups(*groups).empty();
}

bool isPowerOfTwo(std::optional<int64_t> size) { return size && *size >= 1 && (*size & (*size - 1)) == 0; }

std::string_view whyLibraryGathers(const Instruction& gather) {
  if (!isGathered(gather.shape().elementType())) return "no kernel for this type";
  if (!hasWrittenGroups(gather)) return "groups are not written out";
  if (!isPowerOfTwo(groupSizeOf(gather))) return "groups are of different sizes, or of no power of two";
  const bool isWhole = gather.operand(0)->shape().byteSize() % kTransactionBytes == 0;
  return isWhole ? "" : "no whole transactions of 16 bytes";
}

// Why a library does it; "" where a kernel does.
std::string_view whyLibrary(const Instruction& reduction) {
  if (reduction.operandCount() != 1 || !reduction.shape().isArray()) return "several arrays";
  if (reduction.opcode() == Opcode::AllGather) return whyLibraryGathers(reduction);
  const auto combiner = combinerOf(reduction);
  if (!combiner || !hasKernel(reduction.shape().elementType(), *combiner))
    return "no kernel for this type and combination";
  if (!hasWrittenGroups(reduction)) return "groups are not written out";
  const auto size = groupSizeOf(reduction);
  if (!isPowerOfTwo(size) || *size > kMostDevices)
    return "groups are of different sizes, or of no 2, 4 or 8 devices";
  return reduction.shape().byteSize() > kMostTwoShot ? "too large" : "";
}

}  // namespace

Result<bool> annotateCollectiveKernels(Module& module, PassContext& context,
                                       const CollectiveKernels& kernels) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    for (Instruction* i : computation->instructions()) {
      if (context.cancelled()) return changed;
      if (i->opcode() != Opcode::AllReduce && !(kernels.gathers && i->opcode() == Opcode::AllGather))
        continue;
      if (const std::string_view why = whyLibrary(*i); !why.empty()) {
        context.remark(*i, "missed", std::string(why));
        continue;
      }
      if (!context.mayChange(*i)) return changed;
      const bool isOneShot = i->opcode() == Opcode::AllGather || i->shape().byteSize() <= kMostOneShot;
      const std::string_view strategy =
          isOneShot ? R"("KERNEL_STRATEGY_TRITON_ONE_SHOT")" : R"("KERNEL_STRATEGY_TRITON_TWO_SHOT")";
      changed |= setGpuConfig(*i, "collective_backend_config", "kernel_strategy", strategy);
    }
  }
  return changed;
}

}  // namespace hilo
