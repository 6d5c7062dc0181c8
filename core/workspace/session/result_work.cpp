#include "core/workspace/session/result_work.h"

#include "core/analysis/cost_facts.h"
#include "core/workspace/caveats/caveats.h"
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

}  // namespace hilo
