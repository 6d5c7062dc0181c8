#include "core/plugin_host/plugin_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>

#include "core/plugin_host/plugin_table.h"

namespace hilo {
namespace {

std::string_view viewOf(HiloBytes bytes) { return {bytes.data, bytes.size}; }
HiloBytes bytesOf(std::string_view text) { return {text.data(), text.size()}; }
std::string orEmpty(const char* text) { return text != nullptr ? text : ""; }

// What the plug-in tells us while it runs.
struct Receiver {
  std::string path;
  CancelToken cancel;
  PluginImport import;
  Diagnostics errors;
  std::optional<std::string> output;
};

Receiver& receiverOf(void* receiver) { return *static_cast<Receiver*>(receiver); }

std::vector<ImportedName> namesIn(const HiloModule& module) {
  constexpr size_t kWithNames = offsetof(HiloModule, source_name_count) + sizeof(module.source_name_count);
  std::vector<ImportedName> names;
  if (module.struct_size < kWithNames) return names;
  for (size_t n = 0; n < module.source_name_count; ++n) {
    const HiloSourceName& given = module.source_names[n];
    names.push_back({orEmpty(given.instruction), orEmpty(given.name), given.line, given.column});
  }
  return names;
}

void takeModule(void* receiver, const HiloModule* module) {
  receiverOf(receiver).import.modules.push_back(
      {.hloModuleProto = std::string(viewOf(module->hlo_module_proto)),
       .format = orEmpty(module->format),
       .firstLine = std::max(module->first_line, 1u),
       .names = namesIn(*module)});
}

void takeDiagnostic(void* receiver, const HiloDiagnostic* given) {
  Receiver& to = receiverOf(receiver);
  Diagnostic diagnostic{.severity = static_cast<Severity>(given->severity),
                        .kind = orEmpty(given->kind),
                        .message = orEmpty(given->message)};
  diagnostic.place = {.file = to.path, .line = given->line, .column = given->column};
  for (size_t n = 0; n < given->note_count; ++n) diagnostic.notes.push_back(orEmpty(given->notes[n]));
  (given->severity == HILO_ERROR ? to.errors : to.import.warnings).push_back(std::move(diagnostic));
}

void takeOutput(void* receiver, HiloBytes output) {
  receiverOf(receiver).output = std::string(viewOf(output));
}

int isCancelled(void* receiver) { return receiverOf(receiver).cancel.cancelled() ? 1 : 0; }

std::vector<HiloOption> cOptions(const PluginOptions& options) {
  std::vector<HiloOption> list;
  for (const auto& [name, value] : options) list.push_back({name.c_str(), value.c_str()});
  return list;
}

std::unexpected<Diagnostic> failure(const HiloFormat& format, Diagnostics errors, const std::string& path) {
  if (errors.empty()) {
    return fail("plugin-broke-contract",
                fmt::format("the plug-in format {} gave nothing and no reason", format.name), {.file = path});
  }
  Diagnostic first = std::move(errors[0]);
  for (size_t n = 1; n < errors.size(); ++n) first.notes.push_back(toString(errors[n]));
  return std::unexpected(std::move(first));
}

template <typename Look>
const HiloFormat* findFormat(const Look& look) {
  for (const PluginLibrary& library : pluginLibraries()) {
    if (library.plugin == nullptr) continue;
    for (size_t n = 0; n < library.plugin->format_count; ++n) {
      if (look(*library.plugin->formats[n])) return library.plugin->formats[n];
    }
  }
  return nullptr;
}

bool namesEnding(std::string_view endings, std::string_view path) {
  while (!endings.empty()) {
    const std::string_view one = endings.substr(0, endings.find(' '));
    if (!one.empty() && path.ends_with(one)) return true;
    endings.remove_prefix(std::min(endings.size(), one.size() + 1));
  }
  return false;
}

}  // namespace

const HiloFormat* formatOf(std::string_view bytes) {
  return findFormat([&](const HiloFormat& format) {
    return format.import_input != nullptr && format.recognizes(bytesOf(bytes)) != 0;
  });
}

const HiloFormat* formatForPath(std::string_view path) {
  return findFormat([&](const HiloFormat& format) {
    return format.export_module != nullptr && namesEnding(format.extensions, path);
  });
}

Result<PluginImport> importWith(const HiloFormat& format, std::string_view bytes, const std::string& path,
                                const PluginOptions& options, const CancelToken& cancel) {
  if (format.import_input == nullptr)
    return fail("not-importable", fmt::format("the plug-in format {} cannot be read", format.name),
                {.file = path});
  Receiver receiver{.path = path, .cancel = cancel};
  const std::vector<HiloOption> list = cOptions(options);
  const HiloImportRequest request{.struct_size = sizeof(HiloImportRequest),
                                  .input = bytesOf(bytes),
                                  .path = path.c_str(),
                                  .options = list.data(),
                                  .option_count = list.size(),
                                  .receiver = &receiver,
                                  .on_module = takeModule,
                                  .on_diagnostic = takeDiagnostic,
                                  .is_cancelled = isCancelled};
  const int code = format.import_input(&request);
  if (cancel.cancelled()) return fail("cancelled", "cancelled", {.file = path});
  if (code != 0 || receiver.import.modules.empty()) return failure(format, std::move(receiver.errors), path);
  for (Diagnostic& error : receiver.errors) receiver.import.warnings.push_back(std::move(error));
  return std::move(receiver.import);
}

Result<std::string> exportWith(const HiloFormat& format, std::string_view hloModuleProto,
                               const PluginOptions& options) {
  if (format.export_module == nullptr)
    return fail("not-convertible", fmt::format("the plug-in format {} cannot be written", format.name));
  Receiver receiver;
  const std::vector<HiloOption> list = cOptions(options);
  const HiloExportRequest request{.struct_size = sizeof(HiloExportRequest),
                                  .hlo_module_proto = bytesOf(hloModuleProto),
                                  .options = list.data(),
                                  .option_count = list.size(),
                                  .receiver = &receiver,
                                  .on_output = takeOutput,
                                  .on_diagnostic = takeDiagnostic};
  const int code = format.export_module(&request);
  if (code != 0 || !receiver.output) return failure(format, std::move(receiver.errors), {});
  return *std::move(receiver.output);
}

}  // namespace hilo
