#include "ui/views/memory/memory_planner.h"

namespace hilo {

MemoryPlanner plannerOf(const Session& session, const Snapshot& snapshot) {
  const Document* document = session.document(snapshot.document);
  if (document != nullptr && document->dump != nullptr && snapshot.file != nullptr) {
    for (size_t m = 0; m < document->stages.size(); ++m) {
      const auto& stages = document->stages[m];
      if (std::ranges::find(stages, snapshot.id) == stages.end()) continue;
      return [dump = document->dump, m, file = snapshot.file,
              isLast = stages.back() == snapshot.id](const CancelToken& cancel) {
        return planMemory(*dump, m, *file, isLast, {.cancel = cancel});
      };
    }
  }
  return [module = snapshot.module, file = snapshot.file](const CancelToken& cancel) {
    return planMemory(module, file.get(), {.cancel = cancel});
  };
}

MemoryPlanner plannerOf(const Session& session, const SeriesStep& step) {
  const auto loaded = step.moduleIfLoaded();
  for (const auto& document : session.documents()) {
    for (const auto& stages : document->stages) {
      for (const SnapshotId id : stages) {
        const Snapshot* snapshot = session.snapshot(id);
        if (snapshot != nullptr && loaded != nullptr && snapshot->module == loaded)
          return plannerOf(session, *snapshot);
      }
    }
  }
  return [step](const CancelToken& cancel) -> Result<MemoryPlans> {
    TRY(auto module, step.module());
    return planMemory(std::move(module), nullptr, {.cancel = cancel});
  };
}

}  // namespace hilo
