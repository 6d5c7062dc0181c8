#include "core/analysis/cost/target_config.h"

#include <optional>

#include "core/hlo/proto/message_io.h"
#include "core/hlo/proto/schema/data.pb.h"
#include "core/hlo/proto/schema/target.pb.h"

namespace hilo {
namespace {

std::unexpected<Diagnostic> badDevice(std::string message, const std::string& file) {
  return fail("bad-device", std::move(message), {.file = file},
              {"a device can be described as JSON too: resources/devices"});
}

// One way, of one NVLink, by generation: 25 GB/s up to Hopper.
double linkGBps(int32_t major) { return major >= 10 ? 50 : 25; }

// The rate of one type; an operation is a multiplication and an addition. None where the file has none.
std::optional<double> tflops(const pb::ExecutionUnitDescriptionProto& unit, pb::PrimitiveType type,
                             int64_t cores) {
  const auto rate = unit.rate_infos().find(type);
  if (rate == unit.rate_infos().end()) return std::nullopt;
  const auto& info = rate->second;
  const double value = 2e-3 * static_cast<double>(cores) * info.clock_rate_ghz() * info.units_per_core() *
                       info.ops_per_clock();
  return value > 0 ? std::optional(value) : std::nullopt;
}

// The built-in device of this generation, best of just this capability.
Result<std::pair<std::string, DeviceDescription>> relativeOf(int32_t major, const std::string& capability) {
  std::optional<std::pair<std::string, DeviceDescription>> found;
  for (const BuiltInDevice& builtIn : builtInDevices()) {
    TRY(DeviceDescription device, parseDevice(builtIn.json, std::string(builtIn.id)));
    const bool isSame = device.computeCapability == capability;
    const bool isNear = device.computeCapability.starts_with(fmt::format("{}.", major));
    if (isSame || (isNear && !found)) found.emplace(builtIn.id, std::move(device));
    if (isSame) break;
  }
  if (!found) return fail("bad-device", fmt::format("nothing is known of compute capability {}", capability));
  return *std::move(found);
}

// False where the file does not say them all.
bool takeRates(const pb::GpuDeviceInfoProto& info, DeviceDescription& device) {
  const auto matrix = [&](pb::PrimitiveType type) {
    return tflops(info.matrix_unit_description(), type, info.core_count());
  };
  const auto f32 = tflops(info.scalar_unit_description(), pb::F32, info.core_count());
  const auto f64 = matrix(pb::F64), tf32 = matrix(pb::F32), bf16 = matrix(pb::BF16), f16 = matrix(pb::F16),
             f8 = matrix(pb::F8E4M3FN), s8 = matrix(pb::S8);
  if (!f32 || !f64 || !tf32 || !bf16 || !f16 || !f8 || !s8) return false;
  device.peakTflops = {
      .f64 = *f64, .f32 = *f32, .tf32 = *tf32, .bf16 = *bf16, .f16 = *f16, .f8 = *f8, .s8 = *s8};
  return true;
}

void scaleRates(DeviceDescription& device, double factor) {
  auto& peak = device.peakTflops;
  for (double* rate : {&peak.f64, &peak.f32, &peak.tf32, &peak.bf16, &peak.f16, &peak.f8, &peak.s8})
    *rate *= factor;
}

}  // namespace

Result<DeviceDescription> deviceOfTargetConfig(std::string_view text, const std::string& file) {
  pb::GpuTargetConfigProto config;
  Diagnostics unknown;  // Most fields are of no use to a cost model.
  TRY_STATUS(parseTextMessage(text, config, unknown, file));
  const pb::GpuDeviceInfoProto& info = config.gpu_device_info();
  if (!info.has_cuda_compute_capability())
    return badDevice("the file is of no CUDA device: cuda_compute_capability is missing", file);
  if (info.core_count() <= 0 || info.memory_bandwidth() <= 0 || info.clock_rate_ghz() <= 0 ||
      info.device_memory_size() <= 0)
    return badDevice(
        "core_count, memory_bandwidth, clock_rate_ghz and device_memory_size must be positive numbers", file);
  const auto& [major, minor] =
      std::pair(info.cuda_compute_capability().major(), info.cuda_compute_capability().minor());
  const std::string capability = fmt::format("{}.{}", major, minor);
  const auto relative = relativeOf(major, capability);
  if (!relative) return badDevice(relative.error().message, file);
  const auto& [id, known] = *relative;

  DeviceDescription device = known;
  device.computeCapability = capability;
  device.name = !info.name().empty() ? info.name() : config.device_description_str();
  if (device.name.empty()) device.name = fmt::format("CUDA device {}", capability);
  device.memoryBandwidthGBps = static_cast<double>(info.memory_bandwidth()) * 1e-9;
  device.memoryBytes = info.device_memory_size();
  device.processors = info.core_count();
  device.clockMHz = info.clock_rate_ghz() * 1e3;
  device.notes.push_back(
      fmt::format("{}: efficiency, network and least times are those of {}", device.name, id));
  if (!takeRates(info, device)) {
    if (known.computeCapability != capability)
      return badDevice(
          fmt::format("the file says no rates of matrix units, and for compute capability {} none are known",
                      capability),
          file);
    scaleRates(device, static_cast<double>(device.processors) * device.clockMHz /
                           (static_cast<double>(known.processors) * known.clockMHz));
    device.notes.push_back(
        fmt::format("the file says no rates of matrix units: those of {}, by processors and clock", id));
  }
  const int32_t links = info.device_interconnect_info().active_links();
  if (links > 0) {
    device.link.bandwidthGBps = links * linkGBps(major);
  } else {
    device.notes.push_back(fmt::format("the file says no links in use: those of {}", id));
  }
  return device;
}

}  // namespace hilo
