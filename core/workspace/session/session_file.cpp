#include "core/workspace/session/session_file.h"

#include <fmt/format.h>

#include <algorithm>

namespace hilo {

struct SessionFile::Gathered {
  HiloDocument document;
  std::vector<DocumentId> documents;  // by item
  std::vector<SeriesId> series;       // by series
  Diagnostics leftOut;                // what holds no module is a file of its own
};

void SessionFile::use(const std::string& path) {
  path_ = path;
  store_ = std::make_shared<SharedStore>(path);
  tell_(StoreChanged{});
}

SessionFile::Gathered SessionFile::gather() const {
  Gathered gathered;
  for (const auto& open : contents_.documents()) {
    if (open->isCompiled()) {
      gathered.leftOut.push_back(
          {Severity::kWarning, "program-left-out",
           fmt::format("{} is {}, and stays a file of its own", open->title,
                       open->program ? "a saved program" : "XLA's thunks without their module")});
      continue;
    }
    OpenedItem opened = open->dump;
    if (open->file) opened = open->file;
    gathered.document.items.push_back({.storedId = open->storedId,
                                       .title = open->title,
                                       .sourcePath = open->sourcePath,
                                       .opened = std::move(opened)});
    gathered.documents.push_back(open->id);
  }
  for (const SeriesEntry& entry : contents_.series()) {
    const Snapshot* origin = std::as_const(contents_).snapshot(entry.origin);
    const auto at = origin == nullptr ? gathered.documents.end()
                                      : std::ranges::find(gathered.documents, origin->document);
    if (at == gathered.documents.end()) continue;
    gathered.document.series.push_back(
        {entry.storedId, static_cast<size_t>(at - gathered.documents.begin()), entry.series});
    gathered.series.push_back(entry.id);
  }
  return gathered;
}

bool SessionFile::isModified() const {
  if (path_.empty()) return false;
  const Gathered now = gather();
  const auto isNew = [](const auto& part) { return part.storedId == 0; };
  return std::ranges::any_of(now.document.items, isNew) || std::ranges::any_of(now.document.series, isNew);
}

void SessionFile::saveAs(const std::string& path, ViewState viewState) {
  Gathered gathered = gather();
  for (const Diagnostic& warning : gathered.leftOut) tell_(Failed{"Not all was saved", warning});
  if (gathered.documents.empty()) return;
  // What another file calls an item says nothing in this one.
  if (path != path_) {
    for (DocumentItem& item : gathered.document.items) item.storedId = 0;
    for (DocumentSeries& series : gathered.document.series) series.storedId = 0;
  }
  gathered.document.viewState = std::move(viewState);
  jobs_.submit(
      "save", "Save " + titleOfPath(path),
      [path, document = std::move(gathered.document), modules = contents_.modules(),
       store = store_](JobContext& context) -> Result<SavedDocument> {
        TRY(const auto kept, store->get());
        return saveDocument(path, document, {kept.get(), modules}, context);
      },
      [this, path, documents = std::move(gathered.documents),
       series = std::move(gathered.series)](Result<SavedDocument> saved) {
        if (!saved) return tell_(Failed{"Could not save " + path, saved.error()});
        noteSaved(path, documents, series, *saved);
      },
      &scope_);
}

void SessionFile::noteSaved(const std::string& path, const std::vector<DocumentId>& documents,
                            const std::vector<SeriesId>& series, const SavedDocument& saved) {
  for (size_t n = 0; n < documents.size(); ++n) {
    if (Document* document = contents_.document(documents[n])) document->storedId = saved.itemIds[n];
  }
  for (size_t n = 0; n < series.size(); ++n) {
    if (SeriesEntry* entry = contents_.series(series[n])) entry->storedId = saved.seriesIds[n];
  }
  if (path_ != path) use(path);
  for (const Diagnostic& warning : saved.leftOut) tell_(Failed{"Not all was saved", warning});
  tell_(FileSaved{});
}

void SessionFile::keepViewState(ViewState viewState) {
  if (path_.empty()) return;
  jobs_.submit(
      "viewState", "Keep what is shown",
      [path = path_, viewState = std::move(viewState)](JobContext&) {
        return saveViewState(path, viewState);
      },
      [this](Status kept) {
        if (!kept) tell_(Failed{"What is shown could not be kept", kept.error()});
      },
      &scope_);
}

}  // namespace hilo
