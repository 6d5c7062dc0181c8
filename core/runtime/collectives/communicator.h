// Where the devices of one run meet: N of them in one process, each driven by a thread of its own.
//
// What crosses from device to device is copied on the way in, so that bringing never waits and no device
// reads another's memory. A collective takes place when all devices of its group have brought their part: the
// n-th time a device comes to one (kind, channel, group) it meets those that come there for the n-th time.
// When every device that is not done waits for another, that is an error of kind "deadlock" that names for
// each where it waits and for whom, and it ends the wait of all.
//
// Threads: any. One thread of a device waits at a time.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/result.h"
#include "core/hlo/ir/device_grid.h"

namespace hilo {

using Bytes = std::vector<std::byte>;

// What the devices of a group brought: [place in the group][operand].
struct Meeting {
  std::vector<int64_t> group;
  std::vector<std::vector<Bytes>> contributions;
  // For whoever wants something worked out once for all members, after everybody came.
  std::once_flag once;
  std::vector<Bytes> shared;

 private:
  friend class Communicator;
  std::vector<bool> came;
  size_t missing = 0;
};

class Communicator {
 public:
  // `mailLimitBytes` bounds what is sent and not yet received (kind "out-of-memory").
  explicit Communicator(DeviceGrid grid, CancelToken cancel = {}, int64_t mailLimitBytes = int64_t{1} << 34);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  DeviceGrid grid() const { return grid_; }

  // `kind` tells collectives apart that may not meet each other.
  struct Key {
    int kind = 0;
    int64_t channel = 0;
    std::vector<int64_t> group;  // devices, without repetition
    auto operator<=>(const Key&) const = default;
  };
  // `device` must be in the group. Errors: the run's own, once it failed.
  Result<std::shared_ptr<Meeting>> bring(int64_t device, const Key& key, std::vector<Bytes> contribution);
  // Until everybody has come. `where` is what messages call the place: "all-reduce.1 (all-reduce)". Error
  // kinds: "deadlock", "cancelled", and what another device failed with.
  Status await(int64_t device, const Meeting& meeting, std::string_view where);

  // Mail is kept in order for each route. kAnyDevice stands for a route that names channels alone.
  static constexpr int64_t kAnyDevice = -1;
  struct Route {
    int64_t channel = 0, source = kAnyDevice, target = kAnyDevice;
    auto operator<=>(const Route&) const = default;
  };
  Status send(Route route, std::vector<Bytes> values);
  // Waits for the next; errors as await.
  Result<std::vector<Bytes>> receive(int64_t device, Route route, std::string_view where);

  // A device ends, or an error ends the run: the first stays.
  void finish(int64_t device);
  void stop(Diagnostic error);
  bool stopped() const { return stopped_.load(std::memory_order_acquire); }
  // Only when stopped.
  Diagnostic failure() const;

  // "device 1 (replica 1, partition 0)"
  std::string nameOf(int64_t device) const;
  // Where the device waits and for whom; "" when it does not.
  std::string waitOf(int64_t device) const;

 private:
  enum class State : uint8_t { Running, Waiting, Finished };
  struct Device {
    State state = State::Running;
    std::string where;                 // while it waits: the place,
    const Meeting* awaited = nullptr;  // and either what it waits to be complete
    Route route;                       // or where it waits for mail
    std::map<Key, int64_t> times;      // how often it came to each
  };

  // All with the lock held. wait: until another device has released this one.
  Status wait(std::unique_lock<std::mutex>& lock, int64_t device, std::string_view where);
  void release(Device& device);
  void fail(Diagnostic error);
  void checkDeadlock();
  std::string describeWait(const Device& device) const;

  const DeviceGrid grid_;
  const CancelToken cancel_;
  const int64_t mailLimitBytes_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Device> devices_;
  int64_t running_;
  std::map<std::pair<Key, int64_t>, std::shared_ptr<Meeting>> open_;
  std::map<Route, std::deque<std::vector<Bytes>>> mail_;
  std::multimap<Route, int64_t> receivers_;
  int64_t mailBytes_ = 0;
  std::optional<Diagnostic> failure_;
  std::atomic<bool> stopped_ = false;
};

}  // namespace hilo
