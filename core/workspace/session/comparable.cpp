#include "core/workspace/session/comparable.h"

#include <fmt/format.h>

namespace hilo {
namespace {

using Sides = std::vector<std::pair<std::string, SeriesStep>>;

void addOpen(const Session& session, const Document& open, Sides& sides) {
  const Snapshot* shown = session.current();
  const auto isShown = [shown](SnapshotId id) { return shown != nullptr && id == shown->id; };
  for (size_t m = 0; m < open.stages.size() && open.dump; ++m) {
    const DumpModuleInfo& module = open.dump->modules[m];
    for (size_t s = 0; s < open.stages[m].size(); ++s) {
      if (isShown(open.stages[m][s])) continue;
      sides.emplace_back(fmt::format("{} / {} / {}", open.title, module.name, module.stages[s].name),
                         stepOf(session, open.id, m, s));
    }
  }
  if (open.file && !isShown(open.stages[0][0]))
    sides.emplace_back(open.path, stepOf(session, open.stages[0][0]));
}

}  // namespace

SeriesStep stepOf(const Session& session, SnapshotId id) {
  const Snapshot* known = session.snapshot(id);
  return known == nullptr ? SeriesStep{} : makeStep(known->title, known->module);
}

SeriesStep stepOf(const Session& session, DocumentId id, size_t moduleIndex, size_t stageIndex) {
  const Document* known = session.document(id);
  const DumpStageInfo& stage = known->dump->modules[moduleIndex].stages[stageIndex];
  if (const SnapshotId read = known->stages[moduleIndex][stageIndex]; read.valid())
    return stepOf(session, read);
  SeriesStep step = makeLazyStep(
      stage.name, [dump = known->dump, moduleIndex, stageIndex]() -> Result<std::shared_ptr<const Module>> {
        TRY(const auto file, loadStage(*dump, moduleIndex, stageIndex));
        return file->module;
      });
  step.path = stage.path;
  return step;
}

std::vector<std::pair<std::string, SeriesStep>> comparable(const Session& session) {
  Sides sides;
  for (const auto& open : session.documents()) addOpen(session, *open, sides);
  const Snapshot* shown = session.current();
  for (const SeriesEntry& entry : session.series()) {
    const auto& steps = entry.series->steps;
    for (size_t step = 1; step < steps.size() && entry.origin.valid(); ++step) {
      if (shown != nullptr && shown->module == steps[step].moduleIfLoaded()) continue;
      sides.emplace_back(fmt::format("{} / {}. after {}", entry.series->title, step, steps[step].name),
                         steps[step]);
    }
  }
  return sides;
}

void compareWithCurrent(Session& session, SeriesStep other) {
  const Snapshot* shown = session.current();
  if (shown == nullptr || other.slot == nullptr) return;
  session.addSeries(comparisonSeries(std::move(other), makeStep(shown->title, shown->module)));
}

void showStep(Session& session, SeriesId id, size_t step) {
  const SeriesEntry* entry = session.series(id);
  if (entry == nullptr || step >= entry->series->steps.size()) return;
  const PassSeries& series = *entry->series;
  const auto module = series.steps[step].moduleIfLoaded();
  if (module == nullptr) return;
  session.setCurrent(
      session.snapshotOf(module, fmt::format("{} after {}", series.title, series.steps[step].name)));
}

}  // namespace hilo
