#include "core/runtime/device/simulated/simulated_memory.h"

namespace hilo {

void SimulatedMemory::add(std::string name, std::span<std::byte> bytes, bool isWritten) {
  SimulatedBuffer& buffer = buffers_[bytes.data()];
  buffer.name = std::move(name);
  buffer.address = bytes.data();
  buffer.bytes = bytes.size();
  buffer.isWritten.clear();
  buffer.marks.clear();
  if (!isWritten) buffer.isWritten.assign(bytes.size(), false);
  last_ = nullptr;
}

void SimulatedMemory::remove(const std::byte* address) {
  buffers_.erase(address);
  last_ = nullptr;
}

SimulatedBuffer* SimulatedMemory::find(const std::byte* address) {
  if (last_ != nullptr && address >= last_->address && address < last_->address + last_->bytes) return last_;
  auto after = buffers_.upper_bound(address);
  if (after == buffers_.begin()) return nullptr;
  SimulatedBuffer& buffer = std::prev(after)->second;
  if (address >= buffer.address + buffer.bytes) return nullptr;
  return last_ = &buffer;
}

const SimulatedBuffer* SimulatedMemory::nearest(const std::byte* address) const {
  const auto after = buffers_.upper_bound(address);
  if (after == buffers_.begin()) return after == buffers_.end() ? nullptr : &after->second;
  const SimulatedBuffer& before = std::prev(after)->second;
  if (after == buffers_.end()) return &before;
  return address - (before.address + before.bytes) <= after->second.address - address ? &before
                                                                                      : &after->second;
}

void SimulatedMemory::forgetMarks() {
  for (auto& [address, buffer] : buffers_) buffer.marks.clear();
}

}  // namespace hilo
