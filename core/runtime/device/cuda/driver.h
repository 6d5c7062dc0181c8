// The NVIDIA driver, loaded while running: a program that knows this room starts where there is none. Each
// function of driver_functions.def is a member of the same name.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/runtime/device/cuda/driver_types.h"

namespace hilo {

template <typename Type>
struct DriverFunction;
template <typename... Parameters>
struct DriverFunction<DriverResult(Parameters...)> {
  using Pointer = DriverResult (*)(Parameters...);
  const char* symbol;
  Pointer pointer = nullptr;
};

struct DriverFunctions {
#define DRIVER_FUNCTION(name, symbol, since, ...) DriverFunction<DriverResult(__VA_ARGS__)> name{symbol};
#include "core/runtime/device/cuda/driver_functions.def"
};

// Any thread.
struct DriverGraphFunctions {
#define DRIVER_FUNCTION(name, symbol, since, ...) DriverFunction<DriverResult(__VA_ARGS__)> name{symbol};
#include "core/runtime/device/cuda/graph_functions.def"
  // What the driver lacks of them: for any graph, and for one with loops and choices. "" where it has all.
  std::string lacking, lackingForLoops;
};

class Driver : public DriverFunctions {
 public:
  static constexpr const char* kLibrary = "libcuda.so.1";

  // Loads `library`, which then stays in the process, and starts the driver. Error kinds: "no-driver" (it
  // cannot be loaded, or is a stub), "old-driver" (it lacks a function, by name), "no-device" (it has no
  // GPU), and those of driver_errors.def.
  static Result<std::shared_ptr<const Driver>> load(const std::string& library = kLibrary);

  const DriverGraphFunctions& graphs() const { return graphs_; }

  // 13000 for 13.0: up to which CUDA the driver knows.
  int version() const { return version_; }

  // call(driver.streamCreate, &stream, flags): done, or an error as driver_errors.def says, with the driver's
  // own name of it and its text.
  template <typename... P, typename... A>
  Status call(const DriverFunction<DriverResult(P...)>& function, A... arguments) const {
    const DriverResult result = function.pointer(arguments...);
    if (result == kDriverDone) [[likely]]
      return {};
    return failure(result, function.symbol);
  }
  Status failure(DriverResult result, std::string_view symbol) const;

 private:
  Driver() = default;
  Status findFunctions(void* handle, const std::string& library);

  void findGraphFunctions(void* handle);

  int version_ = 0;
  DriverGraphFunctions graphs_;
};

// "13.0" of 13000.
std::string driverVersionText(int version);

}  // namespace hilo
