// What an engine of a device leaves to others than its kernels: to libraries of the device's maker, and to
// this machine's processor, which is to say the host.
#pragma once

#include <array>
#include <functional>

#include "core/hlo/ir/module.h"
#include "core/runtime/program/program.h"

namespace hilo {

struct DeviceWork {
  // Which kinds of LibraryCall programs may ask for, by their index.
  std::array<bool, kLibraryCallCount> libraries = {};
  // A program for this machine's processor: what the host does in the place of a library, or because a module
  // asks for it.
  std::function<Result<Program>(const Module&)> compileForHost = nullptr;

  template <typename Call>
  bool mayAsk() const {
    return libraries[LibraryCall(Call()).index()];
  }
};

}  // namespace hilo
