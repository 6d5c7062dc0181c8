#include "core/runtime/device/simulated/device_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include <sys/mman.h>
#include <unistd.h>

namespace hilo {
namespace {

constexpr size_t kAlignment = 256;  // as the driver's

size_t roundedUp(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

std::byte* at(DeviceAddress address) { return reinterpret_cast<std::byte*>(address); }

}  // namespace

void DeviceAllocations::Unmap::operator()(std::byte* pages) const { munmap(pages, bytes); }

// Null where there is no memory.
DeviceAllocations::Pages DeviceAllocations::mapPages(size_t bytes) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t all = roundedUp(bytes, page) + page;
  void* place = mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) return {};
  Pages pages(static_cast<std::byte*>(place), Unmap{all});
  if (mprotect(pages.get() + all - page, page, PROT_NONE) != 0) return {};
  return pages;
}

Result<std::byte*> DeviceAllocations::allocate(int64_t bytes, std::optional<std::byte> pattern) {
  const size_t room = roundedUp(static_cast<size_t>(bytes), kAlignment);
  Pages pages = bytes > freeBytes() ? Pages() : mapPages(room);
  if (pages == nullptr)
    return fail("out-of-memory", fmt::format("{} bytes were asked for, and {} are free", bytes, freeBytes()));
  // At the end of what may be touched.
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  std::byte* memory = pages.get() + pages.get_deleter().bytes - page - room;
  if (pattern) std::memset(memory, std::to_integer<int>(*pattern), static_cast<size_t>(bytes));
  takenBytes_ += bytes;
  mostTakenBytes_ = std::max(mostTakenBytes_, takenBytes_);
  Allocated& piece = pieces_[memory];
  piece.pages = std::move(pages);
  piece.size = bytes;
  if (isChecked_) piece.isWritten.assign(static_cast<size_t>(bytes), false);
  return memory;
}

Status DeviceAllocations::free(const std::byte* address) {
  const auto found = pieces_.find(address);
  if (found == pieces_.end())
    return fail("illegal-address",
                fmt::format("nothing was allocated at {}", static_cast<const void*>(address)));
  takenBytes_ -= found->second.size;
  pieces_.erase(found);
  return {};
}

DeviceAllocations::Pieces::const_iterator DeviceAllocations::find(const std::byte* address) const {
  const auto after = pieces_.upper_bound(address);
  return after == pieces_.begin() ? pieces_.end() : std::prev(after);
}

int64_t DeviceAllocations::bytesAt(const std::byte* address) const {
  const auto found = pieces_.find(address);
  return found == pieces_.end() ? 0 : found->second.size;
}

Status DeviceAllocations::check(const std::byte* address, int64_t bytes) const {
  const auto found = find(address);
  if (bytes == 0 || (found != pieces_.end() && address - found->first + bytes <= found->second.size))
    return {};
  return fail("illegal-address", fmt::format("{} bytes at {} are not of one allocation", bytes,
                                             static_cast<const void*>(address)));
}

void DeviceAllocations::markWritten(const std::byte* address, int64_t bytes) {
  const auto found = find(address);
  if (bytes == 0 || found == pieces_.end() || found->second.isWritten.empty()) return;
  std::vector<bool>& isWritten = pieces_.at(found->first).isWritten;
  const auto begin = isWritten.begin() + (address - found->first);
  std::fill(begin, begin + bytes, true);
  if (bytes == found->second.size) isWritten.clear();
}

// Uses that overlap are one: of a kernel that works in place.
std::vector<WorkNote::Use> DeviceAllocations::disjoint(std::span<const WorkNote::Use> uses) const {
  std::vector<WorkNote::Use> sorted;
  for (const WorkNote::Use& use : uses) {
    if (use.bytes > 0) sorted.push_back(use);
  }
  if (uses.empty()) {
    for (const auto& [address, piece] : pieces_)
      sorted.push_back({static_cast<DeviceAddress>(reinterpret_cast<uintptr_t>(address)), piece.size,
                        fmt::format("the {} bytes at {}", piece.size, static_cast<const void*>(address)),
                        true});
  }
  std::ranges::sort(sorted, {}, [](const WorkNote::Use& use) { return at(use.at); });
  std::vector<WorkNote::Use> merged;
  for (WorkNote::Use& use : sorted) {
    const bool overlaps = !merged.empty() && at(use.at) < at(merged.back().at) + merged.back().bytes;
    if (!overlaps) {
      merged.push_back(std::move(use));
    } else {
      const int64_t end =
          std::max(at(use.at) + use.bytes, at(merged.back().at) + merged.back().bytes) - at(merged.back().at);
      merged.back().bytes = end;
    }
  }
  return merged;
}

Result<SimulatedMemory> DeviceAllocations::memoryFor(std::span<const WorkNote::Use> uses) {
  SimulatedMemory memory;
  for (const WorkNote::Use& use : disjoint(uses)) {
    const auto found = find(at(use.at));
    const bool isAll = found == pieces_.end() || found->second.isWritten.empty();
    memory.add(use.name, {at(use.at), static_cast<size_t>(use.bytes)}, isAll);
    if (isAll) continue;
    const auto begin = found->second.isWritten.begin() + (at(use.at) - found->first);
    if (!memory.setWritten(at(use.at), {begin, begin + use.bytes}))
      return fail("out-of-memory",
                  fmt::format("no memory is left to keep who wrote which of the {} bytes of {}", use.bytes,
                              use.name));
  }
  return memory;
}

void DeviceAllocations::keepWritten(SimulatedMemory& memory, std::span<const WorkNote::Use> uses) {
  for (const WorkNote::Use& use : disjoint(uses)) {
    const auto found = find(at(use.at));
    if (memory.find(at(use.at)) == nullptr || found == pieces_.end()) continue;
    std::vector<bool>& isWritten = pieces_.at(found->first).isWritten;
    if (isWritten.empty()) continue;
    const std::vector<bool> now = memory.written(at(use.at));
    std::copy(now.begin(), now.end(), isWritten.begin() + (at(use.at) - found->first));
    if (std::ranges::find(isWritten, false) == isWritten.end()) isWritten.clear();
  }
}

}  // namespace hilo
