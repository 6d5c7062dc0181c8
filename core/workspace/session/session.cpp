#include "core/workspace/session/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/base/check.h"
#include "core/runtime/program/program.h"
#include "core/workspace/path/open_path.h"
#include "core/workspace/run/saved_program.h"
#include "core/workspace/session/result_work.h"
#include "core/workspace/thunks/xla_thunks.h"
#include "core/workspace/values/value_study.h"

namespace hilo {

Session::Session(JobQueue& jobs, std::string storePath)
    : jobs_(jobs),
      results_(jobs, [this](const SessionEvent& event) { tell(event); }),
      file_(jobs, contents_, std::move(storePath), [this](const SessionEvent& event) { tell(event); }),
      runs_([this](const SessionEvent& event) { tell(event); }) {}

void Session::setListener(SessionListener listener) {
  CHECK(!listener || !listener_, "a session has one listener at a time");
  listener_ = std::move(listener);
}

void Session::tell(const SessionEvent& event) const {
  if (listener_) listener_(event);
}

template <typename Read, typename Take>
void Session::read(std::string tag, const std::string& title, std::string failure, Read read, Take take) {
  using Made = std::invoke_result_t<Read&, JobContext&>;
  reading_.insert(tag);
  jobs_.submit(
      tag, title, std::move(read),
      [this, tag, failure = std::move(failure), take = std::move(take)](Made made) {
        reading_.erase(tag);
        if (!made) return tell(Failed{failure, made.error()});
        take(*std::move(made));
      },
      &scope_);
}

void Session::open(const std::string& given) {
  const std::string path = cleanPath(given), tag = "open:" + path, title = "Open " + titleOfPath(path);
  const std::string failure = "Could not open " + given;
  const auto content = [path](JobContext& context) {
    context.progress(-1, "reading");
    return openPath(path, context);
  };
  read(tag, title, failure, content, [=, this](PathContent found) {
    if (std::holds_alternative<SavedProgramFile>(found)) {
      read(
          tag, title, failure, [path](JobContext&) { return readSavedProgram(path); },
          [this, path](std::shared_ptr<const Program> program) {
            addCompiled(path, std::move(program), nullptr);
          });
    } else if (std::holds_alternative<ThunksFile>(found)) {
      read(
          tag, title, failure, [path](JobContext&) { return studyThunksAlone(path); },
          [this, path](ThunkStudy thunks) { addThunks(path, std::move(thunks)); });
    } else if (std::holds_alternative<DocumentFile>(found)) {
      read(
          tag, title, failure, [path](JobContext& context) { return readDocument(path, context); },
          [this, path](HiloDocument file) { openHilo(path, std::move(file)); });
    } else {
      openPlainly(path, std::get<OpenedItem>(std::move(found)));
    }
  });
}

void Session::openPlainly(const std::string& path, OpenedItem item) {
  if (const Document* replaced = contents_.documentAt(path)) close(replaced->id);
  Document& added = contents_.addDocument(path, std::move(item));
  tell(DocumentOpened{added.id});
  showFirst(added);
}

void Session::addThunks(const std::string& path, ThunkStudy thunks) {
  addCompiled(path, nullptr, std::make_shared<const ThunkStudy>(std::move(thunks)));
}

void Session::addCompiled(const std::string& path, std::shared_ptr<const Program> program,
                          std::shared_ptr<const ThunkStudy> thunks) {
  if (const Document* replaced = contents_.documentAt(path)) close(replaced->id);
  Document& added = contents_.addDocument(path);
  added.program = std::move(program);
  added.thunks = std::move(thunks);
  const DocumentId id = added.id;
  tell(DocumentOpened{id});
  showCompiled(id);
}

void Session::openHilo(const std::string& path, HiloDocument file) {
  while (!documents().empty()) close(documents().back()->id);
  file_.use(path);
  std::vector<DocumentId> added;
  for (DocumentItem& item : file.items) {
    const auto* dump = std::get_if<std::shared_ptr<const OpenedDump>>(&item.opened);
    const std::string name =
        dump != nullptr ? (*dump)->path : std::get<std::shared_ptr<const OpenedFile>>(item.opened)->path;
    Document& document = contents_.addDocument(name, std::move(item.opened));
    document.title = item.title;
    document.sourcePath = item.sourcePath;
    document.storedId = item.storedId;
    if (document.file) contents_.snapshot(document.stages[0][0])->title = document.title;
    added.push_back(document.id);
  }
  for (const DocumentId id : added) tell(DocumentOpened{id});
  for (const DocumentSeries& series : file.series) {
    const Document& origin = *document(added[series.item]);
    const SnapshotId over = origin.file ? origin.stages[0][0] : SnapshotId{};
    tell(SeriesAdded{contents_.addSeries({{}, series.series, over, origin.id, series.storedId})});
  }
  const auto shown = file.viewState.find("document");
  size_t index = 0;
  if (shown != file.viewState.end())
    std::from_chars(shown->second.data(), shown->second.data() + shown->second.size(), index);
  showFirst(*contents_.document(added[std::min(index, added.size() - 1)]));
  tell(FileOpened{file.viewState});
}

void Session::showFirst(Document& document) {
  if (document.file) return setCurrent(document.stages[0][0]);
  if (document.isCompiled()) return showCompiled(document.id);
  const DocumentId id = document.id;
  const auto dump = document.dump;
  if (dump->modules.empty()) {
    return tell(Failed{document.path + " holds no module",
                       {.kind = "empty-dump",
                        .message = "no file of a dump was found here",
                        .notes = {"run the program with XLA_FLAGS=--xla_dump_to=DIR and open DIR"}}});
  }
  for (size_t m = 0; m < dump->modules.size(); ++m) {
    const DumpModuleInfo& module = dump->modules[m];
    if (module.stages.empty()) continue;
    auto series = std::make_shared<const PassSeries>(seriesFromDump(dump, m));
    tell(SeriesAdded{contents_.addSeries({.series = std::move(series), .document = id})});
    return showStage(id, m, module.stages.size() - 1);
  }
}

void Session::showStage(DocumentId id, size_t moduleIndex, size_t stageIndex) {
  const Document* of = document(id);
  if (of == nullptr || !of->dump) return;
  if (moduleIndex >= of->stages.size() || stageIndex >= of->stages[moduleIndex].size()) return;
  if (const SnapshotId known = of->stages[moduleIndex][stageIndex]; known.valid()) return setCurrent(known);
  const auto dump = of->dump;
  const std::string stage = dump->modules[moduleIndex].stages[stageIndex].name;
  read(
      "stage", "Read " + stage, "Could not read " + stage,
      [dump, moduleIndex, stageIndex](JobContext& context) {
        context.progress(-1, "reading");
        return loadStage(*dump, moduleIndex, stageIndex);
      },
      [this, id, moduleIndex, stageIndex, stage](const std::shared_ptr<const OpenedFile>& file) {
        Document* of = contents_.document(id);
        if (of == nullptr) return;
        SnapshotId& slot = of->stages[moduleIndex][stageIndex];
        const bool isNew = !slot.valid();
        if (isNew) slot = contents_.addSnapshot({{}, id, stage, file->module, file});
        const SnapshotId read = slot;
        if (isNew) tell(SnapshotAdded{read});
        setCurrent(read);
      });
}

void Session::close(DocumentId id) {
  // The document outlives the events, so that listeners may still look.
  const std::unique_ptr<Document> closing = contents_.takeDocument(id);
  if (closing == nullptr) return;
  tell(DocumentClosed{id});
  while (const auto series = contents_.takeSeriesOf(id)) tell(SeriesClosed{series->id});
  const std::vector<SnapshotId> closed = contents_.closeSnapshots(id);
  for (const SnapshotId snapshot : closed) results_.close(snapshot);
  if (std::ranges::find(closed, current_) != closed.end()) setCurrent({});
  if (compiled_ == id) showCompiled({});
}

SnapshotId Session::snapshotOf(const std::shared_ptr<const Module>& module, const std::string& title) {
  if (const SnapshotId known = find(*module); known.valid()) return known;
  const SnapshotId id = contents_.addMade(module, title);
  tell(SnapshotAdded{id});
  return id;
}

void Session::addSeries(PassSeries series, SnapshotId origin) {
  const Snapshot* of = origin.valid() ? snapshot(origin) : current();
  tell(SeriesAdded{contents_.addSeries({.series = std::make_shared<const PassSeries>(std::move(series)),
                                        .origin = origin,
                                        .document = of == nullptr ? DocumentId{} : of->document})});
}

void Session::setCurrent(SnapshotId id) {
  showCompiled({});
  if (id == current_) return;
  current_ = id;
  shown_ = false;
  tell(CurrentChanged{id});
}

void Session::showCompiled(DocumentId id) {
  const Document* wanted = document(id);
  if (id == compiled_ || (wanted != nullptr && !wanted->isCompiled())) return;
  compiled_ = id;
  tell(CompiledShown{});
}

void Session::noteShown() {
  if (shown_) return;
  shown_ = true;
  tell(CurrentShown{});
}

void Session::request(SnapshotId id, ResultKind kind) {
  const Snapshot* of = snapshot(id);
  if (of == nullptr || results_.isSettled(id, kind)) return;
  const std::string& label = of->title;
  switch (kind) {
#define RESULT(kind, type, tag, title, failure)                    \
  case ResultKind::kind:                                           \
    if (auto work = make##kind##Work(*this, *of))                  \
      results_.make<ResultKind::kind>(id, label, std::move(work)); \
    break;
#define GIVEN(kind, type) \
  case ResultKind::kind:  \
    break;
#include "core/workspace/session/results.def"
#undef GIVEN
#undef RESULT
  }
}

JobId Session::requestValues(SnapshotId id, ValueRequest request) {
  const Snapshot* of = snapshot(id);
  if (of == nullptr) return {};
  const std::string title = fmt::format("{} by {}", of->title, request.engine);
  return results_.make<ResultKind::Values>(
      id, title, [request = std::move(request)](JobContext& job) { return ValueStudy::make(request, job); });
}

void Session::setFinding(std::optional<Finding> finding) {
  finding_ = std::move(finding);
  tell(FindingChanged{});
}

void Session::setSourceRoots(const std::vector<std::string>& folders) {
  sourceTree_ = SourceTree(folders);
  tell(SourceTreeChanged{});
}

}  // namespace hilo
