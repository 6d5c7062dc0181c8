// What the window has open: documents (a file or a dump directory), the module snapshots read from them or
// made by passes, and which snapshot the views show. Reading happens in jobs; everything here is the UI
// thread's. Views read it and listen; they never keep a Module* past a signal without its shared_ptr.
#pragma once

#include <QObject>
#include <QString>
#include <memory>
#include <optional>
#include <vector>

#include "core/analysis/cost_facts.h"
#include "core/workspace/document/document.h"
#include "core/workspace/job_queue.h"
#include "core/workspace/open/opened.h"
#include "core/workspace/passes/pass_series.h"
#include "core/workspace/run/runs.h"
#include "core/workspace/text/source_tree.h"
#include "core/workspace/thunks/instruction_buffers.h"
#include "core/workspace/values/first_divergence.h"
#include "core/workspace/values/value_study.h"
#include "ui/models/selection.h"
#include "ui/models/shared_store.h"

namespace hilo {

struct Program;
struct ThunkStudy;

using SeriesId = TypedId<struct SeriesTag>;

struct Document {
  DocumentId id;
  QString path;
  QString title;
  std::shared_ptr<const OpenedFile> file;  // one of the four
  std::shared_ptr<const OpenedDump> dump;
  std::shared_ptr<const Program> program;    // a saved one
  std::shared_ptr<const ThunkStudy> thunks;  // XLA's, read from a file without their module
  QString sourcePath;                        // where it was read from at first
  int64_t storedId = 0;                      // in the session's file; 0: not there
  // By module and stage of a dump: the snapshot once read. A file has one of each.
  std::vector<std::vector<SnapshotId>> stages;

  // There are thunks and no module.
  bool isCompiled() const { return program != nullptr || thunks != nullptr; }
};

struct Snapshot {
  SnapshotId id;
  DocumentId document;  // of one made by Hilo's passes: that of the module they ran over
  QString title;
  std::shared_ptr<const Module> module;
  std::shared_ptr<const OpenedFile> file;        // null for one made by Hilo's passes
  std::shared_ptr<const ModuleCost> cost;        // null until asked for and counted
  std::shared_ptr<const ModuleBuffers> buffers;  // null until asked for and read
  std::shared_ptr<ValueStudy> values;            // null until asked for and worked out
  std::shared_ptr<const Divergence> divergence;  // of two engines; null until looked for
};

// What a search for the first divergence or the first NaN ended at.
struct Finding {
  SnapshotId snapshot;
  InstructionId instruction;
  QString text;                        // "parts from reference: max abs 0.5"
  std::vector<InstructionId> through;  // what calls it, from the entry inwards
};

struct SeriesEntry {
  SeriesId id;
  std::shared_ptr<const PassSeries> series;
  SnapshotId origin;     // of Hilo's own runs: what the passes ran over
  DocumentId document;   // closes with it: the dump, what the passes ran over, or the later of two compared
  int64_t storedId = 0;  // in the session's file; 0: not there
};

class Session : public QObject {
  Q_OBJECT

 public:
  // `storePath`: where runs, bookmarks and notes are kept while the session has no file of its own; "" for
  // the user's store.
  explicit Session(JobQueue& jobs, std::string storePath = {}, QObject* parent = nullptr);

