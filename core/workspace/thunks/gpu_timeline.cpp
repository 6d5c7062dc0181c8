#include "core/workspace/thunks/gpu_timeline.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <cmath>

#include "core/analysis/cost/device_latency.h"
#include "core/base/check.h"
#include "core/runtime/executor/device_executor.h"
#include "core/runtime/executor/stream_plan.h"

namespace hilo {

DeviceDescription deviceLike(const GpuTarget& target) {
  const auto capabilityOf = [](const DeviceDescription& device) {
    return std::lround(10 * std::strtod(device.computeCapability.c_str(), nullptr));
  };
  std::optional<DeviceDescription> best, oldest;
  for (const BuiltInDevice& builtIn : builtInDevices()) {
    auto device = findDevice(std::string(builtIn.id));
    CHECK(device.has_value(), builtIn.id);
    const auto capability = capabilityOf(*device);
    if (capability == 0) continue;
    if (!oldest || capability < capabilityOf(*oldest)) oldest = *device;
    if (capability <= target.number && (!best || capability > capabilityOf(*best))) best = *std::move(device);
  }
  CHECK(oldest.has_value());
  return best ? *best : *oldest;
}

namespace {

// It takes its time where it starts, or where it is whole; waiting for its end adds nothing.
bool meetsDevices(const Thunk& thunk) {
  const auto* collective = std::get_if<CollectiveThunk>(&thunk.body);
  return thunk.kind() == ThunkKind::Send ||
         (collective != nullptr && collective->phase != CollectivePhase::Done);
}

}  // namespace

std::vector<std::vector<int64_t>> estimatedThunkNs(const Program& program, const Module& compiled,
                                                   const DeviceDescription& device) {
  const DeviceLatencyEstimator latency(compiled, device);
  absl::flat_hash_map<uint32_t, int64_t> kernelsOf;
  for (const ThunkSequence& sequence : program.sequences) {
    for (const Thunk& thunk : sequence) kernelsOf[thunk.instruction] += thunk.kind() == ThunkKind::Kernel;
  }
  const auto estimate = [&](const Thunk& thunk) -> double {
    if (const auto* copy = std::get_if<CopyThunk>(&thunk.body))
      return device.kernelNs + 2 * static_cast<double>(copy->source.sizeBytes) / device.memoryBandwidthGBps;
    const Instruction* of = compiled.instruction(InstructionId{thunk.instruction});
    if (of == nullptr) return 0;
    if (meetsDevices(thunk) || thunk.kind() == ThunkKind::Library) return latency.workNs(*of);
    if (thunk.kind() != ThunkKind::Kernel) return 0;
    return std::max(device.kernelNs, latency.workNs(*of) / static_cast<double>(kernelsOf[thunk.instruction]));
  };
  std::vector<std::vector<int64_t>> ns(program.sequences.size());
  for (size_t s = 0; s < ns.size(); ++s) {
    for (const Thunk& thunk : program.sequences[s])
      ns[s].push_back(static_cast<int64_t>(std::min(1e15, estimate(thunk))));
  }
  return ns;
}

std::vector<PlannedSpan> plannedOnStreams(const Program& program, const std::vector<int64_t>& ns) {
  const StreamPlan plan = makeStreamPlan(program, 0, DeviceExecutorOptions().streams);
  std::vector<int64_t> free(plan.streams), ends;
  std::vector<PlannedSpan> spans;
  for (const StreamStep& step : plan.steps) {
    int64_t start = free[step.stream];
    for (const uint32_t before : step.waits) start = std::max(start, ends[before]);
    const int64_t duration = std::max<int64_t>(ns[step.thunk], 0);
    free[step.stream] = start + duration;
    ends.push_back(start + duration);
    spans.push_back({step.thunk, step.stream, start, duration});
  }
  std::ranges::stable_sort(spans, {}, &PlannedSpan::startNs);
  return spans;
}

}  // namespace hilo
