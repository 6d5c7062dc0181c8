#include "core/runtime/device/host/host_code.h"

#include <fmt/format.h>

#include "core/runtime/device/host/kernel_symbols.h"

namespace hilo {
namespace {

std::unexpected<Diagnostic> noSymbol(const std::string& name) {
  return fail("no-symbol", fmt::format("the object code has no symbol {}", name));
}

}  // namespace

Result<HostCode> HostCode::load(std::span<const std::byte> object) {
  TRY(ObjectCode code, ObjectCode::load(object, kernelSymbol));
  return HostCode(std::move(code));
}

KernelFunction HostCode::function(std::string_view name) const {
  return reinterpret_cast<KernelFunction>(code_.symbol(name));
}

Result<std::unique_ptr<DeviceKernel>> HostCode::kernel(const std::string& name) {
  const KernelFunction found = function(name);
  if (found == nullptr) return noSymbol(name);
  return std::make_unique<HostKernel>(found);
}

Result<DeviceGlobal> HostCode::global(const std::string& name) {
  const std::span<const std::byte> found = code_.code(name);
  if (found.data() == nullptr) return noSymbol(name);
  return DeviceGlobal{.address = static_cast<DeviceAddress>(reinterpret_cast<uintptr_t>(found.data())),
                      .sizeBytes = static_cast<int64_t>(found.size())};
}

}  // namespace hilo
