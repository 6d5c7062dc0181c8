#include "core/runtime/device/cuda/cuda_code.h"

#include <fmt/format.h>

#include <sstream>

namespace hilo {
namespace {

// The lines of what the driver's compiler said, into the notes.
void addLog(Diagnostic& error, const std::string& log) {
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) error.notes.push_back(line);
  }
}

std::unexpected<Diagnostic> named(Status failed, const std::string& name) {
  failed.error().message = fmt::format("{}: {}", name, failed.error().message);
  return std::unexpected(std::move(failed).error());
}

}  // namespace

Result<std::unique_ptr<CudaCode>> CudaCode::load(const CudaContext& context, const DeviceFacts& device,
                                                 std::span<const std::byte> code) {
  // The driver reads PTX up to a zero byte.
  std::vector<std::byte> image(code.begin(), code.end());
  image.push_back(std::byte{0});
  std::string log(8192, '\0');
  DriverJitOption options[] = {DriverJitOption::kErrorLog, DriverJitOption::kErrorLogBytes};
  // Numbers are given in the place of a pointer.
  void* values[] = {log.data(), reinterpret_cast<void*>(log.size())};
  DriverModule module = nullptr;
  Status done = context.call(context.driver().moduleLoadData, &module, image.data(), 2U, options, values);
  if (!done) {
    addLog(done.error(), log.substr(0, log.find('\0')));
    return std::unexpected(std::move(done).error());
  }
  return std::unique_ptr<CudaCode>(new CudaCode(context, device, module));
}

CudaCode::~CudaCode() { (void)context_.call(context_.driver().moduleUnload, module_); }

Result<std::unique_ptr<DeviceKernel>> CudaCode::kernel(const std::string& name) {
  using Attribute = DriverKernelAttribute;
  const Driver& driver = context_.driver();
  DriverKernel kernel = nullptr;
  if (Status done = context_.call(driver.moduleGetFunction, &kernel, module_, name.c_str()); !done)
    return named(std::move(done), name);
  const auto get = [&](Attribute attribute) -> Result<int64_t> {
    int value = 0;
    TRY_STATUS(context_.call(driver.kernelGetAttribute, &value, attribute, kernel));
    return value;
  };
  KernelFacts facts;
  TRY(facts.registers, get(Attribute::kRegisters));
  TRY(facts.sharedBytes, get(Attribute::kSharedBytes));
  TRY(facts.localBytes, get(Attribute::kLocalBytes));
  TRY(facts.mostBlockThreads, get(Attribute::kMostBlockThreads));
  const auto set = [&](Attribute attribute, int64_t value) {
    return context_.call(driver.kernelSetAttribute, kernel, attribute, static_cast<int>(value));
  };
  if (device_.blockSharedBytesOptIn > device_.blockSharedBytes)
    TRY_STATUS(set(Attribute::kMostSharedBytes, device_.blockSharedBytesOptIn - facts.sharedBytes));
  if (device_.hasClusters) TRY_STATUS(set(Attribute::kLargeClusters, 1));
  return std::make_unique<CudaKernel>(kernel, facts);
}

Result<DeviceGlobal> CudaCode::global(const std::string& name) {
  DriverAddress address = 0;
  size_t bytes = 0;
  Status done = context_.call(context_.driver().moduleGetGlobal, &address, &bytes, module_, name.c_str());
  if (!done) return named(std::move(done), name);
  return DeviceGlobal{.address = static_cast<DeviceAddress>(address),
                      .sizeBytes = static_cast<int64_t>(bytes)};
}

}  // namespace hilo