  // Opens a file or directory in a job; the first module of it becomes current, or, where it holds
  // compiled code without a module, it is shown in that one's place. A path already open is read again and
  // replaces the document. A .hilo document takes the place of all that is open: the session is that
  // file's from then on.
  void open(const QString& path);
  void close(DocumentId id);
  // Reads a stage of a dump in a job unless it is there, then makes it current.
  void showStage(DocumentId document, size_t moduleIndex, size_t stageIndex);
  // The snapshot of a module, made if there is none: for modules that come out of passes.
  SnapshotId snapshotOf(const std::shared_ptr<const Module>& module, const QString& title);
  void setCurrent(SnapshotId id);
  // What is current stays so, for the views of modules; the next setCurrent ends it. Nothing happens where
  // the document holds modules.
  void showCompiled(DocumentId id);
  // Thunks without a module as a document that is shown.
  void addThunks(const QString& path, ThunkStudy thunks);
  // It closes with the document of `origin`, else of the current module.
  void addSeries(PassSeries series, SnapshotId origin = {});
  // Makes the module after a step of one of Hilo's own runs current.
  void showStep(SeriesId series, size_t step);
  // The graph of the current module is on the screen, or never will be: what can wait for that starts now.
  void noteShown();
  bool isShown() const { return shown_; }
  // Counts costs in a job; costReady follows, at once when they are there.
  void requestCost(SnapshotId id);
  // A module that is open, or a stage of a dump that may be, as one side of a comparison.
  SeriesStep stepOf(SnapshotId id) const;
  SeriesStep stepOf(DocumentId document, size_t moduleIndex, size_t stageIndex) const;
  // All of them but the current module, by names that tell them apart.
  std::vector<std::pair<QString, SeriesStep>> comparable() const;
  // Makes a series of `other` and the current module.
  void compareWithCurrent(SeriesStep other);
  // Reads where its values lie and which thunks run them, in a job; buffersReady follows. Nothing is known of
  // modules that are not the last stage of a dump or the module of an HloProto.
  void requestBuffers(SnapshotId id);
  // `inTurns`: they come from one executeInTurns.
  void setComparedRuns(RunRecord a, RunRecord b, bool inTurns = false);
  // Where compiled code runs.
  const WorkerOptions& worker() const { return worker_; }
  void setWorker(WorkerOptions worker) { worker_ = std::move(worker); }
  // What the user ran last: values are those of this run where they are of its module.
  void noteRun(ValueRequest request) { lastRun_ = std::move(request); }
  ValueRequest valuesToAsk(const Snapshot& snapshot) const;
  // Works the values of the entry out in a job, even where there are some; valuesReady follows, or failed, or
  // neither where the job is cancelled. Not valid: there is no such module.
  JobId requestValues(SnapshotId id, ValueRequest request);
  void setDivergence(SnapshotId id, Divergence divergence);
  // Marked in all views until another one takes its place or the module is closed.
  void setFinding(std::optional<Finding> finding);
  const std::optional<Finding>& finding() const { return finding_; }

  // Where the user's program lies on this machine; folders that are none are left out.
  void setSourceRoots(const QStringList& folders);
  const SourceTree& sourceTree() const { return sourceTree_; }

  // The .hilo file this session is kept in; "" while it is in none.
  const QString& filePath() const { return filePath_; }
  // Something is open that the file does not hold.
  bool isModified() const;
  // Writes all documents, Hilo's own pass runs and `viewState` to a .hilo file in a job, with the runs,
  // bookmarks and notes kept about them; the session is that file's when `saved` follows.
  void saveAs(const QString& path, ViewState viewState);
  // Keeps what the windows show in the session's file, in a job.
  void keepViewState(ViewState viewState);
  // Where runs, bookmarks and notes are kept. Jobs hold it by its shared_ptr.
  const std::shared_ptr<SharedStore>& store() const { return store_; }

  const std::vector<std::unique_ptr<Document>>& documents() const { return documents_; }
  const Document* document(DocumentId id) const;
  const Snapshot* snapshot(SnapshotId id) const;
  // The snapshot that holds this very module; invalid when none does.
  SnapshotId find(const Module& module) const;
  const Snapshot* current() const { return snapshot(current_); }
  const Document* shownCompiled() const { return document(compiled_); }  // null: the current module is shown
  const std::vector<SeriesEntry>& series() const { return series_; }
  const SeriesEntry* series(SeriesId id) const;  // null once closed
  const std::optional<std::pair<RunRecord, RunRecord>>& comparedRuns() const { return comparedRuns_; }
  bool comparedInTurns() const { return comparedInTurns_; }
  // The snapshot a selection speaks of: its own, else the current one.
  const Snapshot* snapshotFor(const Selection& selection) const;
  Selection selectionOf(const Snapshot& snapshot, const Instruction& instruction) const;
  Selection selectionOf(const Snapshot& snapshot, const Computation& computation) const;
  // An instruction by name, else a computation; of the current snapshot. Empty when there is none.
  Selection findByName(const QString& name) const;
  JobQueue& jobs() { return jobs_; }
  bool busy() const { return opening_ > 0; }

