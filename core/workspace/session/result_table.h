// Results by snapshot and kind (results.def): one job makes each, what it made is kept until the snapshot is
// closed. Every member, and what is told, is on the thread that the queue's poster runs replies on.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <memory>
#include <string>
#include <utility>

#include "core/workspace/job_queue.h"
#include "core/workspace/session/events.h"

namespace hilo {

// Makes a result on a worker thread; it holds all that it needs. Empty where there is nothing to make it of.
template <ResultKind kind>
using ResultWork = std::function<Result<std::shared_ptr<ResultOf<kind>>>(JobContext&)>;

class ResultTable {
 public:
  ResultTable(JobQueue& jobs, SessionListener tell) : jobs_(jobs), tell_(std::move(tell)) {}

  // Null until it is made.
  template <ResultKind kind>
  std::shared_ptr<ResultOf<kind>> get(SnapshotId id) const;
  // It is there, which is told again, or a job of its own is making it: there is nothing to do.
  bool isSettled(SnapshotId id, ResultKind kind);
  // Makes it in a job called for `title`, the snapshot's, even where there is one. ResultReady follows, or
  // Failed, or neither: where the job is cancelled, a newer one takes its place, or the snapshot is closed
  // meanwhile. Errors that the result itself has as `diagnostics` are told as Failed before ResultReady.
  template <ResultKind kind>
  JobId make(SnapshotId id, const std::string& title, ResultWork<kind> work);
  // Of a kind that is given, or instead of making it.
  template <ResultKind kind>
  void set(SnapshotId id, std::shared_ptr<ResultOf<kind>> result);
  // Cancels what is being made of the snapshot and lets go of its results.
  void close(SnapshotId id);

 private:
  struct Entry {
    std::shared_ptr<const void> result;  // a ResultOf<kind>
    JobId job;
    bool isUnderWay = false;
  };
  struct Words {
    std::string tag, title;
    const char* failure;
    bool isOwn;
  };
  using Key = std::pair<SnapshotId, ResultKind>;

  static Words wordsOf(Key key, const std::string& title);
  // Whether the snapshot is still open; tells of an error that is not a cancelled job's.
  bool takeReply(Key key, const Diagnostic* error);
  void tellProblems(ResultKind kind, const Diagnostics& diagnostics) const;

  JobQueue& jobs_;
  SessionListener tell_;
  absl::flat_hash_map<Key, Entry> entries_;
  JobScope scope_;
};

template <ResultKind kind>
std::shared_ptr<ResultOf<kind>> ResultTable::get(SnapshotId id) const {
  const auto found = entries_.find(Key{id, kind});
  if (found == entries_.end()) return nullptr;
  return std::const_pointer_cast<ResultOf<kind>>(
      std::static_pointer_cast<const ResultOf<kind>>(found->second.result));
}

template <ResultKind kind>
JobId ResultTable::make(SnapshotId id, const std::string& title, ResultWork<kind> work) {
  const Key key{id, kind};
  Words words = wordsOf(key, title);
  entries_[key].isUnderWay = words.isOwn;
  const JobId job = jobs_.submit(
      std::move(words.tag), std::move(words.title), std::move(work),
      [this, key](Result<std::shared_ptr<ResultOf<kind>>> made) {
        if (!takeReply(key, made ? nullptr : &made.error())) return;
        if constexpr (requires { (*made)->diagnostics; }) tellProblems(kind, (*made)->diagnostics);
        set<kind>(key.first, *std::move(made));
      },
      &scope_);
  if (const auto entry = entries_.find(key); entry != entries_.end()) entry->second.job = job;
  return job;
}

template <ResultKind kind>
void ResultTable::set(SnapshotId id, std::shared_ptr<ResultOf<kind>> result) {
  entries_[Key{id, kind}].result = std::move(result);
  tell_(ResultReady{id, kind});
}

}  // namespace hilo
