#include "core/runtime/thunk/collective_group.h"

#include <algorithm>

namespace hilo {

Result<CollectiveGroup> groupOf(const Collective& collective, const DeviceLink& link) {
  const DeviceGrid grid = link.communicator.grid();
  CollectiveGroup group;
  if (collective.kind != CollectiveKind::Permute) {
    TRY(group.devices, devicesOfGroup(collective.mode, collective.groups, grid, link.device));
    return group;
  }
  TRY(const auto pairs, devicesOfPairs(collective.mode, collective.groups, grid, link.device));
  for (const auto& [source, target] : pairs) {
    group.devices.push_back(source);
    group.devices.push_back(target);
    if (target == link.device) group.source = source;
    if (source == link.device) group.targets.push_back(target);
  }
  std::ranges::sort(group.devices);
  group.devices.erase(std::ranges::unique(group.devices).begin(), group.devices.end());
  if (std::ranges::find(group.devices, link.device) == group.devices.end()) group.devices.clear();
  return group;
}

Result<std::vector<Communicator::Route>> routesOf(const Collective& collective, const DeviceLink& link,
                                                  bool asSource) {
  using Route = Communicator::Route;
  if (!collective.hasPairs) return std::vector<Route>{{.channel = collective.channel}};
  TRY(const auto pairs,
      devicesOfPairs(collective.mode, collective.groups, link.communicator.grid(), link.device));
  std::vector<Route> routes;
  for (const auto& [source, target] : pairs) {
    if ((asSource ? source : target) == link.device)
      routes.push_back({.channel = collective.channel, .source = source, .target = target});
  }
  return routes;
}

}  // namespace hilo
