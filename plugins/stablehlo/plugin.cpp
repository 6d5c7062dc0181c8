// The plug-in's face: its one exported function and what hangs off it.
#include <exception>

#include "plugins/sdk/format_plugin.h"
#include "plugins/stablehlo/export.h"
#include "plugins/stablehlo/import.h"

namespace hilo::stablehlo {
namespace {

llvm::StringRef viewOf(HiloBytes bytes) { return {bytes.data, bytes.size}; }

void report(const HiloImportRequest& request, const Problem& problem) {
  std::vector<const char*> notes;
  for (const std::string& note : problem.notes) notes.push_back(note.c_str());
  const HiloDiagnostic diagnostic{
      sizeof(HiloDiagnostic), problem.severity, problem.kind.c_str(), problem.message.c_str(),
      problem.line,           problem.column,   notes.data(),         notes.size()};
  request.on_diagnostic(request.receiver, &diagnostic);
}

int recognizes(HiloBytes input) { return looksLikeMlir(viewOf(input)) ? 1 : 0; }

int importInput(const HiloImportRequest* request) {
  const auto isCancelled = [&] { return request->is_cancelled(request->receiver) != 0; };
  const ImportResult result = import(viewOf(request->input), request->path, isCancelled);
  for (const Problem& problem : result.problems) report(*request, problem);
  for (const FoundModule& found : result.modules) {
    std::vector<HiloSourceName> names;
    for (const NamedInstruction& named : found.names)
      names.push_back(
          {named.instruction.c_str(), named.source.name.c_str(), named.source.line, named.source.column});
    const HiloModule module{sizeof(HiloModule),   {found.hloModuleProto.data(), found.hloModuleProto.size()},
                            found.format.c_str(), found.firstLine,
                            names.data(),         names.size()};
    request->on_module(request->receiver, &module);
  }
  return result.modules.empty() ? 1 : 0;
}

int exportModule(const HiloExportRequest* request) {
  const auto refuse = [&](const char* kind, const std::string& message) {
    const HiloDiagnostic diagnostic{
        sizeof(HiloDiagnostic), HILO_ERROR, kind, message.c_str(), 0, 0, nullptr, 0};
    request->on_diagnostic(request->receiver, &diagnostic);
    return 1;
  };
  pb::HloModuleProto module;
  const HiloBytes bytes = request->hlo_module_proto;
  if (!module.ParseFromArray(bytes.data, static_cast<int>(bytes.size)))
    return refuse("not-a-proto", "not an HloModuleProto");
  const ExportResult result = exportStablehlo(module);
  if (!result.error.empty()) return refuse("not-convertible", result.error);
  request->on_output(request->receiver, {result.text.data(), result.text.size()});
  return 0;
}

const HiloFormat kFormat{sizeof(HiloFormat),
                         "stablehlo",
                         "StableHLO, MHLO and CHLO modules as MLIR text or bytecode, VHLO portable artifacts",
                         ".mlir",
                         recognizes,
                         importInput,
                         exportModule};
const HiloFormat* const kFormats[] = {&kFormat};
const HiloPlugin kPlugin{sizeof(HiloPlugin),
                         HILO_PLUGIN_ABI_VERSION,
                         "stablehlo",
                         "0.1",
                         "reads what JAX and PyTorch/XLA export, and writes it",
                         kFormats,
                         1};

}  // namespace
}  // namespace hilo::stablehlo

const HiloPlugin* hilo_plugin(uint32_t) { return &hilo::stablehlo::kPlugin; }
