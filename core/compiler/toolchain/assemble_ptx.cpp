#include "core/compiler/toolchain/assemble_ptx.h"

#include <fmt/format.h>

#include "core/base/files.h"
#include "core/compiler/toolchain/process.h"
#include "core/compiler/toolchain/scratch_folder.h"

namespace hilo {
namespace {

Diagnostic refusalOf(const ProcessOutput& said, std::string_view ptx, const std::string& by) {
  Diagnostics complaints = complaintsIn(said.text, ptx);
  if (complaints.empty()) {
    return {
        Severity::kError, "ptx-refused", fmt::format("{} ended with {}", by, said.exitCode), {}, {said.text}};
  }
  Diagnostic first = std::move(complaints[0]);
  first.message = fmt::format("{}: {}", by, first.message);
  for (size_t i = 1; i < complaints.size(); ++i) first.notes.push_back(toString(complaints[i]));
  return first;
}

}  // namespace

Result<AssembledPtx> assemblePtx(const Tool& ptxas, std::string_view ptx, const std::string& target) {
  if (!ptxas.isUsable()) {
    return fail("no-assembler",
                ptxas.path.empty() ? fmt::format("{} was not found", ptxas.name)
                                   : fmt::format("{} is of no use: {}", ptxas.path, ptxas.problem),
                {}, {"it comes with: " + ptxas.install});
  }
  TRY(const ScratchFolder folder, ScratchFolder::make());
  const std::string source = folder.file("kernels.ptx"), made = folder.file("kernels.cubin");
  TRY_STATUS(writeBytes(source, ptx));
  TRY(const ProcessOutput said,
      runProcess({ptxas.path, "-v", "-arch=" + target, source, "-o", made}, std::chrono::minutes(1)));
  AssembledPtx assembled{.cubin = {},
                         .kernels = resourcesIn(said.text),
                         .words = said.text,
                         .by = fmt::format("{} {}", ptxas.name, versionText(ptxas))};
  if (said.exitCode != 0) return std::unexpected(refusalOf(said, ptx, assembled.by));
  TRY(assembled.cubin, readBytes(made));
  return assembled;
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
