// The plug-ins this process has: shared libraries that speak plugins/sdk/format_plugin.h.
//
// Where they are looked for: the files and folders HILO_PLUGIN_PATH names (separated by ':'); where it is not
// set, `plugins/` beside the program, `../lib/hilo/plugins` and `../../plugins` (a build tree). In a folder
// every *.so is one. A plug-in is code: it runs with the rights of this program, so nothing is loaded from
// anywhere else, and never from a folder the input lies in.
//
// Threads: any. A library, once loaded, stays until the process ends.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "plugins/sdk/format_plugin.h"

namespace hilo {

// A library that was found: loaded, or refused with a reason.
struct PluginLibrary {
  std::string path;
  const HiloPlugin* plugin = nullptr;  // null: refused
  // Kinds: "plugin-not-loadable", "not-a-plugin", "plugin-version", "plugin-malformed".
  std::optional<Diagnostic> refused;
};

// Loads one library. Never throws it out again.
PluginLibrary loadPlugin(const std::string& path);

// The folders and files that are searched, in order, those that do not exist included.
std::vector<std::string> pluginSearchPath();

// Everything found along the search path, in order of discovery. Loaded at the first call.
const std::vector<PluginLibrary>& pluginLibraries();

// The custom calls a plug-in has handlers for.
std::span<const HiloCustomCall* const> customCallsOf(const HiloPlugin& plugin);
// The languages of kernels a plug-in reads.
std::span<const HiloKernelDialect* const> kernelDialectsOf(const HiloPlugin& plugin);
// The handler of a target, of the first plug-in that has one; null when none does.
const HiloCustomCall* findCustomCall(std::string_view target);

}  // namespace hilo
