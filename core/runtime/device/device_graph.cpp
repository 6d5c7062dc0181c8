#include "core/runtime/device/device_graph.h"

namespace hilo {

Result<std::unique_ptr<DeviceGraph>> Device::makeGraph(const WorkGraph&) {
  return fail("no-graphs", "this kind of device takes no graphs");
}

}  // namespace hilo
