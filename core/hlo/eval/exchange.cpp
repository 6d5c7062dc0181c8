#include "core/hlo/eval/exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "core/hlo/eval/eval_context.h"

namespace hilo {
namespace {

// The same values in bytes of their own.
Literal detached(const Literal& literal) {
  if (literal.isTuple()) {
    std::vector<Literal> elements;
    for (const Literal& element : literal.elements()) elements.push_back(detached(element));
    return Literal::tuple(std::move(elements));
  }
  Literal copy(literal.shape());
  if (const auto from = literal.bytes(); !from.empty())
    std::memcpy(copy.mutableBytes().data(), from.data(), from.size());
  copy.setDynamicSizes({literal.dynamicSizes().begin(), literal.dynamicSizes().end()});
  return copy;
}

int64_t bytesOf(const Literal& literal) {
  auto bytes = static_cast<int64_t>(literal.bytes().size());
  for (const Literal& element : literal.elements()) bytes += bytesOf(element);
  return bytes;
}

Diagnostic cancelledEvaluation() {
  return {.kind = "cancelled", .message = "evaluation was cancelled", .place = {}, .notes = {}};
}

}  // namespace

struct DeviceExchange::Meeting {
  Contributions contributions;
  std::vector<bool> came;
};

DeviceExchange::DeviceExchange(DeviceGrid grid, CancelToken cancel, int64_t mailLimitBytes)
    : grid_(grid),
      cancel_(std::move(cancel)),
      mailLimitBytes_(mailLimitBytes),
      devices_(static_cast<size_t>(grid.count())),
      running_(grid.count()) {}
DeviceExchange::~DeviceExchange() = default;

Result<std::shared_ptr<const Contributions>> DeviceExchange::meet(int64_t device,
                                                                  const Instruction& instruction,
                                                                  std::span<const int64_t> group,
                                                                  std::span<const Literal> mine) {
  std::vector<Literal> copies;
  for (const Literal& literal : mine) copies.push_back(detached(literal));
  const MeetingKey key{.opcode = instruction.opcode(),
                       .channel = instruction.get<Attr::ChannelId>().value_or(0),
                       .group = {group.begin(), group.end()}};

  std::unique_lock lock(mutex_);
  if (failure_) return std::unexpected(*failure_);
  std::shared_ptr<Meeting>& slot = meetings_[key];
  if (slot == nullptr) {
    slot = std::make_shared<Meeting>();
    slot->contributions.resize(group.size());
    slot->came.resize(group.size(), false);
  }
  const std::shared_ptr<Meeting> meeting = slot;
  const auto position = static_cast<size_t>(std::ranges::find(group, device) - group.begin());
  CHECK(position < group.size() && !meeting->came[position]);
  meeting->contributions[position] = std::move(copies);
  meeting->came[position] = true;

  if (std::ranges::count(meeting->came, false) == 0) {
    meetings_.erase(key);
    for (const int64_t member : group) {
      if (member != device) release(member);
    }
    changed_.notify_all();
  } else {
    std::vector<int64_t> missing;
    for (size_t i = 0; i < group.size(); ++i) {
      if (!meeting->came[i]) missing.push_back(group[i]);
      if (meeting->came[i] && group[i] != device) std::erase(devices_[group[i]].missing, device);
    }
    devices_[device].missing = std::move(missing);
    TRY_STATUS(wait(lock, device, instruction));
  }
  return std::shared_ptr<const Contributions>(meeting, &meeting->contributions);
}

Status DeviceExchange::send(const Instruction& instruction, Route route, const Literal& value) {
  Literal copy = detached(value);
  const std::lock_guard lock(mutex_);
  if (failure_) return std::unexpected(*failure_);
  mailBytes_ += bytesOf(copy);
  if (mailBytes_ > mailLimitBytes_) {
    return hilo::fail("memory-limit",
                      fmt::format("over {} bytes were sent and not received", mailLimitBytes_),
                      placeOf(instruction));
  }
  mail_[route].push_back(std::move(copy));
  if (const auto waiting = receivers_.find(route); waiting != receivers_.end()) {
    release(waiting->second);
    receivers_.erase(waiting);
    changed_.notify_all();
  }
  return {};
}

Result<Literal> DeviceExchange::receive(int64_t device, const Instruction& instruction, Route route) {
  std::unique_lock lock(mutex_);
  // Another receiver of the same route may be quicker, so a released one looks again.
  while (mail_[route].empty()) {
    if (failure_) return std::unexpected(*failure_);
    receivers_.emplace(route, device);
    devices_[device].missing.clear();
    if (route.source != kAnyDevice) devices_[device].missing = {route.source};
    TRY_STATUS(wait(lock, device, instruction));
  }
  std::deque<Literal>& box = mail_[route];
  Literal value = std::move(box.front());
  box.pop_front();
  mailBytes_ -= bytesOf(value);
  return value;
}

Status DeviceExchange::wait(std::unique_lock<std::mutex>& lock, int64_t device, const Instruction& at) {
  Device& self = devices_[device];
  self.state = State::Waiting;
  self.at = &at;
  --running_;
  checkDeadlock();
  while (self.state == State::Waiting && !failure_) {
    // Nobody tells when cancellation is asked for.
    changed_.wait_for(lock, std::chrono::milliseconds(20));
    if (cancel_.cancelled()) stop(cancelledEvaluation());
  }
  if (failure_) return std::unexpected(*failure_);
  return {};
}

void DeviceExchange::release(int64_t device) {
  CHECK(devices_[device].state == State::Waiting);
  devices_[device].state = State::Running;
  devices_[device].missing.clear();
  ++running_;
}

void DeviceExchange::stop(Diagnostic error) {
  if (failure_) return;
  failure_ = std::move(error);
  failed_ = true;
  changed_.notify_all();
}

void DeviceExchange::checkDeadlock() {
  if (running_ > 0 || failure_) return;
  if (std::ranges::none_of(devices_, [](const Device& d) { return d.state == State::Waiting; })) return;
  stop(deadlock());
}

std::string DeviceExchange::describe(int64_t device) const {
  const Device& it = devices_[device];
  const std::string name = fmt::format("device {} (replica {}, partition {})", device,
                                       device / grid_.partitions, device % grid_.partitions);
  if (it.state != State::Waiting) return fmt::format("{} has finished", name);
  const std::string at = fmt::format("{} waits at {} ({})", name, it.at->name(), it.at->opcodeText());
  if (it.missing.empty()) return fmt::format("{} for something to be sent", at);
  return fmt::format("{} for {} {}", at, it.missing.size() == 1 ? "device" : "devices",
                     fmt::join(it.missing, ", "));
}

Diagnostic DeviceExchange::deadlock() const {
  Diagnostic found{.kind = "deadlock", .message = {}, .place = {}, .notes = {}};
  int64_t waiting = 0;
  for (int64_t device = 0; device < grid_.count(); ++device) {
    if (devices_[device].state == State::Waiting) {
      if (waiting++ == 0) found.place = placeOf(*devices_[device].at);
    }
    // A note a device tells all that is to know; of a thousand devices the first ones do.
    constexpr int64_t kMostNotes = 32;
    if (device < kMostNotes) found.notes.push_back(describe(device));
  }
  found.message = fmt::format("{} of {} devices wait for what will not come", waiting, grid_.count());
  return found;
}

void DeviceExchange::finish(int64_t device) {
  const std::lock_guard lock(mutex_);
  devices_[device].state = State::Finished;
  --running_;
  checkDeadlock();
}

void DeviceExchange::fail(Diagnostic error) {
  const std::lock_guard lock(mutex_);
  stop(std::move(error));
}

Diagnostic DeviceExchange::failure() const {
  const std::lock_guard lock(mutex_);
  CHECK(failure_.has_value());
  return *failure_;
}

}  // namespace hilo
