#include "core/plugin_host/plugin_kernel.h"

#include <fmt/format.h>

#include <optional>

#include "core/plugin_host/plugin_table.h"

namespace hilo {
namespace {

std::string_view viewOf(HiloBytes bytes) { return {bytes.data, bytes.size}; }

struct Receiver {
  std::string path;
  CancelToken cancel;
  std::optional<PluginKernel> kernel;
  Diagnostics problems;
};

Receiver& receiverOf(void* receiver) { return *static_cast<Receiver*>(receiver); }

void takeKernel(void* receiver, const HiloKernel* kernel) {
  receiverOf(receiver).kernel = PluginKernel{.format = kernel->format != nullptr ? kernel->format : "",
                                             .text = std::string(viewOf(kernel->text)),
                                             .description = std::string(viewOf(kernel->description)),
                                             .problems = {}};
}

void takeProblem(void* receiver, const HiloDiagnostic* given) {
  Receiver& to = receiverOf(receiver);
  Diagnostic problem{.severity = static_cast<Severity>(given->severity),
                     .kind = given->kind != nullptr ? given->kind : "",
                     .message = given->message != nullptr ? given->message : ""};
  problem.place = {.file = to.path, .line = given->line, .column = given->column};
  for (size_t n = 0; n < given->note_count; ++n) problem.notes.emplace_back(given->notes[n]);
  to.problems.push_back(std::move(problem));
}

int isCancelled(void* receiver) { return receiverOf(receiver).cancel.cancelled() ? 1 : 0; }

}  // namespace

const HiloKernelDialect* kernelDialectOf(std::string_view bytes) {
  for (const PluginLibrary& library : pluginLibraries()) {
    if (library.plugin == nullptr) continue;
    for (const HiloKernelDialect* dialect : kernelDialectsOf(*library.plugin)) {
      if (dialect->recognizes({bytes.data(), bytes.size()}) != 0) return dialect;
    }
  }
  return nullptr;
}

Result<PluginKernel> readKernelWith(const HiloKernelDialect& dialect, std::string_view bytes,
                                    const std::string& path, const CancelToken& cancel) {
  Receiver receiver{.path = path, .cancel = cancel, .kernel = {}, .problems = {}};
  const HiloKernelRequest request{.struct_size = sizeof(HiloKernelRequest),
                                  .input = {bytes.data(), bytes.size()},
                                  .path = receiver.path.c_str(),
                                  .receiver = &receiver,
                                  .on_kernel = takeKernel,
                                  .on_diagnostic = takeProblem,
                                  .is_cancelled = isCancelled};
  const int code = dialect.read_kernel(&request);
  if (cancel.cancelled()) return fail("cancelled", "cancelled", {.file = path});
  if (code == 0 && receiver.kernel) {
    receiver.kernel->problems = std::move(receiver.problems);
    return *std::move(receiver.kernel);
  }
  if (receiver.problems.empty())
    return fail("plugin-broke-contract",
                fmt::format("the plug-in dialect {} gave nothing and no reason", dialect.name),
                {.file = path});
  Diagnostic first = std::move(receiver.problems[0]);
  for (size_t n = 1; n < receiver.problems.size(); ++n) first.notes.push_back(toString(receiver.problems[n]));
  return std::unexpected(std::move(first));
}

}  // namespace hilo
