#include "core/runtime/worker/worker_memory.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace hilo {
namespace {

std::unexpected<Diagnostic> noRoom(int64_t bytes) {
  return fail("out-of-memory", fmt::format("no room for {} bytes of arguments and results", bytes));
}

}  // namespace

Result<SharedMemory> SharedMemory::make(int64_t bytes) {
  FileDescriptor file(memfd_create("hilo", MFD_CLOEXEC));
  if (!file || ftruncate(file.get(), bytes) != 0) return noRoom(bytes);
  return open(std::move(file));
}

Result<SharedMemory> SharedMemory::open(FileDescriptor file) {
  struct stat about = {};
  if (!file || fstat(file.get(), &about) != 0)
    return fail("bad-message", "a message comes without its memory");
  if (about.st_size == 0) return SharedMemory(std::move(file), {});
  const auto size = static_cast<size_t>(about.st_size);
  void* place = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (place == MAP_FAILED) return noRoom(about.st_size);
  return SharedMemory(std::move(file), {static_cast<std::byte*>(place), size});
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : file_(std::move(other.file_)), bytes_(std::exchange(other.bytes_, {})) {}
SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(bytes_, other.bytes_);
  return *this;
}
SharedMemory::~SharedMemory() {
  if (!bytes_.empty()) munmap(bytes_.data(), bytes_.size());
}

Result<SharedMemoryPlan> planMemory(const Program& program, DeviceGrid grid, bool sharesArguments) {
  constexpr int64_t kMost = int64_t{1} << 46, kAlignment = 64;
  SharedMemoryPlan plan;
  const auto place = [&](Shape leaf) -> Result<int64_t> {
    const int64_t bytes = bufferBytes(leaf), at = plan.sizeBytes;
    if (bytes > kMost - at) return noRoom(bytes);
    plan.sizeBytes = (at + bytes + kAlignment - 1) / kAlignment * kAlignment;
    return at;
  };
  plan.devices.resize(static_cast<size_t>(grid.count()));
  for (size_t device = 0; device < plan.devices.size(); ++device) {
    std::vector<int64_t>& own = plan.devices[device].arguments;
    if (sharesArguments && device > 0) {
      own = plan.devices[0].arguments;
      plan.devices[device].argumentSizes = plan.devices[0].argumentSizes;
      continue;
    }
    const auto sizes = std::ssize(argumentSizePlaces(program.parameters));
    TRY(plan.devices[device].argumentSizes, place(Shape::array(ElementType::S32, {sizes})));
    for (const Shape parameter : program.parameters) {
      for (const Shape leaf : arrayLeaves(parameter)) {
        TRY(const int64_t at, place(leaf));
        own.push_back(at);
      }
    }
  }
  for (SharedMemoryPlan::Device& device : plan.devices) {
    for (const Shape leaf : arrayLeaves(program.result)) {
      TRY(const int64_t at, place(leaf));
      device.results.push_back(at);
    }
    for (size_t i = 0; i < program.resultSizes.size(); ++i) {
      TRY(const int64_t at, place(Shape::scalar(ElementType::S32)));
      device.resultSizes.push_back(at);
    }
  }
  return plan;
}

std::vector<DeviceMemory> memoryOf(const SharedMemoryPlan& plan, std::span<std::byte> bytes) {
  std::vector<DeviceMemory> devices;
  for (const SharedMemoryPlan::Device& device : plan.devices) {
    DeviceMemory& memory = devices.emplace_back();
    for (const int64_t at : device.arguments) memory.arguments.push_back(bytes.data() + at);
    memory.argumentSizes = reinterpret_cast<const int32_t*>(bytes.data() + device.argumentSizes);
    for (const int64_t at : device.results) memory.results.push_back(bytes.data() + at);
    for (const int64_t at : device.resultSizes)
      memory.resultSizes.push_back(reinterpret_cast<int32_t*>(bytes.data() + at));
  }
  return devices;
}

}  // namespace hilo
