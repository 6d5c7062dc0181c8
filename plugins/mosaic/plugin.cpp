// The plug-in's face: its one exported function and what hangs off it.
#include "plugins/mosaic/read_kernel.h"
#include "plugins/sdk/format_plugin.h"

namespace hilo::mosaic {
namespace {

llvm::StringRef viewOf(HiloBytes bytes) { return {bytes.data, bytes.size}; }
HiloBytes bytesOf(const std::string& text) { return {text.data(), text.size()}; }

void report(const HiloKernelRequest& request, const Problem& problem) {
  std::vector<const char*> notes;
  for (const std::string& note : problem.notes) notes.push_back(note.c_str());
  const HiloDiagnostic diagnostic{
      sizeof(HiloDiagnostic), problem.severity, problem.kind.c_str(), problem.message.c_str(),
      problem.line,           problem.column,   notes.data(),         notes.size()};
  request.on_diagnostic(request.receiver, &diagnostic);
}

int recognizes(HiloBytes input) { return looksLikeKernel(viewOf(input)) ? 1 : 0; }

int readKernelOf(const HiloKernelRequest* request) {
  const auto isCancelled = [&] { return request->is_cancelled(request->receiver) != 0; };
  const KernelReading reading = readKernel(viewOf(request->input), request->path, isCancelled);
  for (const Problem& problem : reading.problems) report(*request, problem);
  if (!reading.kernel) return 1;
  const HiloKernel kernel{sizeof(HiloKernel), reading.kernel->format.c_str(), bytesOf(reading.kernel->text),
                          bytesOf(reading.kernel->description)};
  request->on_kernel(request->receiver, &kernel);
  return 0;
}

const HiloKernelDialect kDialect{sizeof(HiloKernelDialect), "mosaic_gpu",
                                 "kernels that Pallas writes for Mosaic GPU, as MLIR text or bytecode",
                                 recognizes, readKernelOf};
const HiloKernelDialect* const kDialects[] = {&kDialect};
const HiloPlugin kPlugin{sizeof(HiloPlugin),
                         HILO_PLUGIN_ABI_VERSION,
                         "mosaic",
                         "0.1",
                         "reads kernels that JAX ships inside HLO",
                         nullptr,
                         0,
                         nullptr,
                         0,
                         kDialects,
                         1};

}  // namespace
}  // namespace hilo::mosaic

const HiloPlugin* hilo_plugin(uint32_t) { return &hilo::mosaic::kPlugin; }
