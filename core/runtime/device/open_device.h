// Which device a program is to run on, as plain data that may travel, and who opens it: the programs that use
// the runtime say which kinds there are.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/runtime/device/device.h"

namespace hilo {

// What a device that checks is asked for.
struct DeviceChecks {
  bool isChecked = false;                            // each access is looked at
  std::optional<uint64_t> orderSeed = std::nullopt;  // work of several streams in an order drawn from it
  friend bool operator==(const DeviceChecks&, const DeviceChecks&) = default;
};

struct DeviceChoice {
  std::string kind;                                  // "cuda"; "": this machine's processor, which needs none
  int64_t number = 0;                                // of several of the kind
  bool isChecked = false;                            // each access is looked at, where the kind can
  std::optional<uint64_t> orderSeed = std::nullopt;  // work of several streams in an order drawn from it
  // Thunks in a row from which on they are given as one graph; 0: none are.
  uint32_t graphThunks = 0;
  friend bool operator==(const DeviceChoice&, const DeviceChoice&) = default;
};

// Error kinds: "unknown-device" (there is no such kind here), "no-device" (of the kind there are not so
// many), and those of the kind.
using OpenDevice = std::function<Result<std::unique_ptr<Device>>(const DeviceChoice&)>;

}  // namespace hilo
