// Libraries with PJRT's C API that something is wrong with: another version, a small table, no functions; one
// that crashes when a client is made.
#include <cstdlib>

#include "core/runtime/pjrt/pjrt_api.h"

namespace {

hilo::PjrtError* done(void*) { return nullptr; }
[[maybe_unused]] hilo::PjrtError* crash(void*) { std::abort(); }

}  // namespace

extern "C" const hilo::PjrtApi* GetPjrtApi() {
  static hilo::PjrtApi api{};
  api.structBytes = sizeof(api);
  api.version.minor = hilo::kPjrtMinor;
  for (auto& function : api.functions) function = done;
#if defined(HILO_FAULT_NEWER)
  api.version.major = 1;
#elif defined(HILO_FAULT_SMALL)
  api.structBytes = 16;
#elif defined(HILO_FAULT_BARE)
  api.functions[static_cast<size_t>(hilo::PjrtFunction::Client_Compile)] = nullptr;
#elif defined(HILO_FAULT_CRASHING)
  api.functions[static_cast<size_t>(hilo::PjrtFunction::Client_Create)] = crash;
#endif
  return &api;
}
