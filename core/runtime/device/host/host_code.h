// Object code for this processor, loaded.
#pragma once

#include "core/runtime/device/device.h"
#include "core/runtime/device/host/kernel_function.h"
#include "core/runtime/device/host/object_code.h"

namespace hilo {

class HostCode final : public DeviceCode {
 public:
  // `object`: an ELF object, which may call the functions of kernel_symbols.h. Error kinds: those of
  // ObjectCode::load, which checks it.
  static Result<HostCode> load(std::span<const std::byte> object);

  // Null when there is none of this name. Valid as long as this or a copy is.
  KernelFunction function(std::string_view name) const;
  // Its machine code; empty when there is none of this name.
  std::span<const std::byte> bytes(std::string_view name) const { return code_.code(name); }

  Result<std::unique_ptr<DeviceKernel>> kernel(const std::string& name) override;
  Result<DeviceGlobal> global(const std::string& name) override;

 private:
  explicit HostCode(ObjectCode code) : code_(std::move(code)) {}
  ObjectCode code_;
};

// Its parameters are addresses, arguments first, then results; an iteration is a thread of the launch.
class HostKernel final : public DeviceKernel {
 public:
  explicit HostKernel(KernelFunction function) : function_(function) {}
  KernelFunction function() const { return function_; }
  const KernelFacts& facts() const override { return facts_; }

 private:
  KernelFunction function_;
  KernelFacts facts_;
};

}  // namespace hilo
