#include "core/hlo/ir/device_waits.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "core/base/check.h"

namespace hilo {

DeviceWaits::DeviceWaits(DeviceGrid grid, CancelToken cancel, std::string cancelled,
                         std::chrono::milliseconds limit)
    : grid_(grid),
      cancel_(std::move(cancel)),
      cancelled_(std::move(cancelled)),
      limit_(limit),
      devices_(static_cast<size_t>(grid.count())),
      running_(grid.count()) {}

Status DeviceWaits::checkRunning() const {
  if (failure_) return std::unexpected(*failure_);
  return {};
}

Status DeviceWaits::waitForGroup(Lock& lock, int64_t device, const GroupAttendance& awaited,
                                 WaitPlace where) {
  Device& self = deviceAt(device);
  self.awaited = &awaited;
  return wait(lock, self, std::move(where));
}

Status DeviceWaits::waitForSender(Lock& lock, int64_t device, int64_t source, WaitPlace where) {
  Device& self = deviceAt(device);
  self.source = source;
  return wait(lock, self, std::move(where));
}

Status DeviceWaits::wait(Lock& lock, Device& self, WaitPlace where) {
  self.state = State::Waiting;
  self.where = std::move(where);
  --running_;
  checkDeadlock();
  const auto since = std::chrono::steady_clock::now();
  while (self.state == State::Waiting && !failure_) {
    // Nobody tells when cancellation is asked for.
    changed_.wait_for(lock, std::chrono::milliseconds(20));
    if (cancel_.cancelled())
      stopLocked({.kind = "cancelled", .message = cancelled_, .place = {}, .notes = {}});
    const bool isLate = limit_.count() > 0 && std::chrono::steady_clock::now() - since > limit_;
    if (isLate && self.state == State::Waiting) stopLate();
  }
  return checkRunning();
}

void DeviceWaits::releaseGroup(const GroupAttendance& complete) {
  for (const int64_t member : complete.group) {
    if (deviceAt(member).awaited == &complete) release(deviceAt(member));
  }
}

void DeviceWaits::releaseReceiver(int64_t device) { release(deviceAt(device)); }

void DeviceWaits::release(Device& device) {
  CHECK(device.state == State::Waiting);
  device.state = State::Running;
  device.awaited = nullptr;
  ++running_;
  changed_.notify_all();
}

void DeviceWaits::stopLocked(Diagnostic error) {
  if (failure_) return;
  failure_ = std::move(error);
  stopped_.store(true, std::memory_order_release);
  changed_.notify_all();
}

void DeviceWaits::checkDeadlock() {
  if (running_ > 0 || failure_) return;
  const auto waiting =
      std::ranges::count_if(devices_, [](const Device& device) { return device.state == State::Waiting; });
  if (waiting == 0) return;
  stopLocked({.kind = "deadlock",
              .message = fmt::format("{} of {} devices wait for what will not come", waiting, grid_.count()),
              .place = placeOfWait(),
              .notes = describeAll()});
}

void DeviceWaits::stopLate() {
  stopLocked(
      {.kind = "rendezvous-timeout",
       .message = fmt::format("a device waited for others for more than {} ms, the limit", limit_.count()),
       .place = placeOfWait(),
       .notes = describeAll()});
}

Place DeviceWaits::placeOfWait() const {
  const auto first = std::ranges::find(devices_, State::Waiting, &Device::state);
  return first == devices_.end() ? Place{} : first->where.place;
}

std::vector<std::string> DeviceWaits::describeAll() const {
  // A line tells all that is to know of a device; of a thousand devices the first ones do.
  constexpr int64_t kMostLines = 32;
  std::vector<std::string> lines;
  for (int64_t device = 0; device < std::min(kMostLines, grid_.count()); ++device) {
    const Device& it = devices_[static_cast<size_t>(device)];
    lines.push_back(fmt::format("{} {}", nameOf(device),
                                it.state == State::Waiting    ? describeWait(it)
                                : it.state == State::Finished ? "has finished"
                                                              : "has not come: it is at work elsewhere"));
  }
  return lines;
}

std::string DeviceWaits::nameOf(int64_t device) const {
  return fmt::format("device {} (replica {}, partition {})", device, device / grid_.partitions,
                     device % grid_.partitions);
}

std::string DeviceWaits::describeWait(const Device& device) {
  std::vector<int64_t> missing;
  if (device.awaited == nullptr) {
    if (device.source == kAnyDevice)
      return fmt::format("waits at {} for something to be sent", device.where.text);
    missing = {device.source};
  } else {
    for (size_t i = 0; i < device.awaited->group.size(); ++i) {
      if (!device.awaited->came[i]) missing.push_back(device.awaited->group[i]);
    }
  }
  return fmt::format("waits at {} for {} {}", device.where.text, missing.size() == 1 ? "device" : "devices",
                     fmt::join(missing, ", "));
}

std::string DeviceWaits::waitOf(int64_t device) const {
  const Lock held = lock();
  const Device& it = devices_[static_cast<size_t>(device)];
  return it.state == State::Waiting ? describeWait(it) : "";
}

void DeviceWaits::finish(int64_t device) {
  const Lock held = lock();
  deviceAt(device).state = State::Finished;
  --running_;
  checkDeadlock();
}

void DeviceWaits::stop(Diagnostic error) {
  const Lock held = lock();
  stopLocked(std::move(error));
}

Diagnostic DeviceWaits::failure() const {
  const Lock held = lock();
  CHECK(failure_.has_value());
  return *failure_;
}

}  // namespace hilo
