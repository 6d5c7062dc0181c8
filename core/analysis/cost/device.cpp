#include "core/analysis/cost/device.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/analysis/cost/target_config.h"
#include "core/hlo/proto/message_io.h"

namespace hilo {
namespace {

constexpr BuiltInDevice kDevices[] = {
#include "devices.inc"
};

// Reads numbers by name and remembers the first that is wrong and the names that were asked for.
class Fields {
 public:
  Fields(const nlohmann::json& object, std::string path, std::string& problem)
      : object_(object), path_(std::move(path)), problem_(problem) {}

  double number(const std::string& name) {
    asked_.push_back(name);
    const auto at = object_.find(name);
    if (at == object_.end() || !at->is_number() || at->get<double>() <= 0) {
      if (problem_.empty()) problem_ = fmt::format("'{}{}' must be a positive number", path_, name);
      return 1;
    }
    return at->get<double>();
  }

  Fields within(const std::string& name) {
    asked_.push_back(name);
    static const nlohmann::json kEmpty = nlohmann::json::object();
    const auto at = object_.find(name);
    const bool found = at != object_.end() && at->is_object();
    if (!found && problem_.empty()) problem_ = fmt::format("'{}{}' must be an object", path_, name);
    return Fields(found ? *at : kEmpty, path_ + name + ".", problem_);
  }

  // Empty where it is missing.
  std::string text(const std::string& name) {
    asked_.push_back(name);
    const auto at = object_.find(name);
    return at != object_.end() && at->is_string() ? at->get<std::string>() : "";
  }

  void refuseOthers() {
    for (const auto& [name, value] : object_.items()) {
      if (std::ranges::find(asked_, name) == asked_.end() && problem_.empty())
        problem_ = fmt::format("'{}{}' is not a field of a device", path_, name);
    }
  }

 private:
  const nlohmann::json& object_;
  std::string path_;
  std::string& problem_;
  std::vector<std::string> asked_;
};

LinkDescription readLink(Fields fields) {
  LinkDescription link{.bandwidthGBps = fields.number("bandwidthGBps"),
                       .latencyNs = fields.number("latencyNs"),
                       .efficiency = fields.number("efficiency")};
  fields.refuseOthers();
  return link;
}

}  // namespace

double DeviceDescription::matmulTflops(ElementType type) const {
  switch (type) {
    case ElementType::F64:
    case ElementType::C128:
      return peakTflops.f64;
    case ElementType::BF16:
      return peakTflops.bf16;
    case ElementType::F16:
      return peakTflops.f16;
    case ElementType::S8:
    case ElementType::U8:
    case ElementType::S4:
    case ElementType::U4:
      return peakTflops.s8;
    case ElementType::F32:
    case ElementType::C64:
      return peakTflops.tf32;
    default:
      return elementTypeName(type).starts_with("f8") ? peakTflops.f8 : peakTflops.f32;
  }
}

Result<DeviceDescription> parseDevice(std::string_view json, const std::string& file) {
  const auto parsed = nlohmann::json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_object()) return fail("bad-device", "not a JSON object", {.file = file});
  std::string problem;
  Fields top(parsed, "", problem);
  DeviceDescription device;
  device.name = top.text("name");
  device.computeCapability = top.text("computeCapability");
  device.memoryBandwidthGBps = top.number("memoryBandwidthGBps");
  device.memoryBytes = static_cast<int64_t>(top.number("memoryBytes"));
  device.processors = static_cast<int64_t>(top.number("processors"));
  device.clockMHz = top.number("clockMHz");
  device.memoryEfficiency = top.number("memoryEfficiency");
  device.matmulEfficiency = top.number("matmulEfficiency");
  device.kernelNs = top.number("kernelNs");
  device.hostBandwidthGBps = top.number("hostBandwidthGBps");
  device.devicesPerNode = static_cast<int64_t>(top.number("devicesPerNode"));
  device.collectiveNs = top.number("collectiveNs");
  Fields peak = top.within("peakTflops");
  device.peakTflops = {.f64 = peak.number("f64"),
                       .f32 = peak.number("f32"),
                       .tf32 = peak.number("tf32"),
                       .bf16 = peak.number("bf16"),
                       .f16 = peak.number("f16"),
                       .f8 = peak.number("f8"),
                       .s8 = peak.number("s8")};
  peak.refuseOthers();
  device.link = readLink(top.within("link"));
  device.network = readLink(top.within("network"));
  top.refuseOthers();
  if (!problem.empty()) return fail("bad-device", problem, {.file = file});
  return device;
}

std::string deviceJson(const DeviceDescription& device) {
  const auto link = [](const LinkDescription& it) {
    return nlohmann::ordered_json{
        {"bandwidthGBps", it.bandwidthGBps}, {"latencyNs", it.latencyNs}, {"efficiency", it.efficiency}};
  };
  const auto& peak = device.peakTflops;
  nlohmann::ordered_json json{{"name", device.name}};
  if (!device.computeCapability.empty()) json["computeCapability"] = device.computeCapability;
  json.update({{"memoryBandwidthGBps", device.memoryBandwidthGBps},
               {"memoryBytes", device.memoryBytes},
               {"processors", device.processors},
               {"clockMHz", device.clockMHz},
               {"memoryEfficiency", device.memoryEfficiency},
               {"matmulEfficiency", device.matmulEfficiency},
               {"kernelNs", device.kernelNs},
               {"hostBandwidthGBps", device.hostBandwidthGBps},
               {"devicesPerNode", device.devicesPerNode},
               {"collectiveNs", device.collectiveNs},
               {"peakTflops",
                {{"f64", peak.f64},
                 {"f32", peak.f32},
                 {"tf32", peak.tf32},
                 {"bf16", peak.bf16},
                 {"f16", peak.f16},
                 {"f8", peak.f8},
                 {"s8", peak.s8}}},
               {"link", link(device.link)},
               {"network", link(device.network)}});
  return json.dump(2) + "\n";
}

std::span<const BuiltInDevice> builtInDevices() { return kDevices; }

Result<DeviceDescription> findDevice(const std::string& idOrPath) {
  const auto known = std::ranges::find(kDevices, idOrPath, &BuiltInDevice::id);
  if (known != std::end(kDevices)) return parseDevice(known->json, idOrPath);
  std::ifstream file(idOrPath);
  if (!file) {
    std::vector<std::string> ids;
    for (const BuiltInDevice& device : kDevices) ids.emplace_back(device.id);
    return fail("unknown-device", fmt::format("no device or file '{}'", idOrPath), {},
                {fmt::format("built in: {}; or the path of a JSON file or of XLA's gpu_target_config.pbtxt",
                             fmt::join(ids, ", "))});
  }
  std::ostringstream text;
  text << file.rdbuf();
  return isTextProtoName(idOrPath) ? deviceOfTargetConfig(text.str(), idOrPath)
                                   : parseDevice(text.str(), idOrPath);
}

}  // namespace hilo
