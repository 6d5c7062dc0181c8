#include "core/workspace/run/run_estimate.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/analysis/cost_facts.h"
#include "core/analysis/implied_devices.h"
#include "core/analysis/saturating.h"
#include "core/base/amount_text.h"

#include "core/runtime/program/program.h"
#include "core/workspace/open/verify_file.h"
#include "core/workspace/run/chosen_engine.h"
#include "core/workspace/run/memory_limit.h"
#include "core/workspace/run/memory_needs.h"

namespace hilo {
namespace {

constexpr double kLongSeconds = 30;

// Samples, the warm-up before several of them, and the run that times thunks.
int64_t runsOf(const RunRequest& request) {
  return std::max(1, request.repeat) + (request.repeat > 1 ? 1 : 0) + (request.timesThunks ? 1 : 0);
}

int64_t devicesOf(const RunRequest& request, const Engine& engine) {
  if (request.devices > 0) return request.devices;
  return engine.canRunOnDevices == nullptr ? 1 : std::max<int64_t>(1, impliedGrid(*request.module).count());
}

RunEstimate estimateModule(const RunRequest& request) {
  const auto chosen = chooseEngine(request.engine);
  if (!chosen || !requireVerified(*request.module)) return {};
  const CostFacts cost = ModuleCost(*request.module).total();
  const int64_t devices = devicesOf(request, *chosen->engine);
  const int64_t times = saturatingMultiply(devices, runsOf(request));
  RunEstimate estimate{.flops = saturatingMultiply(cost.flops, times),
                       .bytesAccessed = saturatingMultiply(cost.bytesAccessed, times),
                       .countsLoopsOnce = cost.tripCountUnknown};
  const std::optional<EngineRates>& rates = chosen->engine->rates;
  if (!rates) return estimate;
  estimate.seconds = std::max(static_cast<double>(estimate.flops) / rates->flopsPerSecond,
                              static_cast<double>(estimate.bytesAccessed) / rates->bytesPerSecond);
  estimate.memoryBytes = leastNeedsOf(*request.module, 1, devices).total();
  return estimate;
}

RunEstimate estimateProgram(const RunRequest& request) {
  const Program& program = *request.program;
  if (isForGrids(program)) return {};
  const int64_t devices = saturatingMultiply(program.replicas, program.partitions);
  return {.memoryBytes = needsOf(program, nullptr, 1, std::max<int64_t>(1, devices)).total()};
}

}  // namespace

bool RunEstimate::isLarge() const {
  return seconds.value_or(0) > kLongSeconds || (freeBytes > 0 && memoryBytes > freeBytes / 2);
}

RunEstimate estimateRuns(std::span<const RunRequest> requests) {
  RunEstimate all;
  for (const RunRequest& request : requests) {
    const RunEstimate one = request.program ? estimateProgram(request) : estimateModule(request);
    all.flops = saturatingAdd(all.flops, one.flops);
    all.bytesAccessed = saturatingAdd(all.bytesAccessed, one.bytesAccessed);
    if (one.seconds) all.seconds = all.seconds.value_or(0) + *one.seconds;
    all.memoryBytes = std::max(all.memoryBytes, one.memoryBytes);
    all.countsLoopsOnce = all.countsLoopsOnce || one.countsLoopsOnce;
    if (one.memoryBytes > 0)
      all.freeBytes = memoryFree(request.worker ? request.worker->memoryLimitBytes : 0);
  }
  return all;
}

std::string estimateText(const RunEstimate& estimate) {
  std::vector<std::string> parts;
  if (estimate.seconds)
    parts.push_back(fmt::format("about {} ({}, {} accessed{})", amount::duration(*estimate.seconds * 1e9),
                                amount::flops(estimate.flops), amount::bytes(estimate.bytesAccessed),
                                estimate.countsLoopsOnce ? ", loops of unknown length counted once" : ""));
  if (estimate.memoryBytes > 0)
    parts.push_back(fmt::format("at least {} of memory, of {} free", amount::bytes(estimate.memoryBytes),
                                amount::bytes(estimate.freeBytes)));
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace hilo
