#include <nlohmann/json.hpp>

#include "core/analysis/async_chain.h"
#include "core/analysis/cost/uniform_latency.h"
#include "core/analysis/slice_copy_fusion.h"
#include "core/compiler/schedule/schedule_graph.h"

namespace hilo {
namespace {

constexpr int64_t kP2pInFlight = 4;

bool isSendOrRecv(Opcode opcode) { return opcode == Opcode::Send || opcode == Opcode::Recv; }
bool isSendOrRecvDone(Opcode opcode) { return opcode == Opcode::SendDone || opcode == Opcode::RecvDone; }

bool isSecondPipeline(const Instruction& instruction) {
  return hasFrontendAttribute(instruction, "_xla_send_recv_pipeline", "1");
}

Resource p2pResource(const Instruction& instruction, Opcode inner) {
  if (isSecondPipeline(instruction))
    return inner == Opcode::Send ? Resource::GpuAsyncStreamSend1 : Resource::GpuAsyncStreamRecv1;
  return inner == Opcode::Send ? Resource::GpuAsyncStreamSend0 : Resource::GpuAsyncStreamRecv0;
}

// An asynchronous fusion that copies a slice within the device.
bool isSliceCopy(const Instruction& link) {
  if (!isAsyncLink(link)) return false;
  const Instruction* fusion = asyncWrappedInstruction(link);
  return fusion != nullptr && isDynamicSliceCopyFusion(*fusion);
}

std::optional<nlohmann::json> gpuConfig(const Instruction& instruction) {
  const std::string_view text = instruction.get<Attr::BackendConfig>();
  if (text.empty()) return std::nullopt;
  auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return std::nullopt;
  return json;
}

// What the compiler's own estimate says, when it left one.
std::optional<bool> toldMemoryBound(const std::optional<nlohmann::json>& config) {
  if (!config) return std::nullopt;
  const auto costs = config->find("reification_cost");
  if (costs == config->end() || !costs->is_array()) return std::nullopt;
  for (const auto& cost : *costs) {
    if (!cost.is_object()) continue;
    const auto number = [&](const char* name) {
      const auto at = cost.find(name);
      return at != cost.end() && at->is_number() ? at->get<double>() : 0.0;
    };
    const double compute = number("compute_time_us"), memory = number("memory_access_time_us");
    if (compute < 0 || memory < 0 || (compute == 0 && memory == 0)) continue;
    return memory > compute;
  }
  return std::nullopt;
}

bool fusesContraction(const Instruction& fusion) {
  const Computation* fused = fusion.get<Attr::Calls>();
  return fused != nullptr && std::ranges::any_of(fused->instructions(), [](const Instruction* i) {
           return i->opcode() == Opcode::Dot || i->opcode() == Opcode::Convolution;
         });
}

// Bound by memory bandwidth, so that a copy beside it hides nothing.
bool isMemoryBound(const Instruction& instruction, const std::optional<nlohmann::json>& config) {
  if (const auto told = toldMemoryBound(config)) return *told;
  if (isGpuNop(instruction) || isGpuAsyncStart(instruction) || isGpuAsyncDone(instruction)) return false;
  switch (instruction.opcode()) {
    case Opcode::While:
    case Opcode::Conditional:
    case Opcode::Call:
    case Opcode::Dot:
    case Opcode::Convolution:
      return false;
    case Opcode::Fusion:
      return !fusesContraction(instruction);
    case Opcode::CustomCall: {
      const std::string_view target = instruction.get<Attr::CustomCallTarget>();
      return !target.starts_with("__cublas$") && !target.starts_with("__cudnn$conv");
    }
    default:
      return true;
  }
}

// Is the loop's result passed to a done of this kind and pipeline?
bool loopFeedsDone(const Instruction& loop, Opcode done, bool second) {
  for (const Instruction* element : loop.users()) {
    if (element->opcode() != Opcode::GetTupleElement) continue;
    for (const Instruction* user : element->users()) {
      if (user->opcode() == done && isSecondPipeline(*user) == second) return true;
    }
  }
  return false;
}

}  // namespace

bool GpuAsyncTracker::isSupportedAsyncStart(const Instruction& instruction) const {
  return isGpuAsyncStart(instruction);
}

bool GpuAsyncTracker::isSupportedAsyncDone(const Instruction& instruction) const {
  return isGpuAsyncDone(instruction);
}

ResourceTable GpuAsyncTracker::limits() const {
  ResourceTable limits = AsyncTracker::limits();
  const auto set = [&](Resource resource, int64_t limit) { limits[static_cast<size_t>(resource)] = limit; };
  using enum Resource;
  for (const Resource p2p : {GpuAsyncStreamCollectivesP2P, GpuAsyncStreamSend0, GpuAsyncStreamSend1,
                             GpuAsyncStreamRecv0, GpuAsyncStreamRecv1})
    set(p2p, kP2pInFlight);
  set(GpuAsyncStreamCollectives, config_.parallelCollectiveOverlapLimit);
  set(GpuAsyncStreamComputes, config_.parallelAsyncComputeLimit);
  set(GpuAsyncStreamMemcpy, INT32_MAX);
  return limits;
}

ResourceHazard GpuAsyncTracker::hazard(Resource resource) const {
  if (config_.enableSelectiveResources && resource == Resource::GpuAsyncStreamMemcpy)
    return ResourceHazard::Selective;
  return AsyncTracker::hazard(resource);
}

ResourcesVector GpuAsyncTracker::computeResources(const Instruction& instruction) const {
  const CanonicalAsyncOp op = canonicalAsyncOp(instruction, true);
  if (op.role == AsyncRole::None) return AsyncTracker::computeResources(instruction);
  // XLA knows no direction for the streams but the copies'.
  const ResourceUsage bottomUp = op.role == AsyncRole::Start ? ResourceUsage::Release : ResourceUsage::Occupy;
  if (isSliceCopy(instruction)) return {{Resource::GpuAsyncStreamMemcpy, usageOf(op.role)}};
  if (isOnP2pCollectiveStream(instruction)) return {{Resource::GpuAsyncStreamCollectivesP2P, bottomUp}};
  if (isSendOrRecv(op.inner)) return {{p2pResource(instruction, op.inner), bottomUp}};
  const bool collective = isCollectiveCommunication(op.inner) || isCustomCollective(instruction) ||
                          isCollectivesGroup(instruction);
  return {{collective ? Resource::GpuAsyncStreamCollectives : Resource::GpuAsyncStreamComputes, bottomUp}};
}

ResourceCounts GpuAsyncTracker::countsOf(const Instruction& instruction) const {
  if (!isCollectivesGroup(instruction)) return AsyncTracker::countsOf(instruction);
  // A group is one launch, whatever it holds.
  ResourceCounts counts;
  for (const ResourcePair& pair : resourcesOf(instruction)) {
    if (pair.usage == ResourceUsage::Occupy) counts.push_back({pair.resource, 1});
  }
  return counts;
}

int64_t GpuAsyncTracker::countOf(Resource resource, const Instruction& instruction) const {
  const int64_t count = AsyncTracker::countOf(resource, instruction);
  if (count <= 0 || instruction.opcode() != Opcode::While) return count;
  // A pipelined loop releases the transfer it carries before it starts the next.
  switch (resource) {
    case Resource::GpuAsyncStreamSend0:
      return count - loopFeedsDone(instruction, Opcode::SendDone, false);
    case Resource::GpuAsyncStreamSend1:
      return count - loopFeedsDone(instruction, Opcode::SendDone, true);
    case Resource::GpuAsyncStreamRecv0:
      return count - loopFeedsDone(instruction, Opcode::RecvDone, false);
    case Resource::GpuAsyncStreamRecv1:
      return count - loopFeedsDone(instruction, Opcode::RecvDone, true);
    default:
      return count;
  }
}

void GpuAsyncTracker::postProcess(ScheduleGraph& graph) const {
  for (ScheduleNode& node : graph.nodes()) {
    const Instruction& instruction = *node.instruction;
    if (config_.pipelineParallelism) {
      if (isSendOrRecv(node.opcode) && instruction.users().size() == 1 &&
          !isSendOrRecvDone(instruction.users()[0]->opcode()))
        node.forceDelay = true;
      if (isSendOrRecvDone(node.opcode) && instruction.operandCount() > 0 &&
          !isSendOrRecv(instruction.operand(0)->opcode()))
        node.forceEarly = true;
    }
    if (config_.pipelinedP2p && node.opcode == Opcode::Recv &&
        frontendAttribute(instruction, "_xla_send_recv_pipeline"))
      node.forceEarly = true;
    const auto config = gpuConfig(instruction);
    if (config) node.forceDelay = config->value("force_earliest_schedule", false);
    if (config_.enableSelectiveResources)
      node.valuableForSelectiveOverlap = !isMemoryBound(instruction, config);
  }
}

}  // namespace hilo
