#include "core/runtime/executor/stream_memory.h"

#include <fmt/format.h>

#include "core/runtime/executor/stream_run.h"

namespace hilo {

StreamMemory::StreamMemory(const DeviceExecutor::State& executor, const uint32_t (&ids)[2])
    : executor_(executor), ids_(ids), bases_(executor.program->allocations.size()) {}

Status StreamMemory::fill(Stream& stream, const DeviceMemory& memory, int64_t limitBytes) {
  stream.note({.name = "the arguments", .uses = {}});
  int64_t total = 0;
  for (uint32_t i = 0; i < executor_.program->allocations.size(); ++i) {
    const Allocation& allocation = executor_.program->allocations[i];
    if (allocation.kind == AllocationKind::Constant) {
      bases_[i] = executor_.constants[i];
      continue;
    }
    if (allocation.sizeBytes == 0) continue;
    if (allocation.sizeBytes > limitBytes - total)
      return fail("out-of-memory", fmt::format("the program needs more than {} bytes at once", limitBytes));
    total += allocation.sizeBytes;
    TRY(bases_[i], take(stream, allocation));
    TRY_STATUS(copyArgument(stream, i, memory));
  }
  return {};
}

Result<DeviceAddress> StreamMemory::take(Stream& stream, const Allocation& allocation) {
  if (allocation.isOnHost()) {
    TRY(auto memory, executor_.device->allocateHost(allocation.sizeBytes));
    const auto at = reinterpret_cast<uintptr_t>(memory->bytes().data());
    hostMemory_.push_back(std::move(memory));
    return static_cast<DeviceAddress>(at);
  }
  TRY(const DeviceAddress at, stream.allocate(allocation.sizeBytes));
  owned_.push_back(at);
  return at;
}

Status StreamMemory::copyArgument(Stream& stream, uint32_t allocation, const DeviceMemory& memory) {
  const Allocation& it = executor_.program->allocations[allocation];
  const auto bytes = static_cast<size_t>(it.sizeBytes);
  const auto copyIn = [&](const void* from) {
    return stream.copyIn(bases_[allocation], {static_cast<const std::byte*>(from), bytes});
  };
  switch (it.kind) {
    case AllocationKind::DeviceIds:
      return copyIn(ids_);
    case AllocationKind::ArgumentSizes:
      return copyIn(memory.argumentSizes);
    case AllocationKind::Parameter: {
      const Shape shape = executor_.parameterLeaves[it.number];
      if (isRowMajor(shape)) return copyIn(memory.arguments[it.number]);
      std::vector<std::byte>& staged = staged_.emplace_back(bytes);
      copyToBuffer(staged.data(), memory.arguments[it.number], shape);
      return copyIn(staged.data());
    }
    case AllocationKind::Temporary:
    case AllocationKind::Constant:
      return {};
  }
  return {};
}

Status StreamMemory::takeResults(Stream& stream, const DeviceMemory& memory) {
  stream.note({.name = "the results", .uses = {}});
  std::vector<std::vector<std::byte>> laidOut(executor_.resultLeaves.size());
  for (size_t i = 0; i < executor_.resultLeaves.size(); ++i) {
    const BufferSlice& slice = executor_.program->resultSlices[i];
    std::span<std::byte> to(memory.results[i], static_cast<size_t>(slice.sizeBytes));
    if (!isRowMajor(executor_.resultLeaves[i])) {
      laidOut[i].resize(to.size());
      to = laidOut[i];
    }
    TRY_STATUS(stream.copyOut(to, at(slice)));
  }
  for (size_t i = 0; i < executor_.program->resultSizes.size(); ++i) {
    auto* size = reinterpret_cast<std::byte*>(memory.resultSizes[i]);
    TRY_STATUS(stream.copyOut({size, sizeof(int32_t)}, at(executor_.program->resultSizes[i].size)));
  }
  TRY_STATUS(stream.synchronize());
  for (size_t i = 0; i < laidOut.size(); ++i) {
    if (!laidOut[i].empty()) copyFromBuffer(memory.results[i], laidOut[i].data(), executor_.resultLeaves[i]);
  }
  return {};
}

void StreamMemory::giveBack(Stream& stream) {
  for (const DeviceAddress address : owned_) (void)stream.free(address);
}

}  // namespace hilo
