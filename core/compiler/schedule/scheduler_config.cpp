#include "core/compiler/schedule/scheduler_config.h"

#include <charconv>

namespace hilo {
namespace {

constexpr SchedulerOptionInfo kOptions[] = {
#define OPTION(type, field, fallback, name, summary) {name, summary},
#include "core/compiler/schedule/scheduler_options.def"
};

struct Unit {
  std::string_view ending;
  int64_t factor;
};
constexpr Unit kUnits[] = {{"KiB", 1 << 10}, {"MiB", 1 << 20},  {"GiB", 1 << 30},
                           {"KB", 1'000},    {"MB", 1'000'000}, {"GB", 1'000'000'000}};

template <typename T>
bool parseInto(std::string_view text, T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    if (text != "true" && text != "false") return false;
    value = text == "true";
    return true;
  } else {
    int64_t factor = 1;
    for (const Unit& unit : kUnits) {
      if (!text.ends_with(unit.ending)) continue;
      factor = unit.factor;
      text.remove_suffix(unit.ending.size());
      break;
    }
    T number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return false;
    return !__builtin_mul_overflow(number, static_cast<T>(factor), &value);
  }
}

// Letters that both names share at the start, for the remedy.
size_t commonStart(std::string_view a, std::string_view b) {
  return static_cast<size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

}  // namespace

std::span<const SchedulerOptionInfo> schedulerOptions() { return kOptions; }

SchedulerConfig gpuSchedulerConfig() {
  SchedulerConfig config;
  config.backend = SchedulerBackend::Gpu;
  config.aggressiveSchedulingPolicies = true;
  config.scheduleSendRecvs = true;
  return config;
}

Status setSchedulerOption(SchedulerConfig& config, std::string_view name, std::string_view value) {
  const auto bad = [&](std::string_view expected) {
    return fail("bad-option-value", fmt::format("{}={}: not {}", name, value, expected));
  };
  if (name == "backend") {
    if (value != "default" && value != "gpu") return bad("'default' or 'gpu'");
    config.backend = value == "gpu" ? SchedulerBackend::Gpu : SchedulerBackend::Default;
    return {};
  }
#define OPTION(type, field, fallback, optionName, summary)                       \
  if (name == optionName) {                                                      \
    if (!parseInto<type>(value, config.field))                                   \
      return bad(std::is_same_v<type, bool> ? "'true' or 'false'" : "a number"); \
    return checkSchedulerConfig(config);                                         \
  }
#include "core/compiler/schedule/scheduler_options.def"
  const auto nearest = std::ranges::max_element(
      kOptions, {}, [&](const SchedulerOptionInfo& option) { return commonStart(option.name, name); });
  return fail("unknown-scheduler-option", fmt::format("no scheduler option is called '{}'", name), {},
              {fmt::format("did you mean '{}'?", nearest->name)});
}

std::string schedulerOption(const SchedulerConfig& config, std::string_view name) {
  if (name == "backend") return config.backend == SchedulerBackend::Gpu ? "gpu" : "default";
#define OPTION(type, field, fallback, optionName, summary) \
  if (name == optionName) return fmt::format("{}", config.field);
#include "core/compiler/schedule/scheduler_options.def"
  return {};
}

Status checkSchedulerConfig(const SchedulerConfig& config) {
#define OPTION(type, field, fallback, optionName, summary)                                               \
  if constexpr (std::is_same_v<type, int64_t>) {                                                         \
    constexpr bool isLimit = std::string_view(optionName).ends_with("_limit");                           \
    if (static_cast<int64_t>(config.field) < (isLimit ? 1 : 0))                                          \
      return fail("bad-option-value", fmt::format("{}={}: must be at least {}", optionName,              \
                                                  static_cast<int64_t>(config.field), isLimit ? 1 : 0)); \
  }
#include "core/compiler/schedule/scheduler_options.def"
  return {};
}

}  // namespace hilo
