// GetPjrtApi(): Hilo's engines as a library of PJRT's C API. docs/pjrt.md lists the functions.
#include <fmt/format.h>

#include "app/pjrt/functions.h"

namespace hilo {
namespace {

// In the place of what is not there.
template <PjrtFunction kFunction>
PjrtError* refuse(void*) {
  return makeError(PjrtCode::Unimplemented,
                   fmt::format("PJRT_{} is not supported by Hilo", pjrtFunctionName(kFunction)));
}

PjrtApi makeApi() {
  PjrtApi api{};
  api.structBytes = sizeof(api);
  api.version.structBytes = sizeof(api.version);
  api.version.major = kPjrtMajor;
  api.version.minor = kPjrtMinor;
  size_t place = 0;
#define PJRT_FUNCTION(name, arguments) api.functions[place++] = refuse<PjrtFunction::name>;
#include "core/runtime/pjrt/pjrt_functions.def"
  for (const auto rows : {errorRows(), eventRows(), clientRows(), deviceRows(), topologyRows(),
                          executableRows(), loadedRows(), bufferRows(), copyRows()}) {
    for (const PjrtFunctionRow& row : rows) api.functions[static_cast<size_t>(row.function)] = row.pointer;
  }
  return api;
}

}  // namespace
}  // namespace hilo

extern "C" __attribute__((visibility("default"))) const hilo::PjrtApi* GetPjrtApi() {
  static const hilo::PjrtApi api = hilo::makeApi();
  return &api;
}
