#include "core/workspace/peak/peak_base.h"

#include "core/analysis/cost/device.h"
#include "core/analysis/unpartitioned.h"
#include "core/workspace/passes/optimize.h"
#include "core/workspace/schedule/schedule_target.h"

namespace hilo {
namespace {

constexpr int64_t kWantedPercent = 80;  // of a peak that the device's memory holds already

Status partition(PeakBase& base, const JobContext& context) {
  context.progress(-1, "partitioning");
  TRY(base.partitioning,
      makePartitioning({.module = base.request.module, .path = base.request.path, .device = base.device},
                       context));
  base.uncompiled = base.partitioning->local;
  base.notes.push_back(
      fmt::format("not partitioned: one device of {} is looked at", meshText(base.partitioning->mesh)));
  return {};
}

Status compile(PeakBase& base, const JobContext& context) {
  context.progress(-1, "compiling");
  TRY(const PassSeries series, compiledSeries(base, base.uncompiled, context));
  TRY(base.module, series.steps.back().module());
  base.notes.push_back(base.lacksOrderAlone() ? "not scheduled: in the order that needs the least memory"
                                              : "not compiled: as the pipeline gpu compiles it");
  return {};
}

Status plan(PeakBase& base, const JobContext& context) {
  context.progress(-1, "planning");
  TRY(base.plans, planMemory(base.module, nullptr, {.xla = false, .cancel = context.cancel()}));
  if (!base.plans.hilo) return fail("no-plan", "there is no plan of this module's memory");
  base.module = base.plans.module;
  return {};
}

// The program of one device is partitioned; shardings that were left in it are of the whole arrays.
std::shared_ptr<const Module> withoutShardings(const Module& module) {
  std::shared_ptr<Module> clone = module.clone();
  for (Computation* computation : clone->computations()) {
    for (Instruction* instruction : computation->instructions()) instruction->erase(Attr::Sharding);
  }
  return clone;
}

}  // namespace

Result<PassSeries> compiledSeries(const PeakBase& base, const std::shared_ptr<const Module>& uncompiled,
                                  const JobContext& context) {
  OptimizeRequest request{.module = uncompiled, .snapshots = false};
  if (base.lacksOrderAlone()) {
    request.passes = {"memory-scheduler"};
    return optimize(request, context);
  }
  request.pipeline = "gpu";
  if (uncompiled->partitionCount() > 1) {
    request.module = withoutShardings(*uncompiled);
    request.disabled = {"spmd-partitioning"};
  }
  TRY(const DeviceDescription described, findDevice(base.device));
  if (!described.computeCapability.empty()) request.target = base.device;
  return optimize(request, context);
}

Result<PeakBase> makePeakBase(const PeakRequest& request, const JobContext& context) {
  PeakBase base{.request = request, .module = request.module};
  const ScheduleTarget target = scheduleTargetOf(*request.module, request.path);
  base.device = request.device.empty() ? target.device : request.device;
  base.deviceText = request.device.empty() ? targetText(target) : request.device;
  TRY(const DeviceDescription described, findDevice(base.device));
  if (!request.module->isScheduled()) base.uncompiled = request.module;
  if (isUnpartitioned(*request.module)) TRY_STATUS(partition(base, context));
  if (base.uncompiled != nullptr) TRY_STATUS(compile(base, context));
  TRY_STATUS(plan(base, context));
  const int64_t peak = base.profile().peakBytes;
  base.wantedBytes = request.limitBytes > 0         ? request.limitBytes
                     : peak > described.memoryBytes ? described.memoryBytes
                                                    : peak / 100 * kWantedPercent;
  return base;
}

}  // namespace hilo
