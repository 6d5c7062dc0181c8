// Which devices of a run wait, where and for whom, and the watch for deadlocks: the part of a rendezvous
// (rendezvous.h) that does not know what is exchanged.
//
// When every device that has not finished waits for another, that is an error of kind "deadlock" that names
// for each where it waits and for whom, and it ends the wait of all. Where one neither comes nor waits, a
// wait longer than a limit is an error of kind "rendezvous-timeout".
//
// Threads: any. One thread of a device waits at a time.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/result.h"
#include "core/hlo/ir/device_grid.h"

namespace hilo {

// Who of a group has come.
struct GroupAttendance {
  explicit GroupAttendance(std::vector<int64_t> devices)
      : group(std::move(devices)), came(group.size()), missing(group.size()) {}

  const std::vector<int64_t> group;  // devices, without repetition
  std::vector<bool> came;            // by place in the group
  size_t missing;
};

// Where a device waits.
struct WaitPlace {
  std::string text;  // what messages call it: "all-reduce.1 (all-reduce)"
  Place place;       // where a deadlock is reported; of the first device that waits
};

class DeviceWaits {
 public:
  DeviceWaits(const DeviceWaits&) = delete;
  DeviceWaits& operator=(const DeviceWaits&) = delete;

  // Stands for a sender that is not known.
  static constexpr int64_t kAnyDevice = -1;

  DeviceGrid grid() const { return grid_; }

  // A device ends, or an error ends the run: the first error stays.
  void finish(int64_t device);
  void stop(Diagnostic error);
  bool stopped() const { return stopped_.load(std::memory_order_acquire); }
  // Only when stopped.
  Diagnostic failure() const;

  // "device 1 (replica 1, partition 0)"
  std::string nameOf(int64_t device) const;
  // Where the device waits and for whom; "" when it does not.
  std::string waitOf(int64_t device) const;

 protected:
  // `cancelled`: the message of the error of kind "cancelled" that ends all waits when cancelling
  // is asked for. `limit`: of one wait; 0: none.
  DeviceWaits(DeviceGrid grid, CancelToken cancel, std::string cancelled,
              std::chrono::milliseconds limit = {});
  ~DeviceWaits() = default;

  using Lock = std::unique_lock<std::mutex>;
  Lock lock() const { return Lock(mutex_); }

  // All below with the lock held. The error of the run, once it failed.
  Status checkRunning() const;
  // Until another device has released this one. Error kinds: "deadlock", "rendezvous-timeout", "cancelled",
  // and what another device failed with.
  Status waitForGroup(Lock& lock, int64_t device, const GroupAttendance& awaited, WaitPlace where);
  Status waitForSender(Lock& lock, int64_t device, int64_t source, WaitPlace where);
  // Releases those that wait for the group, which is complete.
  void releaseGroup(const GroupAttendance& complete);
  void releaseReceiver(int64_t device);

 private:
  enum class State : uint8_t { Running, Waiting, Finished };
  struct Device {
    State state = State::Running;
    // While it waits: where, and either the group it waits for or the sender.
    WaitPlace where;
    const GroupAttendance* awaited = nullptr;
    int64_t source = kAnyDevice;
  };

  Device& deviceAt(int64_t device) { return devices_[static_cast<size_t>(device)]; }
  Status wait(Lock& lock, Device& self, WaitPlace where);
  void release(Device& device);
  void stopLocked(Diagnostic error);
  void checkDeadlock();
  void stopLate();
  // A line a device: where it waits and for whom, or that it does not.
  std::vector<std::string> describeAll() const;
  // Of the first device that waits.
  Place placeOfWait() const;
  static std::string describeWait(const Device& device);

  const DeviceGrid grid_;
  const CancelToken cancel_;
  const std::string cancelled_;
  const std::chrono::milliseconds limit_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Device> devices_;
  int64_t running_;
  std::optional<Diagnostic> failure_;
  std::atomic<bool> stopped_ = false;  // the same, to be asked often
};

}  // namespace hilo
