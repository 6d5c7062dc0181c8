#include "core/workspace/thunks/gpu_forms.h"

#include <fmt/format.h>

#include "core/base/amount_text.h"
#include "core/compiler/codegen/gpu/gpu_target.h"
#include "core/compiler/toolchain/assemble_ptx.h"
#include "core/compiler/toolchain/disassemble_cubin.h"
#include "core/compiler/toolchain/occupancy.h"

namespace hilo {
namespace {

KernelForm form(std::string title, std::string text) {
  return {.title = std::move(title), .text = std::move(text), .instructions = {}};
}

std::string wordsOf(const Diagnostic& problem) {
  std::string text = problem.message + "\n";
  for (const std::string& note : problem.notes) text += note + "\n";
  return text;
}

std::string takenText(const KernelResources& taken, const GpuTarget& target, int threads) {
  std::string text = fmt::format("{} registers a thread, of 255\n", taken.registers);
  text += fmt::format("{} of shared memory a block, of {}\n", amount::bytes(taken.sharedBytes),
                      amount::bytes(target.sharedBytes));
  text += taken.spillStoreBytes + taken.spillLoadBytes == 0
              ? "no registers spilled\n"
              : fmt::format("{} of registers spilled and {} read back, a thread\n",
                            amount::bytes(taken.spillStoreBytes), amount::bytes(taken.spillLoadBytes));
  if (taken.stackBytes > 0) text += fmt::format("{} of stack a thread\n", amount::bytes(taken.stackBytes));
  const auto occupancy = occupancyOf(taken, target.number, threads);
  if (!occupancy)
    return text + fmt::format("occupancy: the processor of sm_{} is not known\n", target.number);
  return text +
         fmt::format(
             "occupancy {:.0f}% (computed): {} of {} threads on a processor at once, in {} blocks of {}; "
             "{} allow no more\n",
             100 * occupancy->share(), occupancy->threads, occupancy->mostThreads, occupancy->blocks, threads,
             occupancy->limit);
}

}  // namespace

Result<std::vector<KernelForm>> gpuForms(std::string_view ptx, const std::string& target, int threads) {
  TRY(const GpuTarget gpu, findGpuTarget(target));
  const ToolSearch search = toolSearchHere();
  const auto assembled = assemblePtx(findTool(ToolId::Ptxas, search), ptx, target);
  std::vector<KernelForm> forms;
  if (!assembled && assembled.error().kind != "no-assembler") return std::unexpected(assembled.error());
  if (!assembled) {
    forms.push_back(form("what it takes", wordsOf(assembled.error())));
    return forms;
  }
  std::string taken;
  for (const KernelResources& kernel : assembled->kernels) taken += takenText(kernel, gpu, threads);
  forms.push_back(form("what it takes, as " + assembled->by + " says", std::move(taken)));
  const auto sass = disassembleCubin(findTool(ToolId::Nvdisasm, search), assembled->cubin);
  forms.push_back(form("SASS", sass ? *sass : wordsOf(sass.error())));
  return forms;
}

}  // namespace hilo
