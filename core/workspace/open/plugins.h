// The plug-ins of this process, for people: what `hilo plugins` prints.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/diagnostic.h"

namespace hilo {

struct PluginFormatInfo {
  std::string name;
  std::string description;
  bool reads = false;
  bool writes = false;
};

struct PluginInfo {
  std::string path;
  std::string name;  // "" when it was refused
  std::string version;
  std::string description;
  std::vector<PluginFormatInfo> formats;
  std::vector<std::pair<std::string, std::string>> customCalls;     // target and description
  std::vector<std::pair<std::string, std::string>> kernelDialects;  // name and description
  std::optional<Diagnostic> refused;
};

// Loads them at the first call.
std::vector<PluginInfo> listPlugins();
// Where they were looked for.
std::vector<std::string> pluginPlaces();

}  // namespace hilo
