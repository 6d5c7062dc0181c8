#include "core/runtime/executor/gpu_cliques.h"

#include <fmt/format.h>

#include <cstring>

namespace hilo {
namespace {

Bytes bytesOf(const NcclUniqueId& id) {
  Bytes bytes(sizeof(id));
  std::memcpy(bytes.data(), &id, sizeof(id));
  return bytes;
}
NcclUniqueId idOf(const Bytes& bytes) {
  NcclUniqueId id{};
  std::memcpy(&id, bytes.data(), sizeof(id));
  return id;
}

size_t placeIn(const std::vector<int64_t>& devices, int64_t device) {
  return static_cast<size_t>(std::ranges::find(devices, device) - devices.begin());
}

Status clear(const CollectiveArrays& arrays, Stream& stream) {
  for (size_t i = 0; i < arrays.resultBytes.size(); ++i) {
    if (arrays.resultBytes[i] > 0)
      TRY_STATUS(stream.fill(arrays.at.results[i], std::byte{0}, arrays.resultBytes[i]));
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<GpuCliques>> GpuCliques::open(const LibrarySearch& search) {
  TRY(auto nccl, Nccl::open(search));
  return std::unique_ptr<GpuCliques>(new GpuCliques(std::move(nccl)));
}

// The first member names the clique, where it is new.
Result<NcclRank*> GpuCliques::meet(const DeviceLink& link, Communicator::Key key, WaitPlace where) {
  const std::vector<int64_t> devices = key.group;
  const size_t place = placeIn(devices, link.device);
  NcclRank* known = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = ranks_.find({devices, link.device});
    if (found != ranks_.end()) known = found->second.get();
  }
  std::vector<Bytes> brought;
  if (known == nullptr && place == 0) {
    TRY(const NcclUniqueId id, nccl_->newClique());
    brought.push_back(bytesOf(id));
  }
  TRY(const auto exchange, link.communicator.bring(link.device, std::move(key), std::move(brought)));
  TRY_STATUS(link.communicator.await(link.device, *exchange, std::move(where)));
  if (known != nullptr) return known;
  if (exchange->contributions[0].empty())
    return fail("library-failed", "a clique of NCCL lost a member in an earlier run");
  TRY(auto joined, nccl_->join(idOf(exchange->contributions[0][0]), devices.size(), place));
  const std::scoped_lock lock(mutex_);
  return (ranks_[{devices, link.device}] = std::move(joined)).get();
}

Status runOnClique(GpuCliques& cliques, const Collective& collective, const std::string& name,
                   const CollectiveArrays& arrays, const DeviceLink& link, Stream& stream) {
  auto group = groupOf(collective, link);
  if (!group) return fail("malformed-instruction", fmt::format("{}: {}", name, group.error().message));
  const bool isPermute = collective.kind == CollectiveKind::Permute;
  if (group->devices.empty()) {
    if (isPermute || collective.kind == CollectiveKind::Broadcast) return clear(arrays, stream);
    return fail("malformed-instruction", fmt::format("{}: a device is in no group", name));
  }
  TRY(NcclRank* const rank,
      cliques.meet(
          link,
          {.kind = static_cast<int>(collective.kind), .channel = collective.channel, .group = group->devices},
          {.text = fmt::format("{} ({})", name, collectiveKindName(collective.kind)), .place = {}}));
  if (!isPermute) return rank->run(collective, arrays, stream);
  std::optional<int> source;
  if (group->source) source = static_cast<int>(placeIn(group->devices, *group->source));
  std::vector<int> targets;
  for (const int64_t target : group->targets)
    targets.push_back(static_cast<int>(placeIn(group->devices, target)));
  if (!source) TRY_STATUS(clear(arrays, stream));
  return rank->permute(arrays, source, targets, stream);
}

}  // namespace hilo
