#include "core/workspace/kernels/studied_kernel.h"

#include <fmt/format.h>

#include "core/analysis/kernel_checks/kernel_checks.h"
#include "core/plugin_host/plugin_kernel.h"

namespace hilo {
namespace {

// What its groups do, checked; nothing where it could not be followed.
Diagnostics findingsIn(KernelDescription& description, const std::string& path, const CancelToken& cancel) {
  if (description.program.empty()) return {};
  const auto program = parseKernelProgram(description.program);
  if (!program) {
    description.notFollowed = program.error().message;
    return {};
  }
  Diagnostics findings = checkKernel(*program, cancel);
  for (Diagnostic& finding : findings) finding.place.file = path;
  return findings;
}

}  // namespace

Result<StudiedKernel> studyKernel(std::string_view bytes, const std::string& path,
                                  const CancelToken& cancel) {
  const HiloKernelDialect* dialect = kernelDialectOf(bytes);
  if (dialect == nullptr)
    return fail("no-kernel-plugin", "no plug-in knows this kernel", {.file = path},
                {"`hilo plugins` lists the dialects of kernels there are; hilo_mosaic_plugin, which builds "
                 "with LLVM and "
                 "MLIR have, reads Mosaic GPU's"});
  TRY(PluginKernel read, readKernelWith(*dialect, bytes, path, cancel));
  TRY(KernelDescription description, parseKernelDescription(read.description));
  StudiedKernel studied{.format = std::move(read.format),
                        .text = std::move(read.text),
                        .description = std::move(description),
                        .problems = std::move(read.problems),
                        .findings = {}};
  if (!hasErrors(studied.problems)) studied.findings = findingsIn(studied.description, path, cancel);
  if (cancel.cancelled()) return fail("cancelled", "cancelled", {.file = path});
  return studied;
}

std::string annotatedText(const StudiedKernel& kernel) {
  std::string text = kernel.text;
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  for (const Diagnostics* said : {&kernel.problems, &kernel.findings}) {
    for (const Diagnostic& each : *said) {
      text +=
          fmt::format("// {}{}: {}\n", each.place.line > 0 ? fmt::format("line {}: ", each.place.line) : "",
                      each.kind, each.message);
      for (const std::string& note : each.notes) text += fmt::format("//   {}\n", note);
    }
  }
  if (!kernel.description.notFollowed.empty())
    text += fmt::format("// barriers and copies are not checked: {}\n", kernel.description.notFollowed);
  return text;
}

bool isKernel(std::string_view bytes) { return kernelDialectOf(bytes) != nullptr; }

}  // namespace hilo
