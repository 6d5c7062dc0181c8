// Whom a device meets in a collective, and where it sends to and receives from.
#pragma once

#include <optional>
#include <vector>

#include "core/base/result.h"
#include "core/runtime/program/collectives.h"
#include "core/runtime/thunk/device_link.h"

namespace hilo {

// The devices that meet; empty when this one is left out. Of a permute, who sends to this device, and which
// devices it sends to.
struct CollectiveGroup {
  std::vector<int64_t> devices;
  std::optional<int64_t> source;
  std::vector<int64_t> targets = {};
};

// Error kinds as devicesOfGroup and devicesOfPairs.
Result<CollectiveGroup> groupOf(const Collective& collective, const DeviceLink& link);

// Where this device sends to (`asSource`) or receives from; empty when the pairs leave it out. Error kinds
// as devicesOfPairs.
Result<std::vector<Communicator::Route>> routesOf(const Collective& collective, const DeviceLink& link,
                                                  bool asSource);

}  // namespace hilo
