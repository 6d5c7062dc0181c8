#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/report.h"
#include "core/workspace/run/tools_here.h"

namespace hilo::cli {
namespace {

nlohmann::json toJson(const ToolRow& tool) {
  nlohmann::json json{{"name", tool.name}, {"purpose", tool.purpose}, {"found", !tool.path.empty()}};
  if (tool.path.empty()) {
    json["install"] = tool.install;
    return json;
  }
  json["path"] = tool.path;
  if (!tool.version.empty()) json["version"] = tool.version;
  if (!tool.newestPtx.empty()) json["newest_ptx"] = tool.newestPtx;
  if (!tool.problem.empty()) json["problem"] = tool.problem;
  return json;
}

void print(const ToolRow& tool) {
  if (tool.path.empty()) {
    fmt::print("{}: not found; it {}\n  comes with: {}\n", tool.name, tool.purpose, tool.install);
    return;
  }
  fmt::print("{} {}: it {}\n  {}\n", tool.name, tool.version.empty() ? "of unknown version" : tool.version,
             tool.purpose, tool.path);
  if (!tool.newestPtx.empty()) fmt::print("  reads PTX up to {}\n", tool.newestPtx);
  if (!tool.problem.empty()) fmt::print("  of no use: {}\n", tool.problem);
}

int run(bool json) {
  const std::vector<ToolRow> tools = toolsHere();
  if (json) {
    nlohmann::json list = nlohmann::json::array();
    for (const ToolRow& tool : tools) list.push_back(toJson(tool));
    printJson(list);
    return kOk;
  }
  for (const ToolRow& tool : tools) print(tool);
  return kOk;
}

}  // namespace

void addToolchain(CLI::App& app, int& exitCode) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand(
      "toolchain", "List what assembles and runs kernels for GPUs here, and what brings the rest");
  command->add_flag("--json", *json, "Print JSON");
  command->footer(R"(
Programs are looked for in CUDA_HOME/bin, CUDA_PATH/bin, PATH and the usual folders, libraries in lib64 beside them and
where the system finds its own. `hilo compile --target sm_90` needs none of them.

Exit status: 0.)");
  command->callback([json, &exitCode] { exitCode = run(*json); });
}

}  // namespace hilo::cli
