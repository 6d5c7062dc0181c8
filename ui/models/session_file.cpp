// The session as a .hilo file: opening one, and keeping everything that is open in one.
#include <fmt/format.h>

#include <QFileInfo>

#include "ui/models/session.h"
#include "ui/models/text_of.h"

namespace hilo {

struct Session::Gathered {
  HiloDocument document;
  Annotations annotations;
  std::vector<DocumentId> documents;  // by item
  std::vector<SeriesId> series;       // by series
  Diagnostics leftOut;                // what holds no module is a file of its own
};

void Session::openHiloFile(const QString& path) {
  ++opening_;
  jobs_.submit(
      "open:" + toStd(path), "Open " + toStd(QFileInfo(path).fileName()),
      [path = toStd(path)](JobContext& context) { return readDocument(path, context); },
      [this, path](Result<HiloDocument> document) {
        --opening_;
        if (document) {
          addHiloFile(path, *std::move(document));
        } else {
          Q_EMIT failed(QString("Could not open %1").arg(path), document.error());
        }
      },
      &scope_);
}

void Session::addHiloFile(const QString& path, HiloDocument file) {
  while (!documents_.empty()) close(documents_.back()->id);
  useFile(path);
  std::vector<DocumentId> added;
  for (DocumentItem& item : file.items) {
    const auto* dump = std::get_if<std::shared_ptr<const OpenedDump>>(&item.opened);
    const std::string name =
        dump != nullptr ? (*dump)->path : std::get<std::shared_ptr<const OpenedFile>>(item.opened)->path;
    Document& document = addDocument(qs(name), std::move(item.opened));
    document.title = qs(item.title);
    document.sourcePath = qs(item.sourcePath);
    document.storedId = item.storedId;
    if (document.file) snapshots_[document.stages[0][0].value]->title = document.title;
    added.push_back(document.id);
  }
  for (const DocumentId id : added) Q_EMIT documentOpened(id);
  for (const DocumentSeries& series : file.series) {
    const Document& origin = *document(added[series.item]);
    addSeriesOf(origin.id, *series.series, origin.file ? origin.stages[0][0] : SnapshotId{});
    series_.back().storedId = series.storedId;
  }
  const auto shown = file.viewState.find("document");
  const size_t index = shown == file.viewState.end() ? 0 : qs(shown->second).toUInt();
  showFirst(*find(added[std::min(index, added.size() - 1)]));
  Q_EMIT fileOpened(file.viewState);
}

void Session::useFile(const QString& path) {
  filePath_ = path;
  store_ = std::make_shared<SharedStore>(toStd(path));
  Q_EMIT storeChanged();
}

Session::Gathered Session::gather() const {
  Gathered gathered;
  for (const auto& open : documents_) {
    if (open->isCompiled()) {
      gathered.leftOut.push_back(
          {Severity::kWarning, "program-left-out",
           fmt::format("{} is {}, and stays a file of its own", toStd(open->title),
                       open->program ? "a saved program" : "XLA's thunks without their module")});
      continue;
    }
    DocumentItem item{.storedId = open->storedId,
                      .title = toStd(open->title),
                      .sourcePath = toStd(open->sourcePath),
                      .opened = std::shared_ptr<const OpenedFile>()};
    if (open->file) {
      item.opened = open->file;
    } else {
      item.opened = open->dump;
    }
    gathered.document.items.push_back(std::move(item));
    gathered.documents.push_back(open->id);
  }
  for (const auto& snapshot : snapshots_) {
    if (snapshot) gathered.annotations.modules.push_back(snapshot->module);
  }
  for (const SeriesEntry& entry : series_) {
    const Snapshot* origin = snapshot(entry.origin);
    const auto at = origin == nullptr ? gathered.documents.end()
                                      : std::ranges::find(gathered.documents, origin->document);
    if (at == gathered.documents.end()) continue;
    gathered.document.series.push_back(
        {entry.storedId, static_cast<size_t>(at - gathered.documents.begin()), entry.series});
    gathered.series.push_back(entry.id);
  }
  return gathered;
}

bool Session::isModified() const {
  if (filePath_.isEmpty()) return false;
  const Gathered now = gather();
  const auto isNew = [](const auto& part) { return part.storedId == 0; };
  return std::ranges::any_of(now.document.items, isNew) || std::ranges::any_of(now.document.series, isNew);
}

void Session::saveAs(const QString& path, ViewState viewState) {
  Gathered gathered = gather();
  for (const Diagnostic& warning : gathered.leftOut) Q_EMIT failed("Not all was saved", warning);
  if (gathered.documents.empty()) return;
  // What another file calls an item says nothing in this one.
  if (path != filePath_) {
    for (DocumentItem& item : gathered.document.items) item.storedId = 0;
    for (DocumentSeries& series : gathered.document.series) series.storedId = 0;
  }
  gathered.document.viewState = std::move(viewState);
  jobs_.submit(
      "save", "Save " + toStd(QFileInfo(path).fileName()),
      [path = toStd(path), document = std::move(gathered.document),
       modules = std::move(gathered.annotations.modules),
       store = store_](JobContext& context) -> Result<SavedDocument> {
        TRY(const auto kept, store->get());
        return saveDocument(path, document, {kept.get(), modules}, context);
      },
      [this, path, documents = std::move(gathered.documents),
       series = std::move(gathered.series)](Result<SavedDocument> done) {
        if (!done) {
          Q_EMIT failed(QString("Could not save %1").arg(path), done.error());
          return;
        }
        for (size_t n = 0; n < documents.size(); ++n) {
          if (Document* document = find(documents[n])) document->storedId = done->itemIds[n];
        }
        for (size_t n = 0; n < series.size(); ++n) {
          const auto at = std::ranges::find(series_, series[n], &SeriesEntry::id);
          if (at != series_.end()) at->storedId = done->seriesIds[n];
        }
        if (filePath_ != path) useFile(path);
        for (const Diagnostic& warning : done->leftOut) Q_EMIT failed("Not all was saved", warning);
        Q_EMIT saved();
      },
      &scope_);
}

void Session::keepViewState(ViewState viewState) {
  if (filePath_.isEmpty()) return;
  jobs_.submit(
      "viewState", "Keep what is shown",
      [path = toStd(filePath_), viewState = std::move(viewState)](JobContext&) {
        return saveViewState(path, viewState);
      },
      [this](Status kept) {
        if (!kept) Q_EMIT failed("What is shown could not be kept", kept.error());
      },
      &scope_);
}

}  // namespace hilo
