#include "plugins/stablehlo/group_lists.h"

#include <numeric>

namespace hilo::stablehlo {
namespace {

using Groups = std::vector<std::vector<int64_t>>;
constexpr int64_t kMaxDevices = 1 << 20;

// [groups, size] <= [dims] T(permutation): the numbers from 0 on as an array of `dims`, its dimensions
// permuted, read row by row.
std::optional<Groups> expand(const pb::IotaReplicaGroupListProto& list) {
  const std::vector<int64_t> dims(list.iota_reshape_dims().begin(), list.iota_reshape_dims().end());
  std::vector<size_t> order(list.iota_transpose_perm().begin(), list.iota_transpose_perm().end());
  if (order.empty()) {
    order.resize(dims.size());
    std::iota(order.begin(), order.end(), 0);
  }
  int64_t count = 1;
  for (const int64_t size : dims) {
    if (size < 1 || size > kMaxDevices || (count *= size) > kMaxDevices) return {};
  }
  const int64_t groups = list.num_replica_groups(), members = list.num_devices_per_group();
  if (order.size() != dims.size() || groups < 1 || members < 1 || count % groups != 0 ||
      count / groups != members)
    return {};
  std::vector<int64_t> strides(dims.size(), 1);
  for (size_t n = dims.size(); n-- > 1;) strides[n - 1] = strides[n] * dims[n];
  std::vector<int64_t> numbers{0};
  for (const size_t dim : order) {
    if (dim >= dims.size()) return {};
    std::vector<int64_t> next;
    for (const int64_t number : numbers) {
      for (int64_t at = 0; at < dims[dim]; ++at) next.push_back(number + at * strides[dim]);
    }
    numbers = std::move(next);
    if (static_cast<int64_t>(numbers.size()) > kMaxDevices) return {};
  }
  Groups lists;
  for (auto at = numbers.begin(); at != numbers.end(); at += members) lists.emplace_back(at, at + members);
  return lists;
}

}  // namespace

std::optional<Groups> groupLists(const pb::HloInstructionProto& hlo) {
  const pb::CollectiveDeviceListProto& devices = hlo.collective_device_list();
  if (hlo.has_mesh_axes_replica_group_list()) return {};
  if (hlo.has_iota_collective_device_list()) return expand(hlo.iota_collective_device_list());
  if (devices.has_iota_replica_group_list()) return expand(devices.iota_replica_group_list());
  Groups lists;
  for (const auto& group : hlo.has_collective_device_list() ? devices.replica_groups() : hlo.replica_groups())
    lists.emplace_back(group.replica_ids().begin(), group.replica_ids().end());
  return lists;
}

}  // namespace hilo::stablehlo
