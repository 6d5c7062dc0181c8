#include "ui/models/session.h"

#include <QDir>
#include <QFileInfo>
#include <QTimer>

#include "ui/models/text_of.h"

namespace hilo {
namespace {

QString titleOfPath(const QString& path) {
  const QFileInfo info(path);
  return info.fileName().isEmpty() ? QDir(path).dirName() : info.fileName();
}

}  // namespace

Session::Session(JobQueue& jobs, QObject* parent) : QObject(parent), jobs_(jobs) {}

void Session::open(const QString& path) {
  ++opening_;
  const std::string name = QDir::cleanPath(path).toStdString();
  jobs_.submit(
      "open:" + name, "Open " + toStd(titleOfPath(path)),
      [name](JobContext& context) {
        context.progress(-1, "reading");
        return openPath(name, context.cancel());
      },
      [this, path](Result<OpenedItem> item) {
        --opening_;
        if (item) {
          addOpened(QDir::cleanPath(path), *std::move(item));
        } else {
          Q_EMIT failed(QString("Could not open %1").arg(path), item.error());
        }
      },
      &scope_);
}

void Session::addOpened(const QString& path, OpenedItem item) {
  for (const auto& open : documents_) {
    if (open->path != path) continue;
    close(open->id);
    break;
  }
  auto document = std::make_unique<Document>();
  document->id = DocumentId{nextDocument_++};
  document->path = path;
  document->title = titleOfPath(path);
  if (auto* file = std::get_if<std::shared_ptr<const OpenedFile>>(&item)) {
    document->file = *file;
    document->stages = {{SnapshotId{}}};
  } else {
    document->dump = std::get<std::shared_ptr<const OpenedDump>>(item);
    for (const DumpModuleInfo& module : document->dump->modules) {
      document->stages.emplace_back(module.stages.size());
    }
  }
  Document& added = *documents_.emplace_back(std::move(document));
  if (added.file) {
    added.stages[0][0] = addSnapshot({{}, added.id, added.title, added.file->module, added.file, nullptr});
  }
  Q_EMIT documentOpened(added.id);
  showFirst(added);
}

void Session::showFirst(Document& document) {
  if (document.file) {
    setCurrent(document.stages[0][0]);
    return;
  }
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
    addSeries(seriesFromDump(document.dump, m));
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
  for (const auto& snapshot : snapshots_) {
    if (snapshot && snapshot->module == module) return snapshot->id;
  }
  const SnapshotId id = addSnapshot({{}, {}, title, module, nullptr, nullptr});
  Q_EMIT snapshotAdded(id);
  return id;
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
          slot = addSnapshot({{}, id, qs(stage), (*file)->module, *file, nullptr});
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
  bool currentGone = false;
  for (auto& snapshot : snapshots_) {
    if (!snapshot || snapshot->document != id) continue;
    currentGone |= snapshot->id == current_;
    snapshot.reset();
  }
  if (currentGone) setCurrent({});
}

void Session::setCurrent(SnapshotId id) {
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

void Session::addSeries(PassSeries series) {
  const SeriesId id{static_cast<uint32_t>(series_.size())};
  series_.push_back({id, std::make_shared<const PassSeries>(std::move(series))});
  Q_EMIT seriesAdded(id);
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

void Session::setComparedRuns(RunRecord a, RunRecord b) {
  comparedRuns_.emplace(std::move(a), std::move(b));
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
