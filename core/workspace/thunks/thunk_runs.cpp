#include "core/workspace/thunks/thunk_runs.h"

#include <fmt/format.h>

#include "core/hlo/eval/infeeds.h"
#include "core/workspace/run/program_executable.h"

namespace hilo {
namespace {
constexpr int kRuns = 5;  // and one before, which does not count
}

Result<ThunkRuns> runThunks(std::shared_ptr<const Program> program, DeviceGrid grid,
                            const std::vector<std::vector<Literal>>& arguments,
                            const std::optional<WorkerOptions>& worker, bool together,
                            const JobContext& context) {
  std::vector<InfeedValues> infeeds(1);
  TRY(infeeds[0], makeInfeeds(infeedShapes(*program), 0));
  TRY(const auto executable, programExecutable(std::move(program), worker, std::move(infeeds)));
  ThunkRuns runs;
  const auto run = [&](int number, RunMode mode) {
    const int count = kRuns + (together ? 3 : 1);
    context.progress(static_cast<double>(number) / count, fmt::format("run {} of {}", number + 1, count));
    executable->setMode(mode);
    return executable->runOnDevices(grid, arguments, context.cancel());
  };
  for (int number = 0; number <= kRuns; ++number) {
    TRY_STATUS(run(number, {.traces = true, .sequential = true}));
    if (number > 0) runs.byItself.push_back(executable->lastMeasure().events);
  }
  if (!together) return runs;
  // The first with all threads wakes them up.
  TRY_STATUS(run(kRuns + 1, {}));
  TRY_STATUS(run(kRuns + 2, {.traces = true}));
  RunMeasure measure = executable->lastMeasure();
  runs.together = std::move(measure.events);
  runs.dropped = measure.droppedEvents;
  return runs;
}

InstructionId expandedFrom(const Module& module, const Module& expanded, InstructionId id) {
  if (module.instruction(id) != nullptr) return id;
  const Provenance* made = expanded.provenance(id);
  return made == nullptr || made->from.empty() ? InstructionId() : made->from[0];
}

}  // namespace hilo
