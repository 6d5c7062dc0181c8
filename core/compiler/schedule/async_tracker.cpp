#include "core/compiler/schedule/async_tracker.h"

#include "core/analysis/async_chain.h"
#include "core/analysis/backend.h"
#include "core/base/check.h"
#include "core/base/enum_table.h"

namespace hilo {
namespace {

constexpr int kMaxCallDepth = 200;

Resource resourceForOp(Opcode opcode) {
  switch (opcode) {
    case Opcode::AllReduce:
      return Resource::AllReduce;
    case Opcode::AllGather:
      return Resource::AllGather;
    case Opcode::AllToAll:
      return Resource::AllToAll;
    case Opcode::RaggedAllToAll:
      return Resource::RaggedAllToAll;
    case Opcode::CollectiveBroadcast:
      return Resource::CollectiveBroadcast;
    case Opcode::CollectivePermute:
      return Resource::CollectivePermute;
    case Opcode::Copy:
      return Resource::Copy;
    case Opcode::ReduceScatter:
      return Resource::ReduceScatter;
    default:
      return Resource::NoResource;
  }
}

bool isHostTransfer(const Instruction& instruction) {
  return instruction.get<Attr::IsHostTransfer>().value_or(false);
}

bool callsForTracking(const Instruction& instruction) {
  return instruction.opcode() != Opcode::AsyncStart && instruction.opcode() != Opcode::AsyncDone &&
         !instruction.calledComputations().empty();
}

}  // namespace

std::string_view resourceName(Resource resource) {
  static constexpr EnumTable<Resource, std::string_view> kNames({
#define RESOURCE(name) "k" #name,
#include "core/compiler/schedule/resources.def"
  });
  return kNames[resource];
}

ResourceUsage AsyncTracker::usageOf(AsyncRole role) const {
  return (role == AsyncRole::Start) == config_.topDownScheduling ? ResourceUsage::Occupy
                                                                 : ResourceUsage::Release;
}

bool AsyncTracker::isSupported(const Instruction& instruction, AsyncRole role) const {
  switch (instruction.opcode()) {
    case Opcode::Send:
    case Opcode::Recv:
      return role == AsyncRole::Start && config_.scheduleSendRecvs;
    case Opcode::SendDone:
    case Opcode::RecvDone:
      return role == AsyncRole::Done && config_.scheduleSendRecvs;
    default:
      break;
  }
  const CanonicalAsyncOp op = canonicalAsyncOp(instruction, false);
  if (op.role != role) return false;
  if (isAsyncLink(instruction) && asyncExecutionThread(instruction) != executionThread(instruction.parent()))
    return true;
  return isCollectiveCommunication(op.inner) || op.inner == Opcode::Copy;
}

bool AsyncTracker::isSupportedAsyncStart(const Instruction& instruction) const {
  return isSupported(instruction, AsyncRole::Start);
}

bool AsyncTracker::isSupportedAsyncDone(const Instruction& instruction) const {
  return isSupported(instruction, AsyncRole::Done);
}

ResourceTable AsyncTracker::limits() const {
  ResourceTable limits{};
  const auto set = [&](Resource resource, int64_t limit) { limits[static_cast<size_t>(resource)] = limit; };
  set(Resource::CollectiveBroadcast, config_.collectiveBroadcastOverlapLimit);
  set(Resource::CollectivePermute, config_.collectivePermuteOverlapLimit);
  set(Resource::Copy, config_.copyOverlapLimit);
  set(Resource::AllToAll, config_.allToAllOverlapLimit);
  set(Resource::RaggedAllToAll, config_.raggedAllToAllOverlapLimit);
  set(Resource::AllGather, config_.allGatherOverlapLimit);
  set(Resource::AllReduce, config_.allReduceOverlapLimit);
  set(Resource::ReduceScatter, config_.reduceScatterOverlapLimit);
  set(Resource::SendRecv, config_.sendRecvOverlapLimit);
  set(Resource::SendHost, config_.sendRecvHostOverlapLimit);
  set(Resource::RecvHost, config_.sendRecvHostOverlapLimit);
  return limits;
}

ResourceHazard AsyncTracker::hazard(Resource resource) const {
  return resource == Resource::Copy ? ResourceHazard::Shareable : ResourceHazard::Unshareable;
}

ResourcesVector AsyncTracker::computeResources(const Instruction& instruction) const {
  const CanonicalAsyncOp op = canonicalAsyncOp(instruction, false);
  if (op.role != AsyncRole::None) {
    const Resource resource = resourceForOp(op.inner);
    if (resource == Resource::NoResource) return {};
    return {{resource, usageOf(op.role)}};
  }
  const auto hostRecv = config_.forceSendRecvToUseSameResource ? Resource::SendHost : Resource::RecvHost;
  const auto ofTransfer = [&](Resource host) {
    return isHostTransfer(instruction) ? host : Resource::SendRecv;
  };
  // The start says whether it is a host transfer; through a loop it is not known.
  const auto ofDone = [&](Resource host) {
    const Instruction* start = startOfDone(instruction);
    return start != nullptr && isHostTransfer(*start) ? host : Resource::SendRecv;
  };
  switch (instruction.opcode()) {
    case Opcode::AfterAll:
      return {{Resource::SendHost, ResourceUsage::None}};
    case Opcode::Recv:
      return {{ofTransfer(hostRecv), usageOf(AsyncRole::Start)}};
    case Opcode::Send:
      return {{ofTransfer(Resource::SendHost), usageOf(AsyncRole::Start)}};
    case Opcode::RecvDone:
      return {{ofDone(hostRecv), usageOf(AsyncRole::Done)}};
    case Opcode::SendDone:
      return {{ofDone(Resource::SendHost), usageOf(AsyncRole::Done)}};
    case Opcode::While: {
      ResourcesVector all;
      for (const Instruction* inner : instruction.get<Attr::Body>()->instructions()) {
        for (const ResourcePair& pair : resourcesOf(*inner)) {
          if (std::ranges::find(all, pair) == all.end()) all.push_back(pair);
        }
      }
      return all;
    }
    default: {
      const Resource resource = resourceForOp(instruction.opcode());
      if (!config_.trackSyncOpResourceUsage || resource == Resource::NoResource) return {};
      return {{resource, ResourceUsage::Occupy}, {resource, ResourceUsage::Release}};
    }
  }
}

const ResourcesVector& AsyncTracker::resourcesOf(const Instruction& instruction) const {
  const uint32_t id = instruction.id().value;
  if (id >= resources_.size()) resources_.resize(std::max(instruction.module().idLimit(), id + 1));
  if (!resources_[id]) {
    // Computed first: the computation of a loop may grow what is remembered.
    ResourcesVector computed = computeResources(instruction);
    resources_[id] = std::move(computed);
  }
  return *resources_[id];
}

const ResourceTable& AsyncTracker::peakOf(const Computation& computation, int depth) const {
  const uint32_t id = computation.id().value;
  if (id >= peakByComputation_.size()) peakByComputation_.resize(id + 1);
  if (peakByComputation_[id] != nullptr) return *peakByComputation_[id];
  ResourceTable peak{}, inFlight{};
  const auto raise = [&](Resource resource, int64_t more) {
    const auto r = static_cast<size_t>(resource);
    peak[r] = std::max(peak[r], inFlight[r] + more);
  };
  for (const Instruction* at = computation.last(); at != nullptr; at = at->previous()) {
    if (isSupportedAsyncDone(*at)) {
      for (const ResourcePair& pair : resourcesOf(*at)) {
        ++inFlight[static_cast<size_t>(pair.resource)];
        raise(pair.resource, 0);
      }
    } else if (isSupportedAsyncStart(*at)) {
      for (const ResourcePair& pair : resourcesOf(*at)) --inFlight[static_cast<size_t>(pair.resource)];
    }
    if (at->calledComputations().empty() || depth >= kMaxCallDepth) continue;
    for (const ResourceCount& count : countsOf(*at)) raise(count.resource, count.count);
  }
  if (id >= peakByComputation_.size()) peakByComputation_.resize(id + 1);
  peakByComputation_[id] = std::make_unique<ResourceTable>(peak);
  return *peakByComputation_[id];
}

ResourceCounts AsyncTracker::countsOf(const Instruction& instruction) const {
  ResourceCounts counts;
  const auto raise = [&](Resource resource, int64_t count, bool add) {
    const auto at = std::ranges::find(counts, resource, &ResourceCount::resource);
    if (at == counts.end()) {
      counts.push_back({resource, count});
    } else {
      at->count = add ? at->count + count : std::max(at->count, count);
    }
  };
  if (!callsForTracking(instruction)) {
    for (const ResourcePair& pair : resourcesOf(instruction)) {
      if (pair.usage == ResourceUsage::Occupy) raise(pair.resource, 1, true);
    }
  }
  // Called computations run one after the other, or one of them.
  if (instruction.opcode() == Opcode::Fusion) return counts;
  for (const Computation* called : instruction.calledComputations()) {
    if (called == nullptr || instruction.opcode() == Opcode::AsyncDone) continue;
    const ResourceTable& peak = peakOf(*called, 0);
    for (size_t r = 0; r < kResourceCount; ++r) {
      if (peak[r] > 0) raise(static_cast<Resource>(r), peak[r], false);
    }
  }
  return counts;
}

int64_t AsyncTracker::countOf(Resource resource, const Instruction& instruction) const {
  if (!callsForTracking(instruction)) {
    return std::ranges::count(resourcesOf(instruction), ResourcePair{resource, ResourceUsage::Occupy});
  }
  for (const Computation* called : instruction.calledComputations()) {
    const int64_t count = peakOf(*called, 0)[static_cast<size_t>(resource)];
    if (count > 0) return count;
  }
  return 0;
}

void AsyncTracker::forget(const Computation& computation) {
  const uint32_t id = computation.id().value;
  if (id < peakByComputation_.size()) peakByComputation_[id] = nullptr;
}

std::unique_ptr<AsyncTracker> makeAsyncTracker(const SchedulerConfig& config) {
  if (config.backend == Backend::Gpu) return std::make_unique<GpuAsyncTracker>(config);
  return std::make_unique<AsyncTracker>(config);
}

}  // namespace hilo
