#include "ui/models/session.h"

#include <QDir>
#include <QFileInfo>
#include <QTimer>

#include "core/workspace/path/open_path.h"
#include "core/workspace/run/saved_program.h"
#include "core/workspace/thunks/xla_thunks.h"
#include "ui/models/text_of.h"

namespace hilo {
namespace {

QString titleOfPath(const QString& path) {
  const QFileInfo info(path);
  return info.fileName().isEmpty() ? QDir(path).dirName() : info.fileName();
}

}  // namespace

Session::Session(JobQueue& jobs, std::string storePath, QObject* parent)
    : QObject(parent), jobs_(jobs), store_(std::make_shared<SharedStore>(std::move(storePath))) {}

void Session::open(const QString& path) {
  const std::string name = QDir::cleanPath(path).toStdString();
  ++opening_;
  jobs_.submit(
      "open:" + name, "Open " + toStd(titleOfPath(path)),
      [name](JobContext& context) {
        context.progress(-1, "reading");
        return openPath(name, context.cancel());
      },
      [this, path](Result<PathContent> content) {
        --opening_;
        if (!content) return Q_EMIT failed(QString("Could not open %1").arg(path), content.error());
        const QString clean = QDir::cleanPath(path);
        if (std::holds_alternative<SavedProgramFile>(*content)) return openProgram(clean);
        if (std::holds_alternative<ThunksFile>(*content)) return openThunks(clean);
        if (std::holds_alternative<DocumentFile>(*content)) return openHiloFile(clean);
        addOpened(clean, std::get<OpenedItem>(*std::move(content)));
      },
      &scope_);
}

void Session::openThunks(const QString& path) {
  ++opening_;
  jobs_.submit(
      "open:" + toStd(path), "Open " + toStd(titleOfPath(path)),
      [name = toStd(path)](JobContext&) { return studyThunksAlone(name); },
      [this, path](Result<ThunkStudy> thunks) {
        --opening_;
        if (!thunks) return Q_EMIT failed(QString("Could not open %1").arg(path), thunks.error());
        addThunks(path, std::move(*thunks));
      },
      &scope_);
}

void Session::addThunks(const QString& path, ThunkStudy thunks) {
  closePath(path);
  Document& added = addDocument(path);
  added.thunks = std::make_shared<const ThunkStudy>(std::move(thunks));
  Q_EMIT documentOpened(added.id);
  showCompiled(added.id);
}

void Session::openProgram(const QString& path) {
  ++opening_;
  jobs_.submit(
      "open:" + toStd(path), "Open " + toStd(titleOfPath(path)),
      [name = toStd(path)](JobContext&) { return readSavedProgram(name); },
      [this, path](Result<std::shared_ptr<const Program>> program) {
        --opening_;
        if (!program) return Q_EMIT failed(QString("Could not open %1").arg(path), program.error());
        closePath(path);
        Document& added = addDocument(path);
        added.program = std::move(*program);
        Q_EMIT documentOpened(added.id);
        showCompiled(added.id);
      },
      &scope_);
}

void Session::showCompiled(DocumentId id) {
  const Document* wanted = document(id);
  if (id == compiled_ || (wanted != nullptr && !wanted->isCompiled())) return;
  compiled_ = id;
  Q_EMIT compiledShown();
}

void Session::closePath(const QString& path) {
  for (const auto& open : documents_) {
    if (open->path == path) return close(open->id);
  }
}

void Session::addOpened(const QString& path, OpenedItem item) {
  closePath(path);
  Document& added = addDocument(path, std::move(item));
  Q_EMIT documentOpened(added.id);
  showFirst(added);
}

Document& Session::addDocument(const QString& path) {
  Document& added = *documents_.emplace_back(std::make_unique<Document>());
  added.id = DocumentId{nextDocument_++};
  added.path = path;
  added.title = titleOfPath(path);
  added.sourcePath = QFileInfo(path).absoluteFilePath();
  return added;
}

Document& Session::addDocument(const QString& path, OpenedItem item) {
  Document& added = addDocument(path);
  if (auto* file = std::get_if<std::shared_ptr<const OpenedFile>>(&item)) {
    added.file = *file;
    added.stages = {{SnapshotId{}}};
  } else {
    added.dump = std::get<std::shared_ptr<const OpenedDump>>(item);
    for (const DumpModuleInfo& module : added.dump->modules) added.stages.emplace_back(module.stages.size());
  }
  if (added.file) {
    added.stages[0][0] =
        addSnapshot({{}, added.id, added.title, added.file->module, added.file, nullptr, nullptr});
  }
  return added;
}

void Session::showFirst(Document& document) {
  if (document.file) {
    setCurrent(document.stages[0][0]);
    return;
  }
  if (document.isCompiled()) return showCompiled(document.id);
  if (document.dump->modules.empty()) {
    Q_EMIT failed(QString("%1 holds no module").arg(document.path),
                  Diagnostic{.kind = "empty-dump",
                             .message = "no file of a dump was found here",
                             .notes = {"run the program with XLA_FLAGS=--xla_dump_to=DIR and open DIR"}});
    return;
  }
  for (size_t m = 0; m < document.dump->modules.size(); ++m) {
    const DumpModuleInfo& module = document.dump->modules[m];
    if (module.stages.empty()) continue;
    addSeriesOf(document.id, seriesFromDump(document.dump, m));
    showStage(document.id, m, module.stages.size() - 1);
    return;
  }
}

SnapshotId Session::addSnapshot(Snapshot snapshot) {
  snapshot.id = SnapshotId{static_cast<uint32_t>(snapshots_.size())};
  snapshots_.push_back(std::make_unique<Snapshot>(std::move(snapshot)));
  return snapshots_.back()->id;
}

SnapshotId Session::snapshotOf(const std::shared_ptr<const Module>& module, const QString& title) {
  if (const SnapshotId known = find(*module); known.valid()) return known;
  const SnapshotId id = addSnapshot({{}, originOf(*module), title, module, nullptr, nullptr, nullptr});
  Q_EMIT snapshotAdded(id);
  return id;
}

SnapshotId Session::find(const Module& module) const {
  for (const auto& snapshot : snapshots_) {
    if (snapshot && snapshot->module.get() == &module) return snapshot->id;
  }
  return {};
}

// The document of the module that the passes which made `module` ran over.
DocumentId Session::originOf(const Module& module) const {
  for (const SeriesEntry& entry : series_) {
    const Snapshot* origin = snapshot(entry.origin);
    if (origin == nullptr) continue;
    for (const SeriesStep& step : entry.series->steps) {
      if (step.moduleIfLoaded().get() == &module) return origin->document;
    }
  }
  return {};
}

void Session::showStep(SeriesId id, size_t step) {
  const SeriesEntry* entry = this->series(id);
  if (entry == nullptr || step >= entry->series->steps.size()) return;
  const PassSeries& series = *entry->series;
  const auto module = series.steps[step].moduleIfLoaded();
  if (module == nullptr) return;
  setCurrent(snapshotOf(module, QString("%1 after %2").arg(qs(series.title), qs(series.steps[step].name))));
}

void Session::showStage(DocumentId id, size_t moduleIndex, size_t stageIndex) {
  Document* document = find(id);
  if (document == nullptr || !document->dump) return;
  if (moduleIndex >= document->stages.size() || stageIndex >= document->stages[moduleIndex].size()) return;
  if (const SnapshotId known = document->stages[moduleIndex][stageIndex]; known.valid()) {
    setCurrent(known);
    return;
  }
  ++opening_;
  const auto dump = document->dump;
  const std::string stage = dump->modules[moduleIndex].stages[stageIndex].name;
  jobs_.submit(
      "stage", "Read " + stage,
      [dump, moduleIndex, stageIndex](JobContext& context) {
        context.progress(-1, "reading");
        return loadStage(*dump, moduleIndex, stageIndex);
      },
      [this, id, moduleIndex, stageIndex, stage](Result<std::shared_ptr<const OpenedFile>> file) {
        --opening_;
        Document* document = find(id);
        if (document == nullptr) return;
        if (!file) {
          Q_EMIT failed(QString("Could not read %1").arg(qs(stage)), file.error());
          return;
        }
        SnapshotId& slot = document->stages[moduleIndex][stageIndex];
        if (!slot.valid()) {
          slot = addSnapshot({{}, id, qs(stage), (*file)->module, *file, nullptr, nullptr});
          Q_EMIT snapshotAdded(slot);
        }
        setCurrent(document->stages[moduleIndex][stageIndex]);
      },
      &scope_);
}

void Session::close(DocumentId id) {
  const auto found = std::ranges::find(documents_, id, [](const auto& d) { return d->id; });
  if (found == documents_.end()) return;
  // The document outlives the signals, so that listeners may still look.
  const std::unique_ptr<Document> closing = std::move(*found);
  documents_.erase(found);
  Q_EMIT documentClosed(id);
  closeSeriesOf(id);
  bool currentGone = false;
  for (auto& snapshot : snapshots_) {
    if (!snapshot || snapshot->document != id) continue;
    currentGone |= snapshot->id == current_;
    snapshot.reset();
  }
  if (currentGone) setCurrent({});
  if (compiled_ == id) showCompiled({});
}

void Session::setCurrent(SnapshotId id) {
  showCompiled({});
  if (id == current_) return;
  current_ = id;
  shown_ = false;
  QTimer::singleShot(kShownLimitMs, this, [this, id] {
    if (id == current_) noteShown();
  });
  Q_EMIT currentChanged(id);
}

void Session::noteShown() {
  if (shown_) return;
  shown_ = true;
  Q_EMIT currentShown();
}

void Session::addSeries(PassSeries series, SnapshotId origin) {
  const Snapshot* of = origin.valid() ? snapshot(origin) : current();
  addSeriesOf(of == nullptr ? DocumentId{} : of->document, std::move(series), origin);
}

void Session::addSeriesOf(DocumentId document, PassSeries series, SnapshotId origin) {
  const SeriesId id{nextSeries_++};
  series_.push_back({id, std::make_shared<const PassSeries>(std::move(series)), origin, document, 0});
  Q_EMIT seriesAdded(id);
}

void Session::closeSeriesOf(DocumentId document) {
  for (size_t n = 0; n < series_.size();) {
    if (series_[n].document != document) {
      ++n;
      continue;
    }
    const SeriesEntry closing = std::move(series_[n]);
    series_.erase(series_.begin() + static_cast<std::ptrdiff_t>(n));
    Q_EMIT seriesClosed(closing.id);
  }
}

const SeriesEntry* Session::series(SeriesId id) const {
  const auto found = std::ranges::find(series_, id, &SeriesEntry::id);
  return found == series_.end() ? nullptr : &*found;
}

void Session::requestCost(SnapshotId id) {
  const Snapshot* wanted = snapshot(id);
  if (wanted == nullptr) return;
  if (wanted->cost) {
    Q_EMIT costReady(id);
    return;
  }
  jobs_.submit(
      "cost:" + std::to_string(id.value), "Count costs of " + toStd(wanted->title),
      [module = wanted->module](JobContext&) -> Result<std::shared_ptr<const ModuleCost>> {
        return std::make_shared<const ModuleCost>(*module);
      },
      [this, id](Result<std::shared_ptr<const ModuleCost>> cost) {
        if (!cost || snapshot(id) == nullptr) return;
        snapshots_[id.value]->cost = *cost;
        Q_EMIT costReady(id);
      },
      &scope_);
}

SeriesStep Session::stepOf(SnapshotId id) const {
  const Snapshot* known = snapshot(id);
  return known == nullptr ? SeriesStep{} : makeStep(toStd(known->title), known->module);
}

SeriesStep Session::stepOf(DocumentId id, size_t moduleIndex, size_t stageIndex) const {
  const Document* known = document(id);
  const DumpStageInfo& stage = known->dump->modules[moduleIndex].stages[stageIndex];
  if (const SnapshotId read = known->stages[moduleIndex][stageIndex]; read.valid()) return stepOf(read);
  SeriesStep step = makeLazyStep(
      stage.name, [dump = known->dump, moduleIndex, stageIndex]() -> Result<std::shared_ptr<const Module>> {
        TRY(const auto file, loadStage(*dump, moduleIndex, stageIndex));
        return file->module;
      });
  step.path = stage.path;
  return step;
}

std::vector<std::pair<QString, SeriesStep>> Session::comparable() const {
  std::vector<std::pair<QString, SeriesStep>> all;
  for (const auto& open : documents_) {
    for (size_t m = 0; m < open->stages.size() && open->dump; ++m) {
      for (size_t s = 0; s < open->stages[m].size(); ++s) {
        const DumpModuleInfo& module = open->dump->modules[m];
        const SnapshotId id = open->stages[m][s];
        if (id.valid() && id == current_) continue;
        all.emplace_back(QString("%1 / %2 / %3").arg(open->title, qs(module.name), qs(module.stages[s].name)),
                         stepOf(open->id, m, s));
      }
    }
    if (open->file && open->stages[0][0] != current_)
      all.emplace_back(open->path, stepOf(open->stages[0][0]));
  }
  for (const SeriesEntry& entry : series_) {
    for (size_t step = 1; step < entry.series->steps.size() && entry.origin.valid(); ++step) {
      const SeriesStep& pass = entry.series->steps[step];
      if (const Snapshot* shown = current(); shown != nullptr && shown->module == pass.moduleIfLoaded())
        continue;
      all.emplace_back(QString("%1 / %2. after %3").arg(qs(entry.series->title)).arg(step).arg(qs(pass.name)),
                       pass);
    }
  }
  return all;
}

void Session::compareWithCurrent(SeriesStep other) {
  const Snapshot* shown = current();
  if (shown == nullptr || other.slot == nullptr) return;
  addSeries(comparisonSeries(std::move(other), makeStep(toStd(shown->title), shown->module)));
}

void Session::requestBuffers(SnapshotId id) {
  const Snapshot* wanted = snapshot(id);
  if (wanted == nullptr) return;
  if (wanted->buffers) {
    Q_EMIT buffersReady(id);
    return;
  }
  const Document* document = this->document(wanted->document);
  if (document == nullptr || wanted->file == nullptr) return;
  const std::string title = toStd(wanted->title);
  if (document->file && wanted->file->hasBufferAssignment) {
    readBuffersOf(id, title, [file = wanted->file] { return readBuffers(*file); });
    return;
  }
  for (size_t m = 0; m < document->stages.size() && document->dump; ++m) {
    // Buffers are assigned to what the compiler ends with.
    if (document->stages[m].empty() || document->stages[m].back() != id) continue;
    readBuffersOf(id, title, [dump = document->dump, m, module = wanted->module] {
      return readBuffers(*dump, m, *module);
    });
  }
}

void Session::readBuffersOf(SnapshotId id, const std::string& title, std::function<ModuleBuffers()> read) {
  jobs_.submit(
      "buffers:" + std::to_string(id.value), "Read the buffers of " + title,
      [read = std::move(read)](JobContext&) -> Result<std::shared_ptr<const ModuleBuffers>> {
        return std::make_shared<const ModuleBuffers>(read());
      },
      [this, id](Result<std::shared_ptr<const ModuleBuffers>> buffers) {
        if (!buffers || snapshot(id) == nullptr) return;
        snapshots_[id.value]->buffers = *buffers;
        for (const Diagnostic& why : (*buffers)->diagnostics) {
          if (why.severity == Severity::kError) Q_EMIT failed("Could not read where buffers lie", why);
        }
        Q_EMIT buffersReady(id);
      },
      &scope_);
}

void Session::setSourceRoots(const QStringList& folders) {
  std::vector<std::string> roots;
  for (const QString& folder : folders) roots.push_back(toStd(folder));
  sourceTree_ = SourceTree(roots);
  Q_EMIT sourceTreeChanged();
}

ValueRequest Session::valuesToAsk(const Snapshot& snapshot) const {
  if (lastRun_.module == snapshot.module) return lastRun_;
  return {.module = snapshot.module, .engine = "cpu", .arguments = {}, .worker = worker_};
}

JobId Session::requestValues(SnapshotId id, ValueRequest request) {
  const Snapshot* wanted = snapshot(id);
  if (wanted == nullptr) return {};
  return jobs_.submit(
      "values", "Values of " + toStd(wanted->title) + " by " + request.engine,
      [request = std::move(request)](JobContext& job) { return ValueStudy::make(request, job); },
      [this, id](Result<std::shared_ptr<ValueStudy>> values) {
        if (snapshot(id) == nullptr) return;
        if (!values && values.error().kind == "cancelled") return;
        if (!values) return Q_EMIT failed("Values could not be worked out", values.error());
        snapshots_[id.value]->values = std::move(*values);
        Q_EMIT valuesReady(id);
      },
      &scope_);
}

void Session::setDivergence(SnapshotId id, Divergence divergence) {
  if (snapshot(id) == nullptr) return;
  snapshots_[id.value]->divergence = std::make_shared<const Divergence>(std::move(divergence));
  Q_EMIT divergenceReady(id);
}

void Session::setFinding(std::optional<Finding> finding) {
  finding_ = std::move(finding);
  Q_EMIT findingChanged();
}

void Session::setComparedRuns(RunRecord a, RunRecord b, bool inTurns) {
  comparedRuns_.emplace(std::move(a), std::move(b));
  comparedInTurns_ = inTurns;
  Q_EMIT comparedRunsChanged();
}

Document* Session::find(DocumentId id) {
  const auto found = std::ranges::find(documents_, id, [](const auto& d) { return d->id; });
  return found == documents_.end() ? nullptr : found->get();
}

const Document* Session::document(DocumentId id) const { return const_cast<Session*>(this)->find(id); }

const Snapshot* Session::snapshot(SnapshotId id) const {
  return id.value < snapshots_.size() ? snapshots_[id.value].get() : nullptr;
}

const Snapshot* Session::snapshotFor(const Selection& selection) const {
  return selection.snapshot.valid() ? snapshot(selection.snapshot) : current();
}

Selection Session::selectionOf(const Snapshot& snapshot, const Instruction& instruction) const {
  return {snapshot.document, snapshot.id, instruction.parent().id(), instruction.id()};
}

Selection Session::selectionOf(const Snapshot& snapshot, const Computation& computation) const {
  return {snapshot.document, snapshot.id, computation.id(), {}};
}

Selection Session::findByName(const QString& name) const {
  const Snapshot* shown = current();
  if (shown == nullptr) return {};
  const std::string text = name.toStdString();
  if (const Instruction* i = shown->module->findInstruction(text)) return selectionOf(*shown, *i);
  if (const Computation* c = shown->module->findComputation(text)) return selectionOf(*shown, *c);
  return {};
}

}  // namespace hilo
