#include "core/workspace/run/prepared_run.h"

#include <fmt/format.h>

#include <chrono>
#include <tuple>

#include "core/runtime/trace/thunk_times.h"
#include "core/workspace/run/time_limit.h"

namespace hilo {
namespace {

int64_t elapsedNs(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin)
      .count();
}

Result<Literal> outputOf(Executable& executable, DeviceGrid grid,
                         std::span<const std::vector<Literal>> arguments, const CancelToken& cancel) {
  if (grid.count() == 1) return executable.run(arguments[0], cancel);
  TRY(std::vector<Literal> outputs, executable.runOnDevices(grid, arguments, cancel));
  return Literal::tuple(std::move(outputs));
}

// Of all allocations that lie on the device.
int64_t plannedBytes(const Executable& executable) {
  int64_t bytes = 0;
  const Program* program = executable.program();
  if (program == nullptr) return 0;
  for (const Allocation& allocation : program->allocations)
    if (!allocation.isOnHost()) bytes += allocation.sizeBytes;
  return bytes;
}

}  // namespace

Result<int64_t> PreparedRun::runOnce(const CancelToken& cancel) {
  const auto begin = std::chrono::steady_clock::now();
  // A process of its own keeps to the limit itself, and says what it was at.
  const TimeLimit limit(executable->runsApart() ? 0 : timeLimitNs, cancel);
  auto output = outputOf(*executable, grid, arguments, limit.token());
  if (!output) return std::unexpected(limit.explained(std::move(output).error(), "the run"));
  const int64_t taken = elapsedNs(begin);
  record.output = *std::move(output);
  const RunMeasure measure = executable->lastMeasure();
  record.findings = measure.findings;
  record.mostHeldBytes = std::max(record.mostHeldBytes, measure.mostHeldBytes);
  record.plannedBytes = measure.mostHeldBytes > 0 ? plannedBytes(*executable) : 0;
  return measure.executionNs > 0 ? measure.executionNs : taken;
}

Status PreparedRun::warmUp(const CancelToken& cancel) {
  constexpr int kMostWarmUps = 5;
  constexpr int64_t kEnoughNs = 50'000'000;
  for (int64_t taken = 0; record.warmUps < kMostWarmUps && (record.warmUps == 0 || taken < kEnoughNs);) {
    TRY(const int64_t ns, runOnce(cancel));
    taken += ns;
    ++record.warmUps;
  }
  return {};
}

Status PreparedRun::timeThunks(const CancelToken& cancel) {
  const Program* program = executable->program();
  if (program == nullptr) return {};
  executable->setMode({.traces = true});
  TRY_STATUS(runOnce(cancel));
  executable->setMode({});
  const RunMeasure measure = executable->lastMeasure();
  record.thunkTimes = thunkTimes(*program, {&measure.events, 1});
  std::ranges::sort(record.thunkTimes, std::greater(), [](const ThunkTime& t) {
    return std::tuple(t.totalNs, -int64_t{t.sequence}, -int64_t{t.thunk});
  });
  if (measure.droppedEvents > 0) {
    record.notes.push_back(
        fmt::format("{} executions of thunks are missing from their times", measure.droppedEvents));
  }
  return {};
}

}  // namespace hilo
