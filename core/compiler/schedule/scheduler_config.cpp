#include "core/compiler/schedule/scheduler_config.h"

namespace hilo {
namespace {

constexpr std::string_view kOwner = "latency-hiding-scheduler";

}  // namespace

std::span<const PassSetting> schedulerSettings() {
  static const auto* settings = new std::vector<PassSetting>{
      choice<&SchedulerConfig::backend>("backend", "whose rules hold; GPU: all collectives share one stream",
                                        {"default", "gpu"}),
#define OPTION(type, field, fallback, least, name, summary) \
  setting<&SchedulerConfig::field>(name, summary, {least}),
#include "core/analysis/backend.h"
#include "core/compiler/schedule/scheduler_options.def"
  };
  return *settings;
}

SchedulerConfig gpuSchedulerConfig() {
  SchedulerConfig config;
  config.backend = Backend::Gpu;
  config.aggressiveSchedulingPolicies = true;
  config.scheduleSendRecvs = true;
  return config;
}

SchedulerConfig SchedulerConfig::defaultsFor(const Module& module) {
  return backendOf(module) == Backend::Gpu ? gpuSchedulerConfig() : SchedulerConfig();
}

Status setSchedulerOption(SchedulerConfig& config, std::string_view name, std::string_view value) {
  TRY(const SettingChange change, parseSetting(schedulerSettings(), kOwner, name, value));
  change.setting->write(*change.setting, &config, change.value);
  return {};
}

Status checkSchedulerConfig(const SchedulerConfig& config) {
  return checkSettings(schedulerSettings(), kOwner, &config);
}

}  // namespace hilo
