// What a client of the workspace has open, and every result about it: documents (a file or a dump directory),
// the snapshots read from them or made by passes, which of them is shown, series of passes, and the results
// of results.def. A window has one, and so has a command that wants the same.
//
// Reading and computing happen in jobs. All members are called, and the listener is, on one thread: the one
// that the queue's poster runs replies on. Pointers to documents, snapshots and series hold until the next
// call that changes what is open; nobody keeps a Module* past an event without its shared_ptr.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/workspace/session/contents.h"
#include "core/workspace/session/events.h"
#include "core/workspace/session/result_table.h"
#include "core/workspace/session/run_choices.h"
#include "core/workspace/session/session_file.h"
#include "core/workspace/text/source_tree.h"

namespace hilo {

// What a search for the first divergence or the first NaN ended at.
struct Finding {
  SnapshotId snapshot;
  InstructionId instruction;
  std::string text;                    // "diverges from reference: max abs 0.5"
  std::vector<InstructionId> through;  // what calls it, from the entry inwards
};

class Session {
 public:
  // `jobs` has a poster. `storePath`: where runs, bookmarks and notes are kept while the session has no file
  // of its own; "" for the user's store.
  explicit Session(JobQueue& jobs, std::string storePath = {});
  // One at a time; empty for none.
  void setListener(SessionListener listener);

  // Opens a file or directory in a job; the first module of it becomes current, or, where it holds compiled
  // code without a module, it is shown in that one's place. A path already open is read again and replaces
  // the document. A .hilo document takes the place of all that is open: from then on it keeps the session.
  void open(const std::string& path);
  // Cancels what is being computed about its snapshots.
  void close(DocumentId id);
  // Something is being read.
  bool busy() const { return !reading_.empty(); }
  // Thunks without a module as a document that is shown.
  void addThunks(const std::string& path, ThunkStudy thunks);
  // Reads a stage of a dump in a job unless it is there, then makes it current.
  void showStage(DocumentId document, size_t moduleIndex, size_t stageIndex);
  // The snapshot of a module, made if there is none: for modules that come out of passes.
  SnapshotId snapshotOf(const std::shared_ptr<const Module>& module, const std::string& title);
  // It closes with the document of `origin`, else of the current module.
  void addSeries(PassSeries series, SnapshotId origin = {});

  void setCurrent(SnapshotId id);
  // What is current stays so, for the views of modules; the next setCurrent ends it. Nothing happens where
  // the document holds modules.
  void showCompiled(DocumentId id);
  // The current module is on the screen, or never will be: what can wait for that starts now.
  void noteShown();
  bool isShown() const { return shown_; }

  // ResultReady follows: at once where the result is there, else after the job that makes it, or the one that
  // is making it already. Nothing follows where there is nothing to make it of: no buffers are known of
  // modules that are not the last stage of a dump or the module of an HloProto. Of a kind that is given,
  // nothing is ever made.
  void request(SnapshotId id, ResultKind kind);
  // Null until it is ready: result<ResultKind::Cost>(id).
  template <ResultKind kind>
  std::shared_ptr<ResultOf<kind>> result(SnapshotId id) const {
    return results_.get<kind>(id);
  }
  template <ResultKind kind>
  void setResult(SnapshotId id, std::shared_ptr<ResultOf<kind>> result) {
    if (snapshot(id) != nullptr) results_.set<kind>(id, std::move(result));
  }
  // The values of the entry as `request` says, even where there are some. Not valid: the snapshot is closed.
  JobId requestValues(SnapshotId id, ValueRequest request);

  // Marked in all views until another one takes its place or the module is closed.
  void setFinding(std::optional<Finding> finding);
  const std::optional<Finding>& finding() const { return finding_; }
  // Where the user's program lies on this machine; folders that are none are left out.
  void setSourceRoots(const std::vector<std::string>& folders);
  const SourceTree& sourceTree() const { return sourceTree_; }

  const std::vector<std::unique_ptr<Document>>& documents() const { return contents_.documents(); }
  const Document* document(DocumentId id) const { return contents_.document(id); }
  const Snapshot* snapshot(SnapshotId id) const { return contents_.snapshot(id); }
  // The snapshot that holds this very module; invalid when none does.
  SnapshotId find(const Module& module) const { return contents_.find(module); }
  const std::vector<SeriesEntry>& series() const { return contents_.series(); }
  const SeriesEntry* series(SeriesId id) const { return contents_.series(id); }  // null once closed
  const Snapshot* current() const { return snapshot(current_); }
  const Document* shownCompiled() const { return document(compiled_); }  // null: the current module is shown

  SessionFile& file() { return file_; }
  const SessionFile& file() const { return file_; }
  RunChoices& runs() { return runs_; }
  const RunChoices& runs() const { return runs_; }

 private:
  void tell(const SessionEvent& event) const;
  // Reads in a job, then calls `take` with what was read, or tells that it could not be.
  template <typename Read, typename Take>
  void read(std::string tag, const std::string& title, std::string failure, Read read, Take take);
  void openPlainly(const std::string& path, OpenedItem item);
  void openHilo(const std::string& path, HiloDocument file);
  void addCompiled(const std::string& path, std::shared_ptr<const Program> program,
                   std::shared_ptr<const ThunkStudy> thunks);
  void showFirst(Document& document);

  JobQueue& jobs_;
  JobScope scope_;
  SessionListener listener_;
  SessionContents contents_;
  ResultTable results_;
  SessionFile file_;
  RunChoices runs_;
  std::optional<Finding> finding_;
  SourceTree sourceTree_;
  SnapshotId current_;
  DocumentId compiled_;  // shown in the current module's place
  bool shown_ = true;
  absl::flat_hash_set<std::string> reading_;  // tags of jobs that read
};

}  // namespace hilo
