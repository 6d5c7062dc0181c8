// The settings of the latency-hiding scheduler, each with a name the command line and presets use.
// scheduler_options.def is the list; defaults are XLA's.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace hilo {

// Which rules hold: XLA's generic ones, or those of its GPU backend, where all collectives share one stream.
enum class SchedulerBackend : uint8_t { Default, Gpu };

struct SchedulerConfig {
  SchedulerBackend backend = SchedulerBackend::Default;
#define OPTION(type, field, fallback, name, summary) type field = fallback;
#include "core/compiler/schedule/scheduler_options.def"
};

// XLA's GPU settings: aggressive policies, sends and recvs scheduled.
SchedulerConfig gpuSchedulerConfig();

struct SchedulerOptionInfo {
  std::string_view name;
  std::string_view summary;
};
std::span<const SchedulerOptionInfo> schedulerOptions();

// Numbers may end in KB, MB, GB, KiB, MiB, GiB; bools are true or false. Error kinds:
// "unknown-scheduler-option" (with the nearest name), "bad-option-value".
Status setSchedulerOption(SchedulerConfig& config, std::string_view name, std::string_view value);
std::string schedulerOption(const SchedulerConfig& config, std::string_view name);

// A limit that no schedule can keep: error kind "bad-option-value", naming the option.
Status checkSchedulerConfig(const SchedulerConfig& config);

}  // namespace hilo
