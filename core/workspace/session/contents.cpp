#include "core/workspace/session/contents.h"

#include <algorithm>
#include <filesystem>

namespace hilo {
namespace {

std::string absolutePath(const std::string& path) {
  std::error_code failed;
  const std::filesystem::path absolute = std::filesystem::absolute(path, failed);
  return failed ? path : absolute.lexically_normal().string();
}

}  // namespace

std::string cleanPath(const std::string& path) {
  std::string clean = std::filesystem::path(path).lexically_normal().string();
  if (clean.size() > 1 && clean.ends_with('/')) clean.pop_back();
  return clean;
}

std::string titleOfPath(const std::string& path) {
  const std::string clean = cleanPath(path);
  const std::string name = std::filesystem::path(clean).filename().string();
  return name.empty() ? clean : name;
}

const Document* SessionContents::document(DocumentId id) const {
  const auto found = std::ranges::find(documents_, id, [](const auto& d) { return d->id; });
  return found == documents_.end() ? nullptr : found->get();
}

Document* SessionContents::document(DocumentId id) {
  return const_cast<Document*>(std::as_const(*this).document(id));
}

const Snapshot* SessionContents::snapshot(SnapshotId id) const {
  return id.value < snapshots_.size() ? snapshots_[id.value].get() : nullptr;
}

Snapshot* SessionContents::snapshot(SnapshotId id) {
  return const_cast<Snapshot*>(std::as_const(*this).snapshot(id));
}

const SeriesEntry* SessionContents::series(SeriesId id) const {
  const auto found = std::ranges::find(series_, id, &SeriesEntry::id);
  return found == series_.end() ? nullptr : &*found;
}

SeriesEntry* SessionContents::series(SeriesId id) {
  return const_cast<SeriesEntry*>(std::as_const(*this).series(id));
}

Document* SessionContents::documentAt(const std::string& path) {
  const auto found = std::ranges::find(documents_, path, [](const auto& d) { return d->path; });
  return found == documents_.end() ? nullptr : found->get();
}

SnapshotId SessionContents::find(const Module& module) const {
  for (const auto& snapshot : snapshots_) {
    if (snapshot && snapshot->module.get() == &module) return snapshot->id;
  }
  return {};
}

std::vector<std::shared_ptr<const Module>> SessionContents::modules() const {
  std::vector<std::shared_ptr<const Module>> modules;
  for (const auto& snapshot : snapshots_) {
    if (snapshot) modules.push_back(snapshot->module);
  }
  return modules;
}

Document& SessionContents::addDocument(const std::string& path) {
  Document& added = *documents_.emplace_back(std::make_unique<Document>());
  added.id = DocumentId{nextDocument_++};
  added.path = path;
  added.title = titleOfPath(path);
  added.sourcePath = absolutePath(path);
  return added;
}

Document& SessionContents::addDocument(const std::string& path, OpenedItem item) {
  Document& added = addDocument(path);
  if (auto* file = std::get_if<std::shared_ptr<const OpenedFile>>(&item)) {
    added.file = *file;
    added.stages = {{addSnapshot({{}, added.id, added.title, added.file->module, added.file})}};
  } else {
    added.dump = std::get<std::shared_ptr<const OpenedDump>>(item);
    for (const DumpModuleInfo& module : added.dump->modules) added.stages.emplace_back(module.stages.size());
  }
  return added;
}

std::unique_ptr<Document> SessionContents::takeDocument(DocumentId id) {
  const auto found = std::ranges::find(documents_, id, [](const auto& d) { return d->id; });
  if (found == documents_.end()) return nullptr;
  std::unique_ptr<Document> taken = std::move(*found);
  documents_.erase(found);
  return taken;
}

SnapshotId SessionContents::addSnapshot(Snapshot snapshot) {
  snapshot.id = SnapshotId{static_cast<uint32_t>(snapshots_.size())};
  snapshots_.push_back(std::make_unique<Snapshot>(std::move(snapshot)));
  return snapshots_.back()->id;
}

SnapshotId SessionContents::addMade(const std::shared_ptr<const Module>& module, std::string title) {
  return addSnapshot({{}, originOf(*module), std::move(title), module, nullptr});
}

// The document of the module that the passes which made `module` ran over.
DocumentId SessionContents::originOf(const Module& module) const {
  for (const SeriesEntry& entry : series_) {
    const Snapshot* origin = snapshot(entry.origin);
    if (origin == nullptr) continue;
    for (const SeriesStep& step : entry.series->steps) {
      if (step.moduleIfLoaded().get() == &module) return origin->document;
    }
  }
  return {};
}

std::vector<SnapshotId> SessionContents::closeSnapshots(DocumentId id) {
  std::vector<SnapshotId> closed;
  for (auto& snapshot : snapshots_) {
    if (!snapshot || snapshot->document != id) continue;
    closed.push_back(snapshot->id);
    snapshot.reset();
  }
  return closed;
}

SeriesId SessionContents::addSeries(SeriesEntry entry) {
  entry.id = SeriesId{nextSeries_++};
  series_.push_back(std::move(entry));
  return series_.back().id;
}

std::unique_ptr<SeriesEntry> SessionContents::takeSeriesOf(DocumentId id) {
  const auto found = std::ranges::find(series_, id, &SeriesEntry::document);
  if (found == series_.end()) return nullptr;
  auto taken = std::make_unique<SeriesEntry>(std::move(*found));
  series_.erase(found);
  return taken;
}

}  // namespace hilo
