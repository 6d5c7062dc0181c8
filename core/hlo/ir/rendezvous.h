// Where the devices of one run exchange values, each driven by a thread of its own: collectives, and sends
// and receives. The reference evaluator exchanges literals, compiled programs the bytes of their buffers.
//
// A device hands over values of its own and never waits to do so; it waits where it needs what others bring.
// An exchange is complete when all devices of its group have brought their values: the n-th time a device
// comes to one (kind, channel, group) it exchanges with those that come there for the n-th time.
//
// Threads: any. One thread of a device waits at a time.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <span>

#include "core/base/check.h"
#include "core/hlo/ir/device_waits.h"

namespace hilo {

// What the devices of a group brought: [place in the group][operand].
template <typename Payload>
struct GroupExchange : GroupAttendance {
  explicit GroupExchange(std::vector<int64_t> devices)
      : GroupAttendance(std::move(devices)), contributions(group.size()) {}

  std::vector<std::vector<Payload>> contributions;
  // For whoever wants something computed once for all members, after everybody came.
  std::once_flag once;
  std::vector<Payload> shared;
};

struct RendezvousOptions {
  CancelToken cancel = {};
  // Bounds what is sent and not yet received, and the kind of the error of a send beyond it.
  int64_t unreceivedLimitBytes = int64_t{1} << 34;
  std::string limitKind = "out-of-memory";
  // The message of the error of kind "cancelled".
  std::string cancelled = "the run was cancelled";
  // How long a device may wait for others at one place; 0: for ever.
  std::chrono::milliseconds waitLimit{0};
};

template <typename Payload>
class Rendezvous : public DeviceWaits {
 public:
  explicit Rendezvous(DeviceGrid grid, const RendezvousOptions& options = {})
      : DeviceWaits(grid, options.cancel, options.cancelled, options.waitLimit),
        unreceivedLimitBytes_(options.unreceivedLimitBytes),
        limitKind_(options.limitKind),
        times_(static_cast<size_t>(grid.count())) {}

  // `kind` tells collectives apart that do not exchange with each other.
  struct Key {
    int kind = 0;
    int64_t channel = 0;
    std::vector<int64_t> group;  // devices, without repetition
    auto operator<=>(const Key&) const = default;
  };
  // `device` must be in the group. Errors: the run's own, once it failed.
  Result<std::shared_ptr<GroupExchange<Payload>>> bring(int64_t device, const Key& key,
                                                        std::vector<Payload> contribution);
  // Until everybody has come. Error kinds: "deadlock", "cancelled", and what another device failed with.
  Status await(int64_t device, const GroupExchange<Payload>& exchange, WaitPlace where);

  // What is sent is kept in order for each route. kAnyDevice stands for a route that names channels alone.
  struct Route {
    int64_t channel = 0, source = kAnyDevice, target = kAnyDevice;
    auto operator<=>(const Route&) const = default;
  };
  // `bytes`: how large the values are. `place`: of the error of a send beyond the limit.
  Status send(Route route, std::vector<Payload> values, int64_t bytes, const Place& place = {});
  // Waits for the next; errors as await.
  Result<std::vector<Payload>> receive(int64_t device, Route route, const WaitPlace& where);

 private:
  struct Sent {
    std::vector<Payload> values;
    int64_t bytes = 0;
  };

  const int64_t unreceivedLimitBytes_;
  const std::string limitKind_;
  // All with the lock held.
  std::vector<std::map<Key, int64_t>> times_;  // by device: how often it came to each
  std::map<std::pair<Key, int64_t>, std::shared_ptr<GroupExchange<Payload>>> open_;
  std::map<Route, std::deque<Sent>> sent_;
  std::multimap<Route, int64_t> receivers_;  // devices that wait for a send, and on which route
  int64_t unreceivedBytes_ = 0;
};

template <typename Payload>
Result<std::shared_ptr<GroupExchange<Payload>>> Rendezvous<Payload>::bring(
    int64_t device, const Key& key, std::vector<Payload> contribution) {
  const Lock held = lock();
  TRY_STATUS(checkRunning());
  const std::pair turn(key, times_[static_cast<size_t>(device)][key]++);
  std::shared_ptr<GroupExchange<Payload>>& slot = open_[turn];
  if (slot == nullptr) slot = std::make_shared<GroupExchange<Payload>>(key.group);
  const std::shared_ptr<GroupExchange<Payload>> exchange = slot;
  const auto place = static_cast<size_t>(std::ranges::find(key.group, device) - key.group.begin());
  CHECK(place < key.group.size() && !exchange->came[place]);
  exchange->contributions[place] = std::move(contribution);
  exchange->came[place] = true;
  if (--exchange->missing > 0) return exchange;
  open_.erase(turn);
  releaseGroup(*exchange);
  return exchange;
}

template <typename Payload>
Status Rendezvous<Payload>::await(int64_t device, const GroupExchange<Payload>& exchange, WaitPlace where) {
  Lock held = lock();
  TRY_STATUS(checkRunning());
  if (exchange.missing == 0) return {};
  return waitForGroup(held, device, exchange, std::move(where));
}

template <typename Payload>
Status Rendezvous<Payload>::send(Route route, std::vector<Payload> values, int64_t bytes,
                                 const Place& place) {
  const Lock held = lock();
  TRY_STATUS(checkRunning());
  if (bytes > unreceivedLimitBytes_ - unreceivedBytes_) {
    return fail(limitKind_, fmt::format("over {} bytes were sent and not received", unreceivedLimitBytes_),
                place);
  }
  unreceivedBytes_ += bytes;
  sent_[route].push_back({std::move(values), bytes});
  if (const auto waiting = receivers_.find(route); waiting != receivers_.end()) {
    releaseReceiver(waiting->second);
    receivers_.erase(waiting);
  }
  return {};
}

template <typename Payload>
Result<std::vector<Payload>> Rendezvous<Payload>::receive(int64_t device, Route route,
                                                          const WaitPlace& where) {
  Lock held = lock();
  TRY_STATUS(checkRunning());
  std::deque<Sent>& sent = sent_[route];
  // Another receiver of the same route may be quicker, so a released one looks again.
  while (sent.empty()) {
    receivers_.emplace(route, device);
    TRY_STATUS(waitForSender(held, device, route.source, where));
  }
  Sent next = std::move(sent.front());
  sent.pop_front();
  unreceivedBytes_ -= next.bytes;
  return std::move(next.values);
}

}  // namespace hilo
