#include "tests/unit/runtime/device/cuda/fake_kernels.h"

#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>

extern "C" hilo::FakeDriver fakeDriverState;
hilo::FakeDriver fakeDriverState;

namespace hilo::fake {
namespace {

constexpr int kInvalidValue = 1, kInvalidContext = 201, kNotFound = 500;

FakeDriver& state() { return fakeDriverState; }
thread_local DriverContext current = nullptr;

// Writes the call down; what it shall give instead of being done.
DriverResult begin(const std::string& symbol, const std::string& rest = {}) {
  static std::mutex mutex;  // of `calls`: devices of a run have threads of their own
  const std::scoped_lock lock(mutex);
  state().calls.push_back(rest.empty() ? symbol : symbol + " " + rest);
  const auto found = state().failing.find(symbol);
  return found == state().failing.end() ? kDriverDone : found->second;
}
// Of what the driver refuses to a thread without a context.
DriverResult beginInContext(const std::string& symbol, const std::string& rest = {}) {
  const DriverResult result = begin(symbol, rest);
  return result == kDriverDone && current == nullptr ? kInvalidContext : result;
}

template <typename Handle>
DriverResult make(DriverResult result, Handle* handle) {
  if (result != kDriverDone) return result;
  *handle = reinterpret_cast<Handle>(std::malloc(1));
  std::atomic_ref(state().living).fetch_add(1);
  return kDriverDone;
}
DriverResult destroy(DriverResult result, void* handle) {
  if (result != kDriverDone) return result;
  if (handle == nullptr) return kInvalidValue;
  std::free(handle);
  std::atomic_ref(state().living).fetch_sub(1);
  return kDriverDone;
}
DriverResult allocate(DriverResult result, void** memory, size_t bytes) {
  if (result != kDriverDone) return result;
  if (bytes == 0) return kInvalidValue;
  *memory = std::malloc(bytes);
  std::atomic_ref(state().living).fetch_add(1);
  return kDriverDone;
}

std::byte* at(DriverAddress address) { return reinterpret_cast<std::byte*>(address); }

struct NamedError {
  int result;
  const char *name, *text;
};
constexpr NamedError kNamedErrors[] = {
    {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {218, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
};
DriverResult look(DriverResult result, const char** out, const char* NamedError::* field) {
  for (const NamedError& error : kNamedErrors) {
    if (error.result != result) continue;
    *out = error.*field;
    return kDriverDone;
  }
  *out = nullptr;
  return kInvalidValue;
}

}  // namespace

void addValues(void** parameters, uint32_t threads) {
  const auto* value = *static_cast<const int32_t**>(parameters[0]);
  auto* sum = *static_cast<int32_t**>(parameters[1]);
  for (uint32_t i = 0; i < threads; ++i) sum[i] += value[i];
}
DriverKernel setConditionKernel() {
  static char kernel;
  return reinterpret_cast<DriverKernel>(&kernel);
}

// Each is declared as the table has it, under the driver's symbol.
#define DRIVER_FUNCTION(name, symbol, since, ...) DriverResult name(__VA_ARGS__) __asm__(symbol);
#include "core/runtime/device/cuda/driver_functions.def"

DriverResult getErrorName(DriverResult result, const char** name) {
  return look(result, name, &NamedError::name);
}
DriverResult getErrorString(DriverResult result, const char** text) {
  return look(result, text, &NamedError::text);
}
DriverResult driverGetVersion(int* version) {
  *version = state().version;
  return begin("cuDriverGetVersion");
}
DriverResult init(unsigned) { return begin("cuInit"); }

DriverResult deviceGetCount(int* count) {
  *count = state().deviceCount;
  return begin("cuDeviceGetCount");
}
DriverResult deviceGet(DriverDevice* device, int ordinal) {
  *device = 10 + ordinal;  // no number that could be taken for the ordinal
  return begin("cuDeviceGet");
}
DriverResult deviceGetName(char* name, int bytes, DriverDevice device) {
  std::strncpy(name, fmt::format("fake GPU {}", device - 10).c_str(), static_cast<size_t>(bytes));
  return begin("cuDeviceGetName");
}
DriverResult deviceGetAttribute(int* value, int attribute, DriverDevice) {
  *value = state().attributes[attribute];
  return begin("cuDeviceGetAttribute");
}
DriverResult deviceTotalMem(size_t* bytes, DriverDevice) {
  *bytes = size_t{80} << 30;
  return begin("cuDeviceTotalMem");
}
DriverResult deviceGetDefaultMemPool(DriverPool* pool, DriverDevice) {
  *pool = nullptr;
  return begin("cuDeviceGetDefaultMemPool");
}
// The most that was used at once: as if nothing were given back.
DriverResult memPoolGetAttribute(DriverPool, int attribute, void* value) {
  *static_cast<uint64_t*>(value) = std::atomic_ref(state().pooledBytes).load();
  return begin("cuMemPoolGetAttribute", fmt::format("{}", attribute));
}
DriverResult memPoolSetAttribute(DriverPool, int attribute, void* value) {
  if (attribute == kPoolMostUsedBytes) std::atomic_ref(state().pooledBytes).store(0);
  return begin("cuMemPoolSetAttribute", fmt::format("{} {}", attribute, *static_cast<uint64_t*>(value)));
}

// The one context of the device, which counts how often it is retained.
DriverResult primaryContextRetain(DriverContext* context, DriverDevice) {
  static char primary;
  const DriverResult result = begin("cuDevicePrimaryCtxRetain");
  if (result != kDriverDone) return result;
  *context = reinterpret_cast<DriverContext>(&primary);
  std::atomic_ref(state().living).fetch_add(1);
  return kDriverDone;
}
DriverResult primaryContextRelease(DriverDevice) {
  std::atomic_ref(state().living).fetch_sub(1);
  current = nullptr;
  return begin("cuDevicePrimaryCtxRelease");
}
DriverResult contextSetCurrent(DriverContext context) {
  current = context;
  const auto found = state().failing.find("cuCtxSetCurrent");
  return found == state().failing.end() ? kDriverDone : found->second;
}

DriverResult moduleLoadData(DriverModule* module, const void* image, unsigned optionCount,
                            DriverJitOption* options, void** values) {
  const DriverResult result = beginInContext("cuModuleLoadDataEx", static_cast<const char*>(image));
  char* log = nullptr;
  size_t room = 0;
  for (unsigned i = 0; i < optionCount; ++i) {
    if (options[i] == DriverJitOption::kErrorLog) log = static_cast<char*>(values[i]);
    if (options[i] == DriverJitOption::kErrorLogBytes) room = reinterpret_cast<size_t>(values[i]);
  }
  if (log != nullptr && room > 0) std::strncpy(log, state().compilerLog.c_str(), room - 1);
  return make(result, module);
}
DriverResult moduleUnload(DriverModule module) { return destroy(beginInContext("cuModuleUnload"), module); }
DriverResult moduleGetFunction(DriverKernel* kernel, DriverModule module, const char* name) {
  *kernel = reinterpret_cast<DriverKernel>(module);
  const DriverResult result = beginInContext("cuModuleGetFunction", name);
  if (std::string_view(name) == "hilo_set_condition") *kernel = setConditionKernel();
  if (*kernel == setConditionKernel()) return result;
  return result == kDriverDone && std::string_view(name) != "add_s32" ? kNotFound : result;
}
DriverResult moduleGetGlobal(DriverAddress* address, size_t* bytes, DriverModule, const char* name) {
  *address = 4096;
  *bytes = 24;
  const DriverResult result = beginInContext("cuModuleGetGlobal", name);
  return result == kDriverDone && std::string_view(name) != "table" ? kNotFound : result;
}
DriverResult kernelGetAttribute(int* value, DriverKernelAttribute attribute, DriverKernel) {
  using Attribute = DriverKernelAttribute;
  *value = attribute == Attribute::kSharedBytes        ? state().kernelSharedBytes
           : attribute == Attribute::kRegisters        ? 40
           : attribute == Attribute::kLocalBytes       ? 16
           : attribute == Attribute::kMostBlockThreads ? 1024
                                                       : -1;
  return beginInContext("cuFuncGetAttribute");
}
DriverResult kernelSetAttribute(DriverKernel, DriverKernelAttribute attribute, int value) {
  return beginInContext("cuFuncSetAttribute", fmt::format("{} {}", static_cast<int>(attribute), value));
}
DriverResult launchKernel(const DriverLaunch* launch, DriverKernel, void** parameters, void** extra) {
  std::string shape =
      fmt::format("grid {} {} {} block {} {} {} shared {}", launch->gridX, launch->gridY, launch->gridZ,
                  launch->blockX, launch->blockY, launch->blockZ, launch->sharedBytes);
  for (unsigned i = 0; i < launch->attributeCount; ++i) {
    const DriverLaunchAttribute& attribute = launch->attributes[i];
    shape += fmt::format(" attribute {}: {} {} {}", attribute.id, attribute.value.x, attribute.value.y,
                         attribute.value.z);
  }
  const DriverResult result = beginInContext("cuLaunchKernelEx", shape);
  if (result != kDriverDone) return result;
  if (extra != nullptr) return kInvalidValue;
  addValues(parameters,
            launch->gridX * launch->gridY * launch->gridZ * launch->blockX * launch->blockY * launch->blockZ);
  return kDriverDone;
}

DriverResult memGetInfo(size_t* freeBytes, size_t* totalBytes) {
  *freeBytes = size_t{3} << 30;
  *totalBytes = size_t{80} << 30;
  return beginInContext("cuMemGetInfo");
}
DriverResult memAllocAsync(DriverAddress* address, size_t bytes, DriverStream) {
  std::atomic_ref(state().pooledBytes).fetch_add(bytes);
  return allocate(beginInContext("cuMemAllocAsync"), reinterpret_cast<void**>(address), bytes);
}
DriverResult memFreeAsync(DriverAddress address, DriverStream) {
  return destroy(beginInContext("cuMemFreeAsync"), at(address));
}
DriverResult memHostAlloc(void** memory, size_t bytes, unsigned flags) {
  return allocate(beginInContext("cuMemHostAlloc", fmt::format("{} flags {}", bytes, flags)), memory, bytes);
}
DriverResult memFreeHost(void* memory) { return destroy(beginInContext("cuMemFreeHost"), memory); }

// Done where nothing else is said.
DriverResult copied(DriverResult result, void* to, const void* from, size_t bytes) {
  if (result != kDriverDone) return result;
  if (bytes == 0) return kInvalidValue;
  std::memmove(to, from, bytes);
  return kDriverDone;
}
DriverResult memcpyHtoDAsync(DriverAddress to, const void* from, size_t bytes, DriverStream) {
  return copied(beginInContext("cuMemcpyHtoDAsync"), at(to), from, bytes);
}
DriverResult memcpyDtoHAsync(void* to, DriverAddress from, size_t bytes, DriverStream) {
  return copied(beginInContext("cuMemcpyDtoHAsync"), to, at(from), bytes);
}
DriverResult memcpyDtoDAsync(DriverAddress to, DriverAddress from, size_t bytes, DriverStream) {
  return copied(beginInContext("cuMemcpyDtoDAsync"), at(to), at(from), bytes);
}
DriverResult memsetD8Async(DriverAddress to, unsigned char value, size_t bytes, DriverStream) {
  const DriverResult result = beginInContext("cuMemsetD8Async");
  if (result == kDriverDone) std::memset(at(to), value, bytes);
  return result;
}

DriverResult streamCreate(DriverStream* stream, unsigned flags) {
  return make(beginInContext("cuStreamCreate", fmt::format("flags {}", flags)), stream);
}
DriverResult streamDestroy(DriverStream stream) { return destroy(beginInContext("cuStreamDestroy"), stream); }
DriverResult streamSynchronize(DriverStream) { return beginInContext("cuStreamSynchronize"); }
DriverResult streamWaitEvent(DriverStream, DriverEvent, unsigned) {
  return beginInContext("cuStreamWaitEvent");
}
DriverResult eventCreate(DriverEvent* event, unsigned) {
  return make(beginInContext("cuEventCreate"), event);
}
DriverResult eventDestroy(DriverEvent event) { return destroy(beginInContext("cuEventDestroy"), event); }
DriverResult eventRecord(DriverEvent, DriverStream) { return beginInContext("cuEventRecord"); }
DriverResult eventQuery(DriverEvent) { return beginInContext("cuEventQuery"); }
DriverResult eventSynchronize(DriverEvent) { return beginInContext("cuEventSynchronize"); }
DriverResult eventElapsedTime(float* milliseconds, DriverEvent, DriverEvent) {
  *milliseconds = 0.25F;
  return beginInContext("cuEventElapsedTime");
}

}  // namespace hilo::fake
