#include "core/runtime/executor/graph_run.h"

#include <algorithm>
#include <utility>

namespace hilo {
namespace {

// What one thread keeps to itself: less than it takes another to come.
constexpr int64_t kBatchNs = 20'000;
constexpr size_t kMostInBatch = 256;

}  // namespace

GraphRun::GraphRun(const ExecutionGraph& graph, const ThunkSequence& thunks)
    : graph_(graph), thunks_(thunks), waiting_(graph.nodes.size()), left_(graph.nodes.size()) {
  for (uint32_t i = 0; i < graph.nodes.size(); ++i) {
    waiting_[i].store(graph.nodes[i].predecessors, std::memory_order_relaxed);
    if (graph.nodes[i].predecessors == 0) ready_.push_back(i);
  }
}

// False when there is nothing to do any more for this thread.
bool GraphRun::waitForReady(std::unique_lock<std::mutex>& lock, bool isCaller) {
  if (isCaller)
    changed_.wait(lock, [&] { return left_ == 0 || (status_ ? !ready_.empty() : running_ == 0); });
  return status_ && !ready_.empty();
}

// Cheap ones together, and of many no more than leaves the others some.
GraphRun::Batch GraphRun::takeReady() {
  const size_t most = std::min(kMostInBatch, (ready_.size() + 1) / 2);
  Batch batch;
  int64_t costNs = 0;
  do {
    costNs += thunks_[ready_.front()].costNs;
    batch.push_back(ready_.front());
    ready_.pop_front();
  } while (batch.size() < most && costNs + thunks_[ready_.front()].costNs <= kBatchNs);
  return batch;
}

// And what they make ready, as far as that is cheap too: the rest is for whoever comes first.
Status GraphRun::runBatch(Batch batch, const std::function<Status(uint32_t)>& run, size_t& done,
                          Batch& rest) {
  int64_t costNs = 0;
  for (size_t i = 0; i < batch.size(); ++i) {
    const uint32_t thunk = batch[i];
    costNs += thunks_[thunk].costNs;
    if (i > 0 && (costNs > kBatchNs || i == kMostInBatch)) {
      rest.assign(batch.begin() + static_cast<ptrdiff_t>(i), batch.end());
      break;
    }
    TRY_STATUS(run(thunk));
    ++done;
    for (const uint32_t next : graph_.nodes[thunk].successors) {
      if (waiting_[next].fetch_sub(1, std::memory_order_acq_rel) == 1) batch.push_back(next);
    }
  }
  return {};
}

void GraphRun::work(ThreadPool& threads, bool isCaller, const std::function<Status(uint32_t)>& run,
                    const std::function<void()>& help) {
  std::unique_lock lock(mutex_);
  if (!isCaller) --offered_;
  bool isHelping = isCaller;
  while (waitForReady(lock, isCaller)) {
    Batch batch = takeReady(), rest;
    ++running_;
    if (!std::exchange(isHelping, true)) ++helpers_;
    const bool offers = !ready_.empty() && static_cast<int>(running_) + offered_ < threads.threads();
    if (offers) ++offered_;
    lock.unlock();
    if (offers) threads.offer(help, 1);
    size_t done = 0;
    Status status = runBatch(std::move(batch), run, done, rest);
    lock.lock();
    --running_;
    left_ -= done;
    ready_.insert(ready_.end(), rest.begin(), rest.end());
    if (!status && status_) status_ = std::move(status);
    if (left_ == 0 || !ready_.empty() || !status_) changed_.notify_one();
  }
}

void GraphRun::leave() {
  const std::lock_guard lock(mutex_);
  --helpers_;
  changed_.notify_one();
}

Status GraphRun::finish() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return helpers_ == 0; });
  return std::move(status_);
}

}  // namespace hilo
