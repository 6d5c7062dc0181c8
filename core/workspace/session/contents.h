// What is open: documents (a file or a dump directory), the snapshots read from them or made by passes, and
// series of passes. Plain data by id, which belongs to one thread; Session changes it and tells of it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/workspace/open/opened.h"
#include "core/workspace/passes/pass_series.h"
#include "core/workspace/session/ids.h"

namespace hilo {

struct Program;
struct ThunkStudy;

struct Document {
  DocumentId id;
  std::string path;
  std::string title;
  std::shared_ptr<const OpenedFile> file;  // one of the four
  std::shared_ptr<const OpenedDump> dump;
  std::shared_ptr<const Program> program;    // a saved one
  std::shared_ptr<const ThunkStudy> thunks;  // XLA's, read from a file without their module
  std::string sourcePath;                    // where it was read from at first
  int64_t storedId = 0;                      // in the session's file; 0: not there
  // By module and stage of a dump: the snapshot once read. A file has one of each.
  std::vector<std::vector<SnapshotId>> stages;

  // There are thunks and no module.
  bool isCompiled() const { return program != nullptr || thunks != nullptr; }
};

// A module at one point of a pipeline.
struct Snapshot {
  SnapshotId id;
  DocumentId document;  // of one made by Hilo's passes: that of the module they ran over
  std::string title;
  std::shared_ptr<const Module> module;
  std::shared_ptr<const OpenedFile> file;  // null for one made by Hilo's passes
};

struct SeriesEntry {
  SeriesId id;
  std::shared_ptr<const PassSeries> series;
  SnapshotId origin;     // of Hilo's own runs: what the passes ran over
  DocumentId document;   // closes with it: the dump, what the passes ran over, or the later of two compared
  int64_t storedId = 0;  // in the session's file; 0: not there
};

class SessionContents {
 public:
  const std::vector<std::unique_ptr<Document>>& documents() const { return documents_; }
  Document* document(DocumentId id);  // null once closed, as are the next two
  const Document* document(DocumentId id) const;
  Snapshot* snapshot(SnapshotId id);
  const Snapshot* snapshot(SnapshotId id) const;
  const std::vector<SeriesEntry>& series() const { return series_; }
  SeriesEntry* series(SeriesId id);
  const SeriesEntry* series(SeriesId id) const;

  Document* documentAt(const std::string& path);  // null where none is open
  // The snapshot that holds this very module; invalid when none does.
  SnapshotId find(const Module& module) const;
  std::vector<std::shared_ptr<const Module>> modules() const;

  // With nothing in it yet, or with a file or dump. Of a file the snapshot is made.
  Document& addDocument(const std::string& path);
  Document& addDocument(const std::string& path, OpenedItem item);
  // The snapshots and series stay until they are closed too.
  std::unique_ptr<Document> takeDocument(DocumentId id);
  SnapshotId addSnapshot(Snapshot snapshot);
  // A module that Hilo's passes made, in the document of what they ran over.
  SnapshotId addMade(const std::shared_ptr<const Module>& module, std::string title);
  // Closes those of a document, and says which they were.
  std::vector<SnapshotId> closeSnapshots(DocumentId id);
  SeriesId addSeries(SeriesEntry entry);
  // Closes one series of the document; null where there is none left.
  std::unique_ptr<SeriesEntry> takeSeriesOf(DocumentId id);

 private:
  DocumentId originOf(const Module& module) const;

  std::vector<std::unique_ptr<Document>> documents_;
  std::vector<std::unique_ptr<Snapshot>> snapshots_;  // by id; null once its document is closed
  std::vector<SeriesEntry> series_;
  uint32_t nextDocument_ = 0;
  uint32_t nextSeries_ = 0;
};

// Without "." and "..", doubled separators and one at the end: what is open is told apart by this.
std::string cleanPath(const std::string& path);
// The last part of a path.
std::string titleOfPath(const std::string& path);

}  // namespace hilo
