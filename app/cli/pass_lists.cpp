#include "app/cli/pass_lists.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/report.h"
#include "core/workspace/passes/optimize.h"

namespace hilo::cli {
namespace {

using enum Table::Align;
using Json = nlohmann::json;

Json jsonOf(const SettingValue& value) {
  return std::visit([](const auto& v) { return Json(v); }, value);
}

Json jsonOf(const Pass& pass) {
  Json settings = Json::array();
  for (const PassSetting& setting : pass.settings) {
    settings.push_back({{"name", setting.name},
                        {"summary", setting.summary},
                        {"default", jsonOf(setting.fallback)},
                        {"allowed", allowedText(setting)}});
  }
  return {{"name", pass.name}, {"summary", pass.summary}, {"settings", settings}};
}

Json jsonOf(const Pipeline& pipeline) {
  Json passes = Json::array(), phases = Json::array(), lowering = Json::array();
  for (const ConfiguredPass& configured : pipeline.passes) passes.push_back(passText(configured));
  for (const PipelinePhase& phase : pipeline.phases) {
    const auto first = passes.begin() + static_cast<ptrdiff_t>(phase.first);
    const Json of(std::vector<Json>(first, first + static_cast<ptrdiff_t>(phase.count)));
    phases.push_back({{"name", phase.name}, {"passes", of}});
  }
  for (const LoweringStep& step : loweringSteps()) {
    if (pipeline.isLowered) lowering.push_back({{"name", step.name}, {"summary", step.summary}});
  }
  return {{"name", pipeline.name},
          {"summary", pipeline.summary},
          {"passes", passes},
          {"phases", phases},
          {"lowering", lowering}};
}

void printPipeline(const Pipeline& pipeline) {
  fmt::print("  {}  {}\n", pipeline.name, pipeline.summary);
  const auto names = [&](size_t first, size_t count) {
    std::vector<std::string> list;
    for (size_t i = first; i < first + count; ++i) list.push_back(passText(pipeline.passes[i]));
    return fmt::format("{}", fmt::join(list, ", "));
  };
  for (const PipelinePhase& phase : pipeline.phases)
    fmt::print("    {}: {}\n", phase.name, names(phase.first, phase.count));
  if (pipeline.phases.empty()) fmt::print("    {}\n", names(0, pipeline.passes.size()));
  if (!pipeline.isLowered) return;
  std::vector<std::string_view> steps;
  for (const LoweringStep& step : loweringSteps()) steps.push_back(step.name);
  fmt::print("    lower (no passes): {}\n", fmt::join(steps, ", "));
}

}  // namespace

int listPassesAndPipelines(bool json) {
  if (json) {
    Json list = {{"passes", Json::array()}, {"pipelines", Json::array()}};
    for (const Pass& pass : listPasses()) list["passes"].push_back(jsonOf(pass));
    for (const Pipeline& pipeline : listPipelines()) list["pipelines"].push_back(jsonOf(pipeline));
    printJson(list);
    return kOk;
  }
  Table passes({Left, Left, Left});
  for (const Pass& pass : listPasses()) {
    const auto count = static_cast<int64_t>(pass.settings.size());
    passes.add(
        {std::string(pass.name), count == 0 ? "" : counted(count, "setting"), std::string(pass.summary)});
  }
  fmt::print("passes (--describe PASS prints the settings)\n{}\npipelines\n", passes.text(2));
  for (const Pipeline& pipeline : listPipelines()) printPipeline(pipeline);
  return kOk;
}

int describePass(const std::string& name, bool json) {
  const auto configured = configuredPass(name);
  if (!configured) {
    printError(configured.error());
    return kUsage;
  }
  const Pass& pass = *configured->pass;
  if (json) {
    printJson(jsonOf(pass));
    return kOk;
  }
  fmt::print("{}: {}\n", pass.name, pass.summary);
  if (pass.settings.empty()) fmt::print("  no settings\n");
  Table settings({Left, Left, Left, Left});
  for (const PassSetting& setting : pass.settings) {
    settings.add({std::string(setting.name), settingText(setting.fallback), allowedText(setting),
                  std::string(setting.summary)});
  }
  fmt::print("{}", settings.text(2));
  return kOk;
}

}  // namespace hilo::cli
