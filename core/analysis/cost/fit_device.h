// A device's description fitted to measured times: its launch time, how much of its memory bandwidth, of its
// matrix units and of its links kernels reach. Peak rates stay the maker's.
#pragma once

#include <string>
#include <vector>

#include "core/analysis/cost/device.h"
#include "core/analysis/cost/profile_latency.h"
#include "core/hlo/ir/module.h"

namespace hilo {

struct FittedField {
  std::string name;  // of the device's JSON: "memoryEfficiency", "link.efficiency"
  double before = 0, after = 0;
  int64_t instructions = 0;  // that were measured and are bound by it
};

struct DeviceFit {
  DeviceDescription device;
  std::vector<FittedField> fields;  // those that some instruction is bound by
  int64_t measured = 0;             // instructions with a measured and an estimated time
  // By which factor an estimate is off in the median: 1 is exact, 2 twice or half as long.
  double errorBefore = 1, errorAfter = 1;
};

// Each field is scaled by the median of measured over estimated of the instructions bound by it; what bounds
// an instruction may change by that, so it is done until nothing changes, 20 times at most. "bad-profile": it
// has no time of an instruction of the module that the device estimates.
Result<DeviceFit> fitDevice(const Module& module, const DeviceDescription& device,
                            const LatencyProfile& profile);

}  // namespace hilo
