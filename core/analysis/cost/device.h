// A machine in the numbers a cost model needs, as JSON a user can edit (resources/devices; the programs carry
// these with them). Peak rates are the makers' dense figures.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/ir/element_type.h"

namespace hilo {

// A way between devices: alpha and beta.
struct LinkDescription {
  double bandwidthGBps = 1;  // one way, of one device
  double latencyNs = 0;      // of one step
  double efficiency = 1;     // what of the bandwidth large transfers reach
  double nsFor(double bytes) const { return bytes / (bandwidthGBps * efficiency); }
};

struct DeviceDescription {
  std::string name;
  std::string computeCapability;   // "9.0"; empty where nobody says
  std::vector<std::string> notes;  // what was assumed, for whoever reads times
  double memoryBandwidthGBps = 1;
  int64_t memoryBytes = 0;
  int64_t processors = 1;  // streaming multiprocessors
  double clockMHz = 1;
  // Matrix multiplication, by operand type; tf32 is that of f32 operands, f32 that of vector code.
  struct {
    double f64 = 0, f32 = 0, tf32 = 0, bf16 = 0, f16 = 0, f8 = 0, s8 = 0;
  } peakTflops;
  double memoryEfficiency = 1;
  double matmulEfficiency = 1;
  double kernelNs = 0;  // the least a kernel takes
  double hostBandwidthGBps = 1;
  int64_t devicesPerNode = 1;
  LinkDescription link;     // within a node
  LinkDescription network;  // between nodes
  double collectiveNs = 0;  // the least a collective takes

  double matmulTflops(ElementType type) const;
};

// Every number must be there and positive; what is not known is refused. Error kinds: "bad-device",
// with the name of the field.
Result<DeviceDescription> parseDevice(std::string_view json, const std::string& file);

// As parseDevice reads it; notes are not part of it.
std::string deviceJson(const DeviceDescription& device);

struct BuiltInDevice {
  std::string_view id;  // "h200"
  std::string_view json;
};
std::span<const BuiltInDevice> builtInDevices();
// A built-in id, or the path of a JSON file or of XLA's GpuTargetConfig as text (target_config.h). Error
// kinds: "unknown-device" and those of parseDevice and deviceOfTargetConfig.
Result<DeviceDescription> findDevice(const std::string& idOrPath);

}  // namespace hilo
