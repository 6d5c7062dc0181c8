#include "core/workspace/open/plugins.h"

#include "core/plugin_host/plugin_table.h"

namespace hilo {

std::vector<PluginInfo> listPlugins() {
  std::vector<PluginInfo> infos;
  for (const PluginLibrary& library : pluginLibraries()) {
    PluginInfo info{.path = library.path, .refused = library.refused};
    if (const HiloPlugin* plugin = library.plugin) {
      info.name = plugin->name;
      info.version = plugin->version;
      info.description = plugin->description;
      for (size_t n = 0; n < plugin->format_count; ++n) {
        const HiloFormat& format = *plugin->formats[n];
        info.formats.push_back({.name = format.name,
                                .description = format.description,
                                .reads = format.import_input != nullptr,
                                .writes = format.export_module != nullptr});
      }
    }
    if (library.plugin != nullptr) {
      for (const HiloCustomCall* call : customCallsOf(*library.plugin))
        info.customCalls.emplace_back(call->target, call->description);
      for (const HiloKernelDialect* dialect : kernelDialectsOf(*library.plugin))
        info.kernelDialects.emplace_back(dialect->name, dialect->description);
    }
    infos.push_back(std::move(info));
  }
  return infos;
}

std::vector<std::string> pluginPlaces() { return pluginSearchPath(); }

}  // namespace hilo
