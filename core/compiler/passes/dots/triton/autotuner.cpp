#include "core/compiler/passes/dots/triton/autotuner.h"

#include <algorithm>
#include <bit>

#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/dot_dimensions.h"
#include "core/compiler/passes/dots/gemm_call.h"
#include "core/compiler/passes/dots/gemm_rewriter.h"
#include "core/compiler/passes/dots/triton/triton_gemm.h"
#include "core/compiler/passes/fusion/fusion_cost.h"
#include "core/compiler/passes/gpu_config.h"
#include "core/compiler/passes/simplify/call_inliner.h"

namespace hilo {
namespace {

struct GemmTimes {
  double libraryNs = 0, tilesNs = 0;
};

double bytesOf(const Instruction& i) { return static_cast<double>(i.shape().byteSize()); }

// Work around the dot costs the library a launch, and memory that is written and read once more.
GemmTimes estimated(const Instruction& dot, const AutotunerSettings& settings) {
  const auto bandwidth = static_cast<double>(settings.memoryBandwidthGbps);  // bytes a nanosecond
  const double contracted = static_cast<double>(
      dot.operand(0)->shape().dimension(static_cast<size_t>(dotSide(dot, 0).contracting[0])));
  const double operations = 2 * contracted * static_cast<double>(dot.shape().elementCount());
  const double memoryNs = (bytesOf(dot) + bytesOf(*dot.operand(0)) + bytesOf(*dot.operand(1))) / bandwidth;
  const double computeNs = operations / static_cast<double>(settings.gflops);
  GemmTimes times{
      .libraryNs = std::max(memoryNs, computeNs),
      .tilesNs = std::max(memoryNs, computeNs * 100 / static_cast<double>(settings.tritonPercent))};
  bool hasOther = false;
  for (const Instruction* i : dot.parent().instructions()) {
    if (i == &dot || i->opcode() == Opcode::Parameter || i->opcode() == Opcode::Bitcast) continue;
    hasOther = true;
    times.libraryNs += 2 * bytesOf(*i) / bandwidth;
  }
  if (hasOther) times.libraryNs += kLaunchNs;
  return times;
}

int64_t tileOf(int64_t size) {
  return std::clamp<int64_t>(static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(size))), 16, 128);
}

int64_t freeSize(const Instruction& dot, size_t side) {
  return dot.operand(side)->shape().dimension(static_cast<size_t>(dotSide(dot, side).free[0]));
}

std::string tilesConfig(const Instruction& dot) {
  const int64_t m = tileOf(freeSize(dot, 0)), n = tileOf(freeSize(dot, 1));
  const int64_t k = elementBits(dot.operand(0)->shape().elementType()) > 16 ? 32 : 64;
  return fmt::format(
      R"({{"fusion_backend_config":{{"kind":"__triton_gemm","triton_gemm_config":{{"block_m":"{}","block_n":"{}",)"
      R"("block_k":"{}","num_stages":"3","num_warps":"{}","num_ctas":"1"}}}}}})",
      m, n, k, m * n >= 128 * 128 ? 8 : 4);
}

// The dot outside again, as a call of the library.
void callLibrary(Instruction& fusion, const AutotunerSettings& settings) {
  Computation& computation = fusion.parent();
  const Instruction* before = fusion.previous();
  inlineCall(fusion);
  Instruction* i = before == nullptr ? computation.first() : before->next();
  while (i->opcode() != Opcode::Dot) i = i->next();
  Instruction* result = libraryCallOf(*i, {.cublasLt = settings.cublasLt});
  computation.replaceAllUses(i, result);
  computation.remove(i);
}

constexpr std::string_view kGemmConfig = "gemm_backend_config";

bool wantsAlgorithm(const Instruction& i) {
  if (i.opcode() != Opcode::CustomCall) return false;
  const std::string_view target = i.get<Attr::CustomCallTarget>();
  return (target == "__cublas$lt$matmul" || target == kF8Gemm) &&
         i.get<Attr::BackendConfig>().contains(kGemmConfig) &&
         gpuConfig(i, kGemmConfig, "selected_algorithm").empty();
}

// The first of the library's list, with the workspace that the call has: its last result.
bool takeFirstAlgorithm(Instruction& call) {
  const int64_t workspace = call.shape().isTuple() ? call.shape().tupleShapes().back().byteSize() : 0;
  return setGpuConfig(call, kGemmConfig, "selected_algorithm", "\"0\"") &&
         setGpuConfig(call, kGemmConfig, "autotune_workspace_size", fmt::format("\"{}\"", workspace));
}

// False: there was nothing to do, or nothing more may be done.
bool chooseAlgorithms(Computation& computation, PassContext& context) {
  bool changed = false;
  for (Instruction* i : computation.instructions()) {
    if (context.cancelled()) return changed;
    if (!wantsAlgorithm(*i)) continue;
    if (!context.mayChange(*i)) return changed;
    if (!takeFirstAlgorithm(*i)) continue;
    context.remark(*i, "chosen", "the first algorithm of the library; XLA measures them on a device");
    changed = true;
  }
  return changed;
}

bool wantsChoice(const Instruction& i) {
  return gpuFusionKind(i) == "__triton_gemm" &&
         i.get<Attr::BackendConfig>().find("triton_gemm_config") == std::string_view::npos;
}

}  // namespace

Result<bool> chooseGemmKernels(Module& module, PassContext& context, const AutotunerSettings& settings) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    std::vector<Instruction*> fusions;
    for (Instruction* i : computation->instructions()) {
      if (wantsChoice(*i)) fusions.push_back(i);
    }
    for (Instruction* fusion : fusions) {
      if (context.cancelled()) return changed;
      const Instruction* dot = dotOf(*fusion->get<Attr::Calls>());
      if (dot == nullptr || !isCanonicalDot(*dot) || dotSide(*dot, 0).free.empty() ||
          dotSide(*dot, 1).free.empty()) {
        context.remark(*fusion, "missed", "no product of two matrices");
        continue;
      }
      if (!context.mayChange(*fusion)) return changed;
      const GemmTimes times = estimated(*dot, settings);
      const std::string_view why = whyNoLibraryCall(*dot);
      const bool isLibrary = why.empty() && (settings.deterministic || times.libraryNs <= times.tilesNs);
      context.remark(*fusion, "chosen",
                     fmt::format("{}: library {:.0f} ns, tiles {:.0f} ns (estimated){}{}",
                                 isLibrary ? "library" : "tiles", times.libraryNs, times.tilesNs,
                                 why.empty() ? "" : "; the library does not take it: ", why));
      if (isLibrary) callLibrary(*fusion, settings);
      if (!isLibrary) fusion->set<Attr::BackendConfig>(tilesConfig(*dot));
      changed = true;
    }
    changed |= chooseAlgorithms(*computation, context);
  }
  return changed;
}

}  // namespace hilo
