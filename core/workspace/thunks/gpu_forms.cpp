#include "core/workspace/thunks/gpu_forms.h"

#include <fmt/format.h>

#include "core/base/amount_text.h"
#include "core/compiler/codegen/gpu/gpu_target.h"
#include "core/compiler/toolchain/assemble_ptx.h"
#include "core/compiler/toolchain/disassemble_cubin.h"
#include "core/compiler/toolchain/occupancy.h"
#include "core/workspace/run/gpu_compile.h"
#include "core/workspace/thunks/gpu_counts.h"

namespace hilo {
namespace {

constexpr int kRegistersOfThread = 255;

std::string wordsOf(const Diagnostic& problem) {
  std::string text = problem.message + "\n";
  for (const std::string& note : problem.notes) text += note + "\n";
  return text;
}

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

void addResources(const KernelResources& taken, const GpuTarget& target, int threads,
                  std::vector<KernelGauge>& gauges) {
  gauges.push_back({"registers a thread", ratio(taken.registers, kRegistersOfThread),
                    fmt::format("{} of {}", taken.registers, kRegistersOfThread)});
  gauges.push_back(
      {"shared memory a block",
       ratio(static_cast<double>(taken.sharedBytes), static_cast<double>(target.sharedBytes)),
       fmt::format("{} of {}", amount::bytes(taken.sharedBytes), amount::bytes(target.sharedBytes))});
  const int64_t spilled = taken.spillStoreBytes + taken.spillLoadBytes;
  gauges.push_back({"spilled a thread", spilled == 0 ? 0.0 : 1.0,
                    spilled == 0 ? "none"
                                 : fmt::format("{} written, {} read", amount::bytes(taken.spillStoreBytes),
                                               amount::bytes(taken.spillLoadBytes)),
                    /*isBad=*/spilled > 0});
  const auto occupancy = occupancyOf(taken, target.number, threads);
  gauges.push_back(
      occupancy
          ? KernelGauge{"occupancy, computed", occupancy->share(),
                        fmt::format("{:.0f}%, {} blocks of {}; {} allow no more", 100 * occupancy->share(),
                                    occupancy->blocks, threads, occupancy->limit)}
          : KernelGauge{"occupancy", 0, fmt::format("the processor of sm_{} is not known", target.number)});
}

void addCounts(const KernelCounts& counts, std::vector<KernelGauge>& gauges) {
  const SimulatedCounters& c = counts.report.counters;
  const auto number = [](uint64_t n) { return static_cast<double>(n); };
  gauges.push_back({"sectors of 32 bytes, a warp's access",
                    ratio(number(c.globalSectors), 32 * number(c.globalAccesses)),
                    fmt::format("{:.1f} on average, {} accesses",
                                ratio(number(c.globalSectors), number(c.globalAccesses)), c.globalAccesses)});
  gauges.push_back({"bank conflicts", std::min(1.0, ratio(number(c.bankConflicts), number(c.sharedAccesses))),
                    c.sharedAccesses == 0
                        ? "no loads or stores of shared memory"
                        : fmt::format("{} in {} accesses", c.bankConflicts, c.sharedAccesses),
                    /*isBad=*/c.bankConflicts > c.sharedAccesses / 4});
  gauges.push_back({"divergent branches", ratio(number(c.divergentBranches), number(c.branches)),
                    fmt::format("{} of {}", c.divergentBranches, c.branches)});
  const auto wrong = std::ranges::find(counts.report.findings, Severity::kError, &Diagnostic::severity);
  const bool isWrong = wrong != counts.report.findings.end();
  gauges.push_back(
      {"check mode, simulated",
       ratio(number(static_cast<uint64_t>(counts.iterations)),
             number(static_cast<uint64_t>(counts.allIterations))),
       isWrong ? toString(*wrong)
               : fmt::format("nothing wrong in {} of {} iterations", counts.iterations, counts.allIterations),
       isWrong});
}

}  // namespace

Status addGpuForms(const Program& program, const KernelThunk& thunk, KernelForms& forms) {
  const Kernel& kernel = program.kernels[thunk.kernel];
  TRY(const GpuTarget gpu, findGpuTarget(program.target.processor));
  const ToolSearch search = toolSearchHere();
  const auto assembled = assemblePtx(findAssembler(search), ptxOf(program, kernel), program.target.processor);
  if (!assembled && assembled.error().kind != "no-assembler") return std::unexpected(assembled.error());
  std::string sass;
  if (assembled) {
    for (const KernelResources& taken : assembled->kernels)
      addResources(taken, gpu, static_cast<int>(kernel.launch.blockX), forms.gauges);
    const auto code = disassembleCubin(findTool(ToolId::Nvdisasm, search), assembled->cubin);
    sass = code ? *code : wordsOf(code.error());
  } else {
    sass = wordsOf(assembled.error());
  }
  if (const auto counts = countedKernel(program, thunk)) {
    addCounts(*counts, forms.gauges);
  } else {
    forms.gauges.push_back({"check mode, simulated", 0, counts.error().message, /*isBad=*/true});
  }
  forms.forms.push_back({.title = "SASS", .text = std::move(sass), .instructions = {}});
  return {};
}

}  // namespace hilo
