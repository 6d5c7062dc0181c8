// One run of an execution graph by several threads: whoever helps takes thunks that are ready, runs them, and
// makes ready what waited for them. The caller works too and leaves when all is done, so helpers are never
// needed. Cheap thunks are taken many at a time, and what they make ready is run by the same thread, so that
// the lock is taken once for some microseconds of work.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <vector>

#include "core/base/result.h"
#include "core/runtime/device/host/thread_pool.h"
#include "core/runtime/executor/execution_graph.h"

namespace hilo {

class GraphRun {
 public:
  // Both must outlive the work of every thread.
  GraphRun(const ExecutionGraph& graph, const ThunkSequence& thunks);

  // Takes thunks and gives them to `run` until nothing is ready (a helper) or nothing is left (the caller,
  // who comes once). After a failure nothing more starts. A helper that got a thunk must call leave().
  void work(ThreadPool& threads, bool isCaller, const std::function<Status(uint32_t thunk)>& run,
            const std::function<void()>& help);
  void leave();
  // Then no helper uses what the run was made of.
  Status finish();

 private:
  using Batch = std::vector<uint32_t>;
  bool waitForReady(std::unique_lock<std::mutex>& lock, bool isCaller);
  Batch takeReady();
  Status runBatch(Batch batch, const std::function<Status(uint32_t)>& run, size_t& done, Batch& rest);

  const ExecutionGraph& graph_;
  const ThunkSequence& thunks_;
  std::vector<std::atomic<uint32_t>> waiting_;  // predecessors not yet done
  std::mutex mutex_;
  std::condition_variable changed_;  // the caller waits
  std::deque<uint32_t> ready_;
  size_t left_;
  size_t running_ = 0;  // threads
  size_t helpers_ = 0;  // with a frame of the run, which must not outlive it
  int offered_ = 0;     // to threads that have not come yet
  Status status_;
};

}  // namespace hilo
