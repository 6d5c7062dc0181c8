// The devices that programs are compiled for, and how: of a client, and of compilation ahead of time.
#include <fmt/format.h>

#include <charconv>
#include <cstdlib>

#include "app/pjrt/functions.h"
#include "app/pjrt/platform.h"
#include "app/pjrt/programs.h"
#include "core/workspace/about.h"

namespace hilo {
namespace {

constexpr int64_t kMostDevices = 1024;

Status setDevices(PjrtSettings& settings, int64_t devices) {
  if (devices < 1 || devices > kMostDevices)
    return fail("wrong-option",
                fmt::format("devices is {}: from 1 to {} there may be", devices, kMostDevices));
  settings.devices = devices;
  return {};
}

Status setOption(PjrtSettings& settings, std::string_view name, std::string_view value) {
  if (name == "engine") {
    settings.engine = value;
    return {};
  }
  if (name != "devices")
    return fail("unknown-option", fmt::format("there is no option {}", name), {},
                {"there are: engine, devices"});
  int64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size())
    return fail("wrong-option", fmt::format("devices is no number: {}", value));
  return setDevices(settings, number);
}

Status create(PjrtTopologyCreate& in) {
  TRY(const PjrtSettings settings, settingsFrom(in.options, in.optionCount));
  in.topology = topologyOf(settings).release();
  return {};
}
Status destroy(PjrtTopologyArgs& in) {
  delete in.topology;
  return {};
}
Status platformName(PjrtTopologyText& in) {
  in.text = textOf(platform());
  return {};
}
Status platformVersion(PjrtTopologyText& in) {
  in.text = textOf(in.topology->version);
  return {};
}
Status descriptions(PjrtTopologyDevices& in) {
  in.descriptions = in.topology->list.data();
  in.count = in.topology->list.size();
  return {};
}
Status attributes(PjrtTopologyAttributes& in) {
  in.attributes = nullptr;
  in.count = 0;
  return {};
}
Status fingerprint(PjrtTopologyFingerprint& in) {
  in.fingerprint =
      std::hash<std::string>()(in.topology->version) + static_cast<uint64_t>(in.topology->settings.devices);
  return {};
}

}  // namespace

const std::string& platform() {
  static const std::string kName = "hilo";
  return kName;
}

Result<PjrtSettings> settingsFrom(const PjrtNamedValue* options, size_t count) {
  PjrtSettings settings;
  if (const char* engine = std::getenv("HILO_PJRT_ENGINE")) settings.engine = engine;
  if (const char* devices = std::getenv("HILO_PJRT_DEVICES"))
    TRY_STATUS(setOption(settings, "devices", devices));
  for (size_t i = 0; i < count; ++i) {
    const PjrtNamedValue& option = options[i];
    const std::string_view name(option.name, option.nameSize);
    if (option.kind == PjrtValueKind::Text) {
      TRY_STATUS(setOption(settings, name, std::string_view(option.text, option.size)));
    } else if (option.kind == PjrtValueKind::Integer) {
      TRY_STATUS(setOption(settings, name, fmt::format("{}", option.integer)));
    } else {
      return fail("wrong-option", fmt::format("the option {} is neither a text nor a number", name));
    }
  }
  TRY_STATUS(knownEngine(settings.engine));
  return settings;
}

std::unique_ptr<PjrtTopology> topologyOf(const PjrtSettings& settings) {
  auto topology = std::make_unique<PjrtTopology>(
      PjrtTopology{settings, fmt::format("hilo {}, engine {}", versionText(), settings.engine), {}, {}});
  for (int64_t i = 0; i < settings.devices; ++i) {
    topology->descriptions.push_back(std::make_unique<PjrtDescription>(
        PjrtDescription{static_cast<int32_t>(i), settings.engine, fmt::format("{} {}", settings.engine, i)}));
    topology->list.push_back(topology->descriptions.back().get());
  }
  return topology;
}

std::span<const PjrtFunctionRow> topologyRows() {
  using enum PjrtFunction;
  static constexpr PjrtFunctionRow kRows[] = {
      row<TopologyDescription_Create, create>(),
      row<TopologyDescription_Destroy, destroy>(),
      row<TopologyDescription_PlatformName, platformName>(),
      row<TopologyDescription_PlatformVersion, platformVersion>(),
      row<TopologyDescription_GetDeviceDescriptions, descriptions>(),
      row<TopologyDescription_Attributes, attributes>(),
      row<TopologyDescription_Fingerprint, fingerprint>(),
  };
  return kRows;
}

}  // namespace hilo
