// Where the devices of one evaluation meet (devices.h): collectives, the mail of sends and receives, and the
// watch for deadlocks. Any thread; every device calls from its own. What crosses from device to device is
// copied, so that no two threads share a literal's bytes.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/hlo/eval/evaluate.h"

namespace hilo {

// The operands each member brought to a collective, in the group's order.
using Contributions = std::vector<std::vector<Literal>>;

class DeviceExchange {
 public:
  // `mailLimitBytes` bounds what is sent but not yet received.
  DeviceExchange(DeviceGrid grid, CancelToken cancel, int64_t mailLimitBytes);
  ~DeviceExchange();

  DeviceGrid grid() const { return grid_; }

  // Brings `mine` to the collective at `instruction` and waits for the rest of the group. `group` lists
  // devices, `device` among them, without repetition.
  Result<std::shared_ptr<const Contributions>> meet(int64_t device, const Instruction& instruction,
                                                    std::span<const int64_t> group,
                                                    std::span<const Literal> mine);

  // Mail is kept in order for each route. kAnyDevice stands for a route that names channels alone.
  static constexpr int64_t kAnyDevice = -1;
  struct Route {
    int64_t channel = 0, source = kAnyDevice, target = kAnyDevice;
    auto operator<=>(const Route&) const = default;
  };
  Status send(const Instruction& instruction, Route route, const Literal& value);
  Result<Literal> receive(int64_t device, const Instruction& instruction, Route route);

  // A device ends: with its output, or with the error that stops all others.
  void finish(int64_t device);
  void fail(Diagnostic error);
  bool failed() const { return failed_.load(std::memory_order_relaxed); }
  // The error of the first device that failed, or the deadlock.
  Diagnostic failure() const;

 private:
  struct Meeting;
  struct MeetingKey {
    Opcode opcode;
    int64_t channel;
    std::vector<int64_t> group;
    auto operator<=>(const MeetingKey&) const = default;
  };
  enum class State : uint8_t { Running, Waiting, Finished };
  struct Device {
    State state = State::Running;
    const Instruction* at = nullptr;  // while waiting
    std::vector<int64_t> missing;     // devices that have not come, while it waits for any
  };

  // All with the lock held. wait: until another device has released this one.
  Status wait(std::unique_lock<std::mutex>& lock, int64_t device, const Instruction& at);
  void release(int64_t device);
  void stop(Diagnostic error);
  void checkDeadlock();
  Diagnostic deadlock() const;
  std::string describe(int64_t device) const;

  const DeviceGrid grid_;
  const CancelToken cancel_;
  const int64_t mailLimitBytes_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Device> devices_;
  int64_t running_;
  std::map<MeetingKey, std::shared_ptr<Meeting>> meetings_;
  std::map<Route, std::deque<Literal>> mail_;
  std::multimap<Route, int64_t> receivers_;  // devices that wait for mail, and at which route
  int64_t mailBytes_ = 0;
  std::optional<Diagnostic> failure_;
  std::atomic<bool> failed_ = false;  // the same, to be asked often
};

}  // namespace hilo
