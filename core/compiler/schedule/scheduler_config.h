// The settings of the latency-hiding scheduler, each with a name the command line and presets use.
// scheduler_options.def is the list; defaults are XLA's.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/backend.h"
#include "core/compiler/pass/pass_settings.h"
#include "core/hlo/ir/module.h"

namespace hilo {

struct SchedulerConfig {
  Backend backend = Backend::Cpu;
#define OPTION(type, field, fallback, least, name, summary) type field = fallback;
#include "core/compiler/schedule/scheduler_options.def"

  // Those of the backend that the module was made for.
  static SchedulerConfig defaultsFor(const Module& module);
};

// XLA's GPU settings: aggressive policies, sends and recvs scheduled.
SchedulerConfig gpuSchedulerConfig();

// The backend, then scheduler_options.def.
std::span<const PassSetting> schedulerSettings();

// Error kinds: "unknown-setting", "bad-setting".
Status setSchedulerOption(SchedulerConfig& config, std::string_view name, std::string_view value);

// A limit that no schedule can keep: error kind "bad-setting", naming the setting.
Status checkSchedulerConfig(const SchedulerConfig& config);

}  // namespace hilo
