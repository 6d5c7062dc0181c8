#include "core/workspace/open/plugins.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/report.h"

namespace hilo::cli {
namespace {

std::string abilities(const PluginFormatInfo& format) {
  if (format.reads && format.writes) return "reads and writes";
  return format.reads ? "reads" : "writes";
}

nlohmann::json toJson(const PluginInfo& plugin) {
  nlohmann::json json{{"path", plugin.path}};
  if (plugin.refused) {
    json["refused"] = reportJson(*plugin.refused);
    return json;
  }
  json["name"] = plugin.name;
  json["version"] = plugin.version;
  json["description"] = plugin.description;
  for (const PluginFormatInfo& format : plugin.formats) {
    json["formats"].push_back({{"name", format.name},
                               {"description", format.description},
                               {"reads", format.reads},
                               {"writes", format.writes}});
  }
  for (const auto& [target, description] : plugin.customCalls)
    json["custom_calls"].push_back({{"target", target}, {"description", description}});
  for (const auto& [name, description] : plugin.kernelDialects)
    json["kernel_dialects"].push_back({{"name", name}, {"description", description}});
  return json;
}

void print(const PluginInfo& plugin) {
  if (plugin.refused) {
    fmt::print("refused: {}: {}\n", plugin.refused->kind, plugin.refused->message);
    for (const std::string& note : plugin.refused->notes) fmt::print("  {}\n", note);
    return;
  }
  fmt::print("{} {}: {}\n  {}\n", plugin.name, plugin.version, plugin.description, plugin.path);
  for (const PluginFormatInfo& format : plugin.formats)
    fmt::print("  {} {}: {}\n", abilities(format), format.name, format.description);
  for (const auto& [target, description] : plugin.customCalls)
    fmt::print("  runs custom call {}: {}\n", target, description);
  for (const auto& [name, description] : plugin.kernelDialects)
    fmt::print("  reads kernels, {}: {}\n", name, description);
}

int run(bool json) {
  const std::vector<PluginInfo> plugins = listPlugins();
  if (json) {
    nlohmann::json list = nlohmann::json::array();
    for (const PluginInfo& plugin : plugins) list.push_back(toJson(plugin));
    printJson(list);
    return kOk;
  }
  if (plugins.empty()) fmt::print("no plug-ins; looked in {}\n", fmt::join(pluginPlaces(), ", "));
  for (const PluginInfo& plugin : plugins) print(plugin);
  return kOk;
}

}  // namespace

void addPlugins(CLI::App& app, int& exitCode) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("plugins", "List the plug-ins and the formats they read and write");
  command->add_flag("--json", *json, "Print JSON");
  command->footer(R"(
Plug-ins are shared libraries in plugins/ beside the program, in ../lib/hilo/plugins, or where HILO_PLUGIN_PATH
says (files and folders, separated by ':'). One that was refused is listed with the reason.

Exit status: 0.)");
  command->callback([json, &exitCode] { exitCode = run(*json); });
}

}  // namespace hilo::cli