 Q_SIGNALS:
  void documentOpened(hilo::DocumentId id);
  void documentClosed(hilo::DocumentId id);
  // A stage of a dump was read, or a pass made a module.
  void snapshotAdded(hilo::SnapshotId id);
  void currentChanged(hilo::SnapshotId id);
  // Once for each currentChanged, by noteShown or when kShownLimitMs have gone by without it.
  void currentShown();
  // Other compiled code is shown, or none any more.
  void compiledShown();
  void seriesAdded(hilo::SeriesId id);
  void seriesClosed(hilo::SeriesId id);
  void costReady(hilo::SnapshotId id);
  void buffersReady(hilo::SnapshotId id);
  void comparedRunsChanged();
  void valuesReady(hilo::SnapshotId id);
  void divergenceReady(hilo::SnapshotId id);
  void findingChanged();
  void sourceTreeChanged();
  // A .hilo document was opened, with what its windows showed when it was last open.
  void fileOpened(const hilo::ViewState& viewState);
  void saved();
  void storeChanged();
  // A job was queued, began, went on or ended; the queue's listener says so.
  void jobsChanged();
  // What could not be done, for the status line and the problems list.
  void failed(const QString& what, const hilo::Diagnostic& why);

 private:
  void addOpened(const QString& path, OpenedItem item);
  Document& addDocument(const QString& path);
  Document& addDocument(const QString& path, OpenedItem item);
  void closePath(const QString& path);
  void openProgram(const QString& path);
  void openThunks(const QString& path);
  void openHiloFile(const QString& path);
  void addHiloFile(const QString& path, HiloDocument document);
  void useFile(const QString& path);
  // What goes into a file, and where it stands here.
  struct Gathered;
  Gathered gather() const;
  void readBuffersOf(SnapshotId id, const std::string& title, std::function<ModuleBuffers()> read);
  DocumentId originOf(const Module& module) const;
  SnapshotId addSnapshot(Snapshot snapshot);  // silent: the caller tells when its own state is whole
  void showFirst(Document& document);
  void addSeriesOf(DocumentId document, PassSeries series, SnapshotId origin = {});
  void closeSeriesOf(DocumentId document);
  Document* find(DocumentId id);

  JobQueue& jobs_;
  JobScope scope_;
  std::vector<std::unique_ptr<Document>> documents_;
  std::vector<std::unique_ptr<Snapshot>> snapshots_;  // by id; null once its document is closed
  std::vector<SeriesEntry> series_;
  std::optional<std::pair<RunRecord, RunRecord>> comparedRuns_;
  bool comparedInTurns_ = false;
  WorkerOptions worker_ = ownWorker();
  ValueRequest lastRun_;
  std::optional<Finding> finding_;
  static constexpr int kShownLimitMs = 1500;
  std::shared_ptr<SharedStore> store_;
  QString filePath_;
  SourceTree sourceTree_;
  SnapshotId current_;
  DocumentId compiled_;  // shown in the current module's place
  bool shown_ = true;
  uint32_t nextDocument_ = 0;
  uint32_t nextSeries_ = 0;
  int opening_ = 0;
};

}  // namespace hilo

Q_DECLARE_METATYPE(hilo::DocumentId)
Q_DECLARE_METATYPE(hilo::SnapshotId)
