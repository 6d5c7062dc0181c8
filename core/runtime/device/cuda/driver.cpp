#include "core/runtime/device/cuda/driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace hilo {
namespace {

constexpr const char* kInstall =
    "NVIDIA's driver has it: on Debian and Ubuntu a package nvidia-driver, which takes libcuda1 along; in a "
    "container the host's, by the NVIDIA container toolkit";

// After an error of a kernel the driver refuses all that follows.
constexpr const char* kProcessIsLost = "this process can use the GPU no more: go on in a new one";

struct KnownError {
  DriverResult result;
  const char* kind;
  const char* remedy;
};
constexpr KnownError kErrors[] = {
#define DRIVER_ERROR(result, kind, remedy) {result, kind, remedy},
#include "core/runtime/device/cuda/driver_errors.def"
};

std::unexpected<Diagnostic> lacking(const std::string& library, int version, std::string_view symbol,
                                    int since) {
  const std::string whose =
      version == 0 ? library : fmt::format("the driver for CUDA {}", driverVersionText(version));
  return fail("old-driver",
              fmt::format("{} has no {}, which drivers for CUDA {} and newer have", whose, symbol,
                          driverVersionText(since)),
              {}, {"install a newer driver of NVIDIA's"});
}

}  // namespace

std::string driverVersionText(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

Result<std::shared_ptr<const Driver>> Driver::load(const std::string& library) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) {
    const char* why = dlerror();
    return fail("no-driver", fmt::format("no NVIDIA driver: {}", why != nullptr ? why : library), {},
                {kInstall});
  }
  std::shared_ptr<Driver> driver(new Driver);
  TRY_STATUS(driver->findFunctions(handle, library));
  TRY_STATUS(driver->call(driver->init, 0U));
  return driver;
}

Status Driver::findFunctions(void* handle, const std::string& library) {
#define DRIVER_FUNCTION(name, symbol, since, ...) \
  name.pointer = reinterpret_cast<decltype(name)::Pointer>(dlsym(handle, symbol));
#include "core/runtime/device/cuda/driver_functions.def"
  if (driverGetVersion.pointer != nullptr) TRY_STATUS(call(driverGetVersion, &version_));
#define DRIVER_FUNCTION(name, symbol, since, ...) \
  if (name.pointer == nullptr) return lacking(library, version_, symbol, since);
#include "core/runtime/device/cuda/driver_functions.def"
  findGraphFunctions(handle);
  return {};
}

void Driver::findGraphFunctions(void* handle) {
  constexpr int kLoops = 12030;
#define DRIVER_FUNCTION(name, symbol, since, ...)                                                   \
  graphs_.name.pointer = reinterpret_cast<decltype(graphs_.name)::Pointer>(dlsym(handle, symbol));  \
  if (std::string& lacking = since < kLoops ? graphs_.lacking : graphs_.lackingForLoops;            \
      graphs_.name.pointer == nullptr && lacking.empty())                                           \
    lacking = fmt::format("the driver has no {}, which drivers for CUDA {} and newer have", symbol, \
                          driverVersionText(since));
#include "core/runtime/device/cuda/graph_functions.def"
}

Status Driver::failure(DriverResult result, std::string_view symbol) const {
  const char* name = nullptr;
  const char* text = nullptr;
  if (getErrorName.pointer != nullptr) getErrorName.pointer(result, &name);
  if (getErrorString.pointer != nullptr) getErrorString.pointer(result, &text);
  std::string message =
      fmt::format("{}: {}", symbol, name != nullptr ? name : fmt::format("error {}", result));
  if (text != nullptr) message += fmt::format(" ({})", text);
  for (const KnownError& error : kErrors) {
    if (error.result != result) continue;
    std::vector<std::string> notes;
    if (*error.remedy != 0) notes.emplace_back(error.remedy);
    return fail(error.kind, std::move(message), {}, std::move(notes));
  }
  return fail("driver-failed", std::move(message));
}

}  // namespace hilo
