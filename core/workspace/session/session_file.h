// The .hilo document that keeps a session, and the store of its runs, bookmarks and notes. Part of Session.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/workspace/document/document.h"
#include "core/workspace/session/contents.h"
#include "core/workspace/session/events.h"
#include "core/workspace/session/shared_store.h"

namespace hilo {

class SessionFile {
 public:
  // `storePath` as Session's.
  SessionFile(JobQueue& jobs, SessionContents& contents, std::string storePath, SessionListener tell)
      : jobs_(jobs),
        contents_(contents),
        tell_(std::move(tell)),
        store_(std::make_shared<SharedStore>(std::move(storePath))) {}

  // "" while the session is in none.
  const std::string& path() const { return path_; }
  // Where runs, bookmarks and notes are kept. Jobs hold it by its shared_ptr.
  const std::shared_ptr<SharedStore>& store() const { return store_; }
  // Something is open that the file does not hold.
  bool isModified() const;
  // Writes all documents, Hilo's own pass runs and `viewState` to a .hilo file in a job, with the runs,
  // bookmarks and notes kept about them; the session is that file's when FileSaved follows. What cannot be
  // kept is told as Failed.
  void saveAs(const std::string& path, ViewState viewState);
  // Keeps what the windows show in the file, in a job.
  void keepViewState(ViewState viewState);
  // The session is this file's from here on.
  void use(const std::string& path);

 private:
  // What goes into a file, and where it stands here.
  struct Gathered;
  Gathered gather() const;
  void noteSaved(const std::string& path, const std::vector<DocumentId>& documents,
                 const std::vector<SeriesId>& series, const SavedDocument& saved);

  JobQueue& jobs_;
  SessionContents& contents_;
  SessionListener tell_;
  std::shared_ptr<SharedStore> store_;
  std::string path_;
  JobScope scope_;
};

}  // namespace hilo
