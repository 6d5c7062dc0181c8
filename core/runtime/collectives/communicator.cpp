#include "core/runtime/collectives/communicator.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "core/base/check.h"

namespace hilo {
namespace {

int64_t bytesOf(const std::vector<Bytes>& values) {
  int64_t total = 0;
  for (const Bytes& value : values) total += static_cast<int64_t>(value.size());
  return total;
}

}  // namespace

Communicator::Communicator(DeviceGrid grid, CancelToken cancel, int64_t mailLimitBytes)
    : grid_(grid),
      cancel_(std::move(cancel)),
      mailLimitBytes_(mailLimitBytes),
      devices_(static_cast<size_t>(grid.count())),
      running_(grid.count()) {}
Communicator::~Communicator() = default;

Result<std::shared_ptr<Meeting>> Communicator::bring(int64_t device, const Key& key,
                                                     std::vector<Bytes> contribution) {
  const std::lock_guard lock(mutex_);
  if (failure_) return std::unexpected(*failure_);
  const int64_t time = devices_[static_cast<size_t>(device)].times[key]++;
  const std::pair place(key, time);
  std::shared_ptr<Meeting>& slot = open_[place];
  if (slot == nullptr) {
    slot = std::make_shared<Meeting>();
    slot->group = key.group;
    slot->contributions.resize(key.group.size());
    slot->came.resize(key.group.size());
    slot->missing = key.group.size();
  }
  const std::shared_ptr<Meeting> meeting = slot;
  const auto position = static_cast<size_t>(std::ranges::find(key.group, device) - key.group.begin());
  CHECK(position < key.group.size() && !meeting->came[position]);
  meeting->contributions[position] = std::move(contribution);
  meeting->came[position] = true;
  if (--meeting->missing > 0) return meeting;
  open_.erase(place);
  for (const int64_t member : key.group) {
    Device& other = devices_[static_cast<size_t>(member)];
    if (other.awaited == meeting.get()) release(other);
  }
  changed_.notify_all();
  return meeting;
}

Status Communicator::await(int64_t device, const Meeting& meeting, std::string_view where) {
  std::unique_lock lock(mutex_);
  if (failure_) return std::unexpected(*failure_);
  if (meeting.missing == 0) return {};
  devices_[static_cast<size_t>(device)].awaited = &meeting;
  return wait(lock, device, where);
}

Status Communicator::send(Route route, std::vector<Bytes> values) {
  const std::lock_guard lock(mutex_);
  if (failure_) return std::unexpected(*failure_);
  mailBytes_ += bytesOf(values);
  if (mailBytes_ > mailLimitBytes_) {
    return hilo::fail("out-of-memory",
                      fmt::format("over {} bytes were sent and not received", mailLimitBytes_));
  }
  mail_[route].push_back(std::move(values));
  if (const auto waiting = receivers_.find(route); waiting != receivers_.end()) {
    release(devices_[static_cast<size_t>(waiting->second)]);
    receivers_.erase(waiting);
    changed_.notify_all();
  }
  return {};
}

Result<std::vector<Bytes>> Communicator::receive(int64_t device, Route route, std::string_view where) {
  std::unique_lock lock(mutex_);
  if (failure_) return std::unexpected(*failure_);
  // Another receiver of the same route may be quicker, so a released one looks again.
  while (mail_[route].empty()) {
    receivers_.emplace(route, device);
    devices_[static_cast<size_t>(device)].route = route;
    TRY_STATUS(wait(lock, device, where));
  }
  std::deque<std::vector<Bytes>>& box = mail_[route];
  std::vector<Bytes> values = std::move(box.front());
  box.pop_front();
  mailBytes_ -= bytesOf(values);
  return values;
}

Status Communicator::wait(std::unique_lock<std::mutex>& lock, int64_t device, std::string_view where) {
  Device& self = devices_[static_cast<size_t>(device)];
  self.state = State::Waiting;
  self.where = where;
  --running_;
  checkDeadlock();
  while (self.state == State::Waiting && !failure_) {
    // Nobody tells when cancellation is asked for.
    changed_.wait_for(lock, std::chrono::milliseconds(20));
    if (cancel_.cancelled())
      fail({.kind = "cancelled", .message = "the run was cancelled", .place = {}, .notes = {}});
  }
  if (failure_) return std::unexpected(*failure_);
  return {};
}

void Communicator::release(Device& device) {
  CHECK(device.state == State::Waiting);
  device.state = State::Running;
  device.awaited = nullptr;
  ++running_;
}

void Communicator::fail(Diagnostic error) {
  if (failure_) return;
  failure_ = std::move(error);
  stopped_.store(true, std::memory_order_release);
  changed_.notify_all();
}

void Communicator::checkDeadlock() {
  if (running_ > 0 || failure_) return;
  Diagnostic found{.kind = "deadlock", .message = {}, .place = {}, .notes = {}};
  int64_t waiting = 0;
  for (size_t device = 0; device < devices_.size(); ++device) {
    const bool waits = devices_[device].state == State::Waiting;
    waiting += waits ? 1 : 0;
    // A note a device tells all that is to know; of a thousand devices the first ones do.
    constexpr size_t kMostNotes = 32;
    if (device < kMostNotes) {
      found.notes.push_back(fmt::format("{} {}", nameOf(static_cast<int64_t>(device)),
                                        waits ? describeWait(devices_[device]) : "has finished"));
    }
  }
  if (waiting == 0) return;
  found.message = fmt::format("{} of {} devices wait for what will not come", waiting, grid_.count());
  fail(std::move(found));
}

std::string Communicator::nameOf(int64_t device) const {
  return fmt::format("device {} (replica {}, partition {})", device, device / grid_.partitions,
                     device % grid_.partitions);
}

std::string Communicator::describeWait(const Device& device) const {
  std::vector<int64_t> missing;
  if (device.awaited == nullptr) {
    if (device.route.source == kAnyDevice)
      return fmt::format("waits at {} for something to be sent", device.where);
    missing = {device.route.source};
  } else {
    for (size_t i = 0; i < device.awaited->group.size(); ++i) {
      if (!device.awaited->came[i]) missing.push_back(device.awaited->group[i]);
    }
  }
  return fmt::format("waits at {} for {} {}", device.where, missing.size() == 1 ? "device" : "devices",
                     fmt::join(missing, ", "));
}

std::string Communicator::waitOf(int64_t device) const {
  const std::lock_guard lock(mutex_);
  const Device& it = devices_[static_cast<size_t>(device)];
  return it.state == State::Waiting ? describeWait(it) : "";
}

void Communicator::finish(int64_t device) {
  const std::lock_guard lock(mutex_);
  devices_[static_cast<size_t>(device)].state = State::Finished;
  --running_;
  checkDeadlock();
}

void Communicator::stop(Diagnostic error) {
  const std::lock_guard lock(mutex_);
  fail(std::move(error));
}

Diagnostic Communicator::failure() const {
  const std::lock_guard lock(mutex_);
  CHECK(failure_.has_value());
  return *failure_;
}

}  // namespace hilo
