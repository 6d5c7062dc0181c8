#include "core/compiler/toolchain/assemble_ptx.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/compiler/toolchain/assembler_answer.h"

namespace hilo {
namespace {

// A program of its own may crash or hang and harms nothing: it is asked first.
constexpr ToolId kAssemblers[] = {ToolId::Ptxas, ToolId::NvJitLink, ToolId::PtxCompiler};

Result<AssemblerAnswer> ask(const Tool& assembler, std::string_view ptx, const std::string& target) {
  switch (assembler.id) {
    case ToolId::Ptxas:
      return askProgram(assembler, ptx, target);
    case ToolId::NvJitLink:
      return askJitLink(assembler, ptx, target);
    case ToolId::PtxCompiler:
      return askPtxCompiler(assembler, ptx, target);
    default:
      CHECK(false, assembler.name);
      return AssemblerAnswer();
  }
}

Diagnostic refusalOf(const AssemblerAnswer& answer, std::string_view ptx, const std::string& by) {
  Diagnostics complaints = complaintsIn(answer.words, ptx);
  if (complaints.empty())
    return {Severity::kError, "ptx-refused", fmt::format("{} {}", by, answer.refusal), {}, {answer.words}};
  Diagnostic first = std::move(complaints[0]);
  first.message = fmt::format("{}: {}", by, first.message);
  for (size_t i = 1; i < complaints.size(); ++i) first.notes.push_back(toString(complaints[i]));
  return first;
}

}  // namespace

Tool findAssembler(const ToolSearch& search) {
  std::vector<Tool> unusable;
  for (const ToolId id : kAssemblers) {
    Tool tool = findTool(id, search);
    if (tool.isUsable()) return tool;
    unusable.push_back(std::move(tool));
  }
  // One that is there and does not work tells more than one that is not.
  const auto found = std::ranges::find_if(unusable, [](const Tool& tool) { return !tool.path.empty(); });
  return found == unusable.end() ? std::move(unusable[0]) : std::move(*found);
}

Result<AssembledPtx> assemblePtx(const Tool& assembler, std::string_view ptx, const std::string& target) {
  if (!assembler.isUsable()) {
    return fail("no-assembler",
                assembler.path.empty()
                    ? fmt::format("{} was not found", assembler.name)
                    : fmt::format("{} is of no use: {}", assembler.path, assembler.problem),
                {}, {"it comes with: " + assembler.install});
  }
  TRY(AssemblerAnswer answer, ask(assembler, ptx, target));
  const std::string by = fmt::format("{} {}", assembler.name, versionText(assembler));
  if (!answer.refusal.empty()) return std::unexpected(refusalOf(answer, ptx, by));
  std::vector<KernelResources> kernels = resourcesIn(answer.words);
  return AssembledPtx{.cubin = std::move(answer.cubin),
                      .kernels = std::move(kernels),
                      .words = std::move(answer.words),
                      .by = by};
}

Diagnostics whyNotLaunched(const KernelResources& kernel, const GpuLimits& limits, int threadsPerBlock,
                           int64_t dynamicSharedBytes) {
  Diagnostics why;
  const auto add = [&](const char* kind, std::string message) {
    why.push_back({Severity::kError, kind, std::move(message), {.instruction = kernel.kernel}, {}});
  };
  if (kernel.registers > limits.registersPerThread)
    add("too-many-registers", fmt::format("{} takes {} registers a thread, of which there are {}",
                                          kernel.kernel, kernel.registers, limits.registersPerThread));
  // They are given to whole warps, eight at a time.
  const int64_t warps = (threadsPerBlock + 31) / 32;
  const int64_t registers = warps * 32 * ((kernel.registers + 7) / 8 * 8);
  if (registers > limits.registersPerBlock)
    add("too-many-registers",
        fmt::format("{} takes {} registers for a block of {} threads, {} each; a block has {}", kernel.kernel,
                    registers, threadsPerBlock, kernel.registers, limits.registersPerBlock));
  const int64_t shared = kernel.sharedBytes + dynamicSharedBytes;
  if (shared > limits.sharedBytesPerBlock)
    add("too-much-shared-memory",
        fmt::format("{} takes {} bytes of shared memory a block, {} of them asked for when it is launched; a "
                    "block has {}",
                    kernel.kernel, shared, dynamicSharedBytes, limits.sharedBytesPerBlock));
  return why;
}

}  // namespace hilo
