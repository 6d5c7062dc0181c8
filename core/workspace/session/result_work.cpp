#include "core/workspace/session/result_work.h"

#include "core/analysis/cost_facts.h"
#include "core/workspace/caveats/caveats.h"
#include "core/workspace/layouts/layout_study.h"
#include "core/workspace/partition/partition.h"
#include "core/workspace/session/session.h"
#include "core/workspace/thunks/instruction_buffers.h"
#include "core/workspace/values/value_study.h"

namespace hilo {

ResultWork<ResultKind::Caveats> makeCaveatsWork(const Session&, const Snapshot& snapshot) {
  return [module = snapshot.module,
          file = snapshot.file](JobContext&) -> Result<std::shared_ptr<const ModuleCaveats>> {
    return std::make_shared<const ModuleCaveats>(caveatsOf(*module, file.get()));
  };
}

ResultWork<ResultKind::Cost> makeCostWork(const Session&, const Snapshot& snapshot) {
  return [module = snapshot.module](JobContext&) -> Result<std::shared_ptr<const ModuleCost>> {
    return std::make_shared<const ModuleCost>(*module);
  };
}

ResultWork<ResultKind::Buffers> makeBuffersWork(const Session& session, const Snapshot& snapshot) {
  using Buffers = Result<std::shared_ptr<const ModuleBuffers>>;
  const Document* document = session.document(snapshot.document);
  if (document == nullptr || snapshot.file == nullptr) return {};
  if (document->file && snapshot.file->hasBufferAssignment) {
    return [file = snapshot.file](JobContext&) -> Buffers {
      return std::make_shared<const ModuleBuffers>(readBuffers(*file));
    };
  }
  for (size_t m = 0; m < document->stages.size() && document->dump; ++m) {
    // Buffers are assigned to what the compiler ends with.
    if (document->stages[m].empty() || document->stages[m].back() != snapshot.id) continue;
    return [dump = document->dump, m, module = snapshot.module](JobContext&) -> Buffers {
      return std::make_shared<const ModuleBuffers>(readBuffers(*dump, m, *module));
    };
  }
  return {};
}

ResultWork<ResultKind::Values> makeValuesWork(const Session& session, const Snapshot& snapshot) {
  return [request = session.runs().valuesToAsk(snapshot)](JobContext& job) {
    return ValueStudy::make(request, job);
  };
}

ResultWork<ResultKind::Partition> makePartitionWork(const Session&, const Snapshot& snapshot) {
  const std::string path = snapshot.file != nullptr ? snapshot.file->path : "";
  return [request = PartitionRequest{.module = snapshot.module, .path = path}](JobContext& job) {
    return makePartitioning(request, job);
  };
}

namespace {

// The stage of a dump that `snapshot` was read from, as a request; nothing of what is in no dump.
std::optional<std::pair<size_t, size_t>> stageOf(const Document& document, const Snapshot& snapshot) {
  for (size_t m = 0; m < document.stages.size() && document.dump; ++m) {
    const auto at = std::ranges::find(document.stages[m], snapshot.id);
    if (at != document.stages[m].end())
      return std::pair(m, static_cast<size_t>(at - document.stages[m].begin()));
  }
  return std::nullopt;
}

// The step before layout assignment of the passes that made it; null where none did.
std::shared_ptr<const Module> beforeLayoutsOf(const Session& session, const Snapshot& snapshot) {
  for (const SeriesEntry& entry : session.series()) {
    std::shared_ptr<const Module> before;
    for (const SeriesStep& step : entry.series->steps) {
      if (before != nullptr && step.moduleIfLoaded() == snapshot.module) return before;
      if (step.name != "gpu-layout-assignment" || entry.series->isTheirs(0)) continue;
      if (const auto previous =
              entry.series->previousOf(static_cast<size_t>(&step - entry.series->steps.data())))
        before = entry.series->steps[*previous].moduleIfLoaded();
    }
  }
  return nullptr;
}

}  // namespace

ResultWork<ResultKind::Layouts> makeLayoutsWork(const Session& session, const Snapshot& snapshot) {
  const Document* document = session.document(snapshot.document);
  const auto stage = document == nullptr ? std::nullopt : stageOf(*document, snapshot);
  if (stage) {
    return [dump = document->dump, module = snapshot.module,
            at = *stage](JobContext& job) -> Result<std::shared_ptr<const LayoutStudy>> {
      TRY(const LayoutRequest request, layoutRequestOf(*dump, at.first, at.second, module));
      return makeLayoutStudy(request, job);
    };
  }
  const LayoutRequest request{.module = snapshot.module,
                              .before = beforeLayoutsOf(session, snapshot),
                              .path = snapshot.file != nullptr ? snapshot.file->path : ""};
  return [request](JobContext& job) { return makeLayoutStudy(request, job); };
}

}  // namespace hilo
