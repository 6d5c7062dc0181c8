#include "core/workspace/layouts/layout_study.h"

#include <fmt/format.h>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <algorithm>

#include "core/analysis/layouts/array_addresses.h"
#include "core/analysis/saturating.h"
#include "core/workspace/layouts/recorded_copies.h"
#include "core/workspace/passes/optimize.h"
#include "core/workspace/schedule/schedule.h"
#include "core/workspace/schedule/schedule_target.h"

namespace hilo {
namespace {

struct KernelTime {
  int64_t times = 1;
  double totalNs = 0;
};
using KernelTimes = absl::flat_hash_map<InstructionId, KernelTime>;

KernelTimes kernelTimesOf(LayoutStudy& study) {
  KernelTimes times;
  const auto costs = costOfModule(*study.module, study.device, {}, {});
  if (!costs) {
    study.notes.push_back(fmt::format("times are not estimated: {}", costs.error().message));
    return times;
  }
  for (const CostRow& row : costs->rows) times[row.instruction->id()] = {row.times, row.totalNs};
  return times;
}

void addRows(LayoutStudy& study, const KernelTimes& times, const JobContext& context) {
  const Module* before = study.tried().get();
  if (before != nullptr)
    study.lineage = std::make_shared<const Lineage>(traceLineage(*before, *study.module));
  std::vector<LayoutMove> moves = layoutMoves(
      *study.module, {.before = before, .lineage = study.lineage.get(), .cancel = context.cancel()});
  absl::flat_hash_set<InstructionId> counted;
  for (LayoutMove& move : moves) {
    LayoutRow row{.move = std::move(move)};
    if (const auto found = times.find(row.move.kernel); found != times.end()) {
      row.times = std::max<int64_t>(1, found->second.times);
      row.ns = found->second.totalNs;
    }
    study.bytes = saturatingAdd(study.bytes, saturatingMultiply(row.move.bytes, row.times));
    if (row.move.costs() && counted.insert(row.move.kernel).second)
      (row.move.isAlone ? study.aloneNs : study.sharedNs) += row.ns;
    study.rows.push_back(std::move(row));
  }
  std::ranges::stable_sort(study.rows, [](const LayoutRow& a, const LayoutRow& b) {
    if (a.move.costs() != b.move.costs()) return a.move.costs();
    return a.ns != b.ns ? a.ns > b.ns : a.totalBytes() > b.totalBytes();
  });
}

void addPadded(LayoutStudy& study) {
  for (const Computation* computation : study.module->computations()) {
    for (const Instruction* i : computation->instructions()) {
      const auto memory = i->opcode() == Opcode::Bitcast ? std::nullopt : arrayAddresses(i->shape());
      if (!memory || memory->wastedBytes() <= 0) continue;
      study.padded.push_back({.instruction = i->id(),
                              .name = std::string(i->name()),
                              .opcode = std::string(i->opcodeText()),
                              .shape = toString(i->shape()),
                              .bytes = memory->bytes,
                              .wastedBytes = memory->wastedBytes()});
    }
  }
  std::ranges::stable_sort(study.padded, std::greater(), &PaddedArray::wastedBytes);
}

// In the order it came with, or that the scheduler makes.
void measure(LayoutStudy& study, const JobContext& context) {
  ScheduleScenario scenario{.device = study.device};
  if (study.module->isScheduled()) scenario.preset = "original";
  const auto opened = ScheduleStudy::open(study.module, true, context);
  const auto outcome = opened ? (*opened)->run(scenario, context) : std::unexpected(opened.error());
  if (!outcome) {
    study.notes.push_back(fmt::format("step and peak are not known: {}", outcome.error().message));
  } else {
    study.metrics = outcome->metrics;
  }
}

Status layOut(LayoutStudy& study, const JobContext& context) {
  OptimizeRequest optimized{.module = study.request.module, .pipeline = "gpu"};
  if (!study.request.constraints.empty()) {
    TRY(optimized.module, withLayouts(*study.request.module, study.request.constraints));
  }
  TRY(study.series, optimize(optimized, context));
  TRY(study.module, study.series.steps.back().module());
  study.notes.insert(study.notes.end(), study.series.notes.begin(), study.series.notes.end());
  return {};
}

// Constraints are tried on what there was before layouts were assigned.
Status takeUnlaid(LayoutStudy& study) {
  LayoutRequest& request = study.request;
  if (request.constraints.empty() || !isLaidOut(*request.module)) return {};
  if (request.before == nullptr) {
    return fail(
        "already-laid-out",
        fmt::format("layouts of {} are assigned already: nothing can be tried on it", request.module->name()),
        {}, {"give the module before optimization, or the folder of the dump that has both"});
  }
  request.module = request.before;
  request.before = nullptr;
  return {};
}

// The stage before layout assignment, else the first; null where that is not before `stage`.
Result<std::shared_ptr<const Module>> unlaidStage(const OpenedDump& dump, size_t moduleIndex, size_t stage) {
  const std::vector<DumpStageInfo>& stages = dump.modules[moduleIndex].stages;
  const auto assigned = std::ranges::find(stages, "layout-assignment", &DumpStageInfo::pass);
  const bool isKnown = assigned != stages.end() && assigned != stages.begin();
  const size_t before = isKnown ? static_cast<size_t>(assigned - stages.begin()) - 1 : 0;
  if (before >= stage) return nullptr;
  TRY(const auto file, loadStage(dump, moduleIndex, before));
  return isLaidOut(*file->module) ? nullptr : file->module;
}

}  // namespace

bool isLaidOut(const Module& module) {
  if (module.isScheduled()) return true;
  return std::ranges::any_of(module.computations(), [](const Computation* computation) {
    return std::ranges::any_of(computation->instructions(), [](const Instruction* i) {
      return i->opcode() == Opcode::Bitcast || i->opcode() == Opcode::Fusion ||
             (i->opcode() == Opcode::Copy && movesElements(*i));
    });
  });
}

Result<std::shared_ptr<const LayoutStudy>> makeLayoutStudy(const LayoutRequest& request,
                                                           const JobContext& context) {
  auto study = std::make_shared<LayoutStudy>();
  study->request = request;
  TRY_STATUS(takeUnlaid(*study));
  const ScheduleTarget target = scheduleTargetOf(*study->request.module, request.path);
  study->device = request.device.empty() ? target.device : request.device;
  study->deviceText = request.device.empty() ? targetText(target) : request.device;
  if (isLaidOut(*study->request.module)) {
    study->module = study->request.module;
  } else {
    context.progress(-1, "assigning layouts");
    TRY_STATUS(layOut(*study, context));
  }
  context.progress(-1, "looking for causes");
  addRows(*study, kernelTimesOf(*study), context);
  if (study->isOurs()) addRecorded(*study);
  addPadded(*study);
  context.progress(-1, "simulating");
  measure(*study, context);
  if (context.cancel().cancelled()) return fail("cancelled", "cancelled");
  return study;
}

Result<LayoutRequest> layoutRequestOf(const OpenedDump& dump, size_t moduleIndex) {
  const DumpModuleInfo& info = dump.modules[moduleIndex];
  if (info.stages.empty())
    return fail("no-module", fmt::format("{} has no stage of {}", dump.path, info.name));
  const size_t last = info.stages.size() - 1;
  TRY(const auto file, loadStage(dump, moduleIndex, last));
  return layoutRequestOf(dump, moduleIndex, last, file->module);
}

Result<LayoutRequest> layoutRequestOf(const OpenedDump& dump, size_t moduleIndex, size_t stage,
                                      std::shared_ptr<const Module> module) {
  LayoutRequest request{.module = std::move(module), .path = dump.modules[moduleIndex].stages[stage].path};
  TRY(request.before, unlaidStage(dump, moduleIndex, stage));
  return request;
}

}  // namespace hilo
