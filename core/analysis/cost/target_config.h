// A GPU as XLA describes it, in the file `gpu_target_config.pbtxt` of a dump, as a machine of the cost model.
//
// The file says memory, processors, clock, rates of the vector and (newer files) matrix units by type, and
// links in use. What it does not say (how much of the peak is reached, what lies between nodes, the least
// times) is taken from the built-in device of the same generation, and so are the rates of matrix units where
// that is of the same compute capability. Text of GpuTargetConfigProto
// (xla/stream_executor/device_description.proto).
#pragma once

#include "core/analysis/cost/device.h"

namespace hilo {

// The result's notes say what was taken from where. Error kinds: "bad-device" (which says what is
// missing), "text-proto-syntax".
Result<DeviceDescription> deviceOfTargetConfig(std::string_view text, const std::string& file);

}  // namespace hilo
