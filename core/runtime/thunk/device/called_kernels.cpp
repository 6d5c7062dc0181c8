#include "core/runtime/thunk/device/called_kernels.h"

#include <cstring>
#include <utility>

#include "core/base/check.h"
#include "core/runtime/thunk/device/grid_kernel.h"

namespace hilo {
namespace {

constexpr int64_t kAlignment = 64;
int64_t aligned(int64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace

CalledKernels::CalledKernels(const Program& program, Device& device,
                             std::span<const std::unique_ptr<DeviceKernel>> kernels)
    : program_(program), device_(device), kernels_(kernels), buffers_(program.kernels.size()) {
  noteCallers(program);
  for (uint32_t kernel = 0; kernel < program.kernels.size(); ++kernel) {
    calls_.push_back({.elsewhere = [this, kernel](void* const* buffers, int64_t begin, int64_t end) {
      CHECK(begin == 0, program_.kernels[kernel].name);
      call(kernel, buffers, end);
    }});
  }
}

// A comparator's are one pred, then of each array an element of the left and one of the right side; a
// reduction's are what is added and what to.
void CalledKernels::noteCallers(const Program& program) {
  for (const ThunkSequence& sequence : program.sequences) {
    for (const Thunk& thunk : sequence) {
      const auto* sort = std::get_if<SortThunk>(&thunk.body);
      if (sort == nullptr || sort->comparator.empty()) continue;
      std::vector<int64_t>& bytes = buffers_[sort->comparator[0]].bytes;
      bytes = {1};
      for (const int64_t element : sort->elementBytes) bytes.insert(bytes.end(), {element, element});
    }
  }
  for (const Collective& collective : program.collectives) {
    for (const CollectiveReduction& by : collective.reductions) {
      constexpr int64_t kSumBytes = sizeof(double);
      const int64_t element = elementStorageBytes(by.type);
      buffers_[by.accumulate].bytes = {element, by.widens ? kSumBytes : element};
      if (by.widens) buffers_[by.narrow].bytes = {kSumBytes, element};
    }
  }
}

void CalledKernels::call(uint32_t kernel, void* const* buffers, int64_t count) {
  const std::lock_guard lock(mutex_);
  if (!failure_) return;
  failure_ = launch(kernel, buffers, count);
  if (!failure_) failure_.error().place.instruction = program_.kernels[kernel].name;
}

Status CalledKernels::launch(uint32_t kernel, void* const* buffers, int64_t count) {
  const std::vector<int64_t>& bytes = buffers_[kernel].bytes;
  CHECK(!bytes.empty(), program_.kernels[kernel].name);
  int64_t total = 0;
  for (const int64_t each : bytes) total += aligned(each * count);
  if (stream_ == nullptr) {
    TRY(stream_, device_.makeStream());
  }
  if (shared_ == nullptr || static_cast<int64_t>(shared_->bytes().size()) < total) {
    TRY(shared_, device_.allocateHost(total));
  }
  std::vector<DeviceAddress> addresses;
  WorkNote note{.name = program_.kernels[kernel].name, .uses = {}};
  std::byte* at = shared_->bytes().data();
  for (size_t i = 0; i < bytes.size(); ++i) {
    const int64_t size = bytes[i] * count;
    std::memcpy(at, buffers[i], static_cast<size_t>(size));
    addresses.push_back(static_cast<DeviceAddress>(reinterpret_cast<uintptr_t>(at)));
    note.uses.push_back({addresses.back(), size, "an array of the host", true});
    at += aligned(size);
  }
  if (device_.takesNotes()) stream_->note(std::move(note));
  TRY_STATUS(launchGrid(*stream_, *kernels_[kernel], program_.kernels[kernel].launch, addresses, count));
  TRY_STATUS(stream_->synchronize());
  at = shared_->bytes().data();
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::memcpy(buffers[i], at, static_cast<size_t>(bytes[i] * count));
    at += aligned(bytes[i] * count);
  }
  return {};
}

Status CalledKernels::takeFailure() {
  const std::lock_guard lock(mutex_);
  return std::exchange(failure_, Status());
}

}  // namespace hilo
