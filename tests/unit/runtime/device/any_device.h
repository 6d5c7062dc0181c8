// The kinds of device that the tests of any_device_test.cpp run on: a program that has them says which.
#pragma once

#include <memory>
#include <vector>

#include "core/runtime/device/device.h"

namespace hilo {

struct DeviceKind {
  const char* name;
  Result<std::unique_ptr<Device>> (*make)();
  // In the form of the device: the kernel add_s32 of reducers.c.
  std::vector<std::byte> (*kernels)();
};

std::vector<DeviceKind> deviceKinds();

}  // namespace hilo
