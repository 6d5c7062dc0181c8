// What was run last and how: where compiled code runs, the run whose values are shown, the two runs that are
// compared. Part of a Session.
#pragma once

#include <optional>
#include <utility>

#include "core/workspace/run/engines.h"
#include "core/workspace/run/runs.h"
#include "core/workspace/session/contents.h"
#include "core/workspace/session/events.h"
#include "core/workspace/values/value_request.h"

namespace hilo {

class RunChoices {
 public:
  explicit RunChoices(SessionListener tell) : tell_(std::move(tell)) {}

  // Where compiled code runs.
  const WorkerOptions& worker() const { return worker_; }
  void setWorker(WorkerOptions worker) { worker_ = std::move(worker); }
  // What the user ran last: values are those of this run where they are of its module.
  void noteRun(ValueRequest request) { last_ = std::move(request); }
  ValueRequest valuesToAsk(const Snapshot& snapshot) const {
    if (last_.module == snapshot.module) return last_;
    return {.module = snapshot.module, .engine = defaultEngine(), .arguments = {}, .worker = worker_};
  }
  // `inTurns`: they come from one executeInTurns.
  void compare(RunRecord a, RunRecord b, bool inTurns = false) {
    compared_.emplace(std::move(a), std::move(b));
    comparedInTurns_ = inTurns;
    tell_(ComparedRunsChanged{});
  }
  const std::optional<std::pair<RunRecord, RunRecord>>& compared() const { return compared_; }
  bool comparedInTurns() const { return comparedInTurns_; }

 private:
  SessionListener tell_;
  WorkerOptions worker_ = ownWorker();
  ValueRequest last_;
  std::optional<std::pair<RunRecord, RunRecord>> compared_;
  bool comparedInTurns_ = false;
};

}  // namespace hilo
