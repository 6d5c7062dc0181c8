#include "core/runtime/device/simulated/simulated_memory.h"

#include <algorithm>

namespace hilo {
namespace {

constexpr size_t kMostLaunches = 4096;  // older ones are taken to be before all that comes

}  // namespace

bool SimulatedBuffer::makeMarks() {
  marks.make((bytes >> cellShift) + 1, !isShared);
  return !marks.isEmpty();
}

bool SimulatedBuffer::divideCells(uint64_t size) {
  const uint32_t before = cellShift;
  while (cellShift > 0 && uint64_t{1} << cellShift > size) --cellShift;
  if (cellShift == before || marks.isEmpty()) return true;
  MarkArray finer;
  finer.make((bytes >> cellShift) + 1, !isShared);
  if (finer.isEmpty()) return false;
  for (uint64_t i = 0; i < bytes >> cellShift; ++i) {
    const CellMarks was = marks.valueAt(i >> (before - cellShift));
    if (was != CellMarks{}) *finer.at(i) = was;
  }
  marks = std::move(finer);
  return true;
}

void SimulatedMemory::add(std::string name, std::span<std::byte> bytes, bool isWritten) {
  buffers_[bytes.data()] = {
      .name = std::move(name), .address = bytes.data(), .bytes = bytes.size(), .isWritten = isWritten};
  last_ = nullptr;
}

void SimulatedMemory::remove(const std::byte* address) {
  buffers_.erase(address);
  last_ = nullptr;
}

bool SimulatedMemory::setWritten(const std::byte* address, const std::vector<bool>& isWritten) {
  SimulatedBuffer& buffer = *find(address);
  const AccessMark before{time_ << 1, 0};
  ++time_;
  buffer.isWritten = false;
  const auto isOneCell = [&](size_t at) {
    const size_t end = std::min(at + 4, isWritten.size());
    return std::all_of(isWritten.begin() + static_cast<ptrdiff_t>(at),
                       isWritten.begin() + static_cast<ptrdiff_t>(end),
                       [&](bool written) { return written == isWritten[at]; });
  };
  for (size_t at = 0; at < isWritten.size() && buffer.cellShift > 0; at += 4) {
    if (!isOneCell(at) && !buffer.divideCells(1)) return false;
  }
  if (!buffer.makeMarks()) return false;
  for (size_t at = 0; at < isWritten.size(); at += size_t{1} << buffer.cellShift) {
    if (isWritten[at]) buffer.marks.at(at >> buffer.cellShift)->written = before;
  }
  return true;
}

std::vector<bool> SimulatedMemory::written(const std::byte* address) {
  const SimulatedBuffer& buffer = *find(address);
  std::vector<bool> isWritten(buffer.bytes, buffer.isWritten);
  for (size_t at = 0; at < isWritten.size() && !buffer.isWritten && !buffer.marks.isEmpty(); ++at)
    isWritten[at] = buffer.marks.valueAt(at >> buffer.cellShift).written.time != 0;
  return isWritten;
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

void SimulatedMemory::join(Order& to, const Order& from) {
  for (const auto& [stream, count] : from) {
    uint32_t& known = to[stream];
    known = std::max(known, count);
  }
}

void SimulatedMemory::record(uint32_t event, uint32_t stream) { events_[event] = streams_[stream]; }

void SimulatedMemory::wait(uint32_t stream, uint32_t event) {
  const auto found = events_.find(event);
  if (found == events_.end()) return;
  const Order known = found->second;
  join(streams_[stream], known);
}

void SimulatedMemory::waitForAll() { launches_.clear(); }

void SimulatedMemory::beginLaunch(std::string kernel, uint32_t stream, uint32_t time) {
  time_ = time;
  Order& order = streams_[stream];
  besides_.clear();
  for (const Launch& other : launches_) {
    const auto known = order.find(other.stream);
    if (known == order.end() || known->second < other.number) besides_.push_back(other);
  }
  const uint32_t number = ++order[stream];
  if (launches_.size() == kMostLaunches) launches_.erase(launches_.begin());
  launches_.push_back({std::move(kernel), stream, number, time_, time_});
  uint32_t floor = time_;
  for (const Launch& other : besides_) floor = std::min(floor, other.begin);
  for (auto& [address, buffer] : buffers_) buffer.floor = floor;
}

void SimulatedMemory::endLaunch(uint32_t time) {
  time_ = time;
  if (!launches_.empty()) launches_.back().end = time;
}

const SimulatedMemory::Launch* SimulatedMemory::besides(uint32_t time) const {
  const auto found = std::ranges::find_if(
      besides_, [&](const Launch& launch) { return time >= launch.begin && time < launch.end; });
  return found == besides_.end() ? nullptr : &*found;
}

void SimulatedMemory::restart() {
  for (auto& [address, buffer] : buffers_) {
    buffer.marks = {};
    buffer.isWritten = true;  // which bytes were is forgotten too
  }
  launches_.clear();
  time_ = 1;
}

}  // namespace hilo
