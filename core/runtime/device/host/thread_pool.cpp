#include "core/runtime/device/host/thread_pool.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <span>

namespace hilo {
namespace {

// Which of its pool's threads this is; 0 for all that are none.
thread_local size_t threadNumber = 0;

// Twice what passes until a thread that sleeps has come: on a virtual machine, whose idle processors the host
// has to wake too, 100 microseconds, of which whoever wakes it pays 20.
constexpr std::chrono::microseconds kAwake(200);

// Looks at `isDone` again and again for a while; what it says in the end. Others who have work for this
// processor get it.
template <typename F>
bool waitAwake(F&& isDone) {
  constexpr int kLooks = 32;
  const auto end = std::chrono::steady_clock::now() + kAwake;
  while (true) {
    for (int look = 0; look < kLooks; ++look) {
      if (isDone()) return true;
      __builtin_ia32_pause();
    }
    if (std::chrono::steady_clock::now() >= end) return isDone();
    sched_yield();
  }
}

std::vector<int> processorsToUse() {
  cpu_set_t usable;
  std::vector<int> processors;
  if (sched_getaffinity(0, sizeof(usable), &usable) != 0) return processors;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &usable)) processors.push_back(i);
  }
  return processors;
}

// Where the system refuses, the thread stays where it may be now, which is no harm but to speed.
void keepOn(pthread_t thread, std::span<const int> processors) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  for (const int processor : processors) CPU_SET(processor, &allowed);
  (void)pthread_setaffinity_np(thread, sizeof(allowed), &allowed);
}

}  // namespace

ThreadPool::ThreadPool(int threads)
    : usable_(processorsToUse()), isAsleep_(static_cast<size_t>(std::max(1, threads))) {
  if (usable_.size() == isAsleep_.size()) homes_ = usable_;
  for (int i = 1; i < threads; ++i) {
    workers_.emplace_back([this, i] {
      threadNumber = static_cast<size_t>(i);
      work();
    });
  }
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

// It is held for less than it takes to sleep and be woken.
std::unique_lock<std::mutex> ThreadPool::lockAwake() {
  constexpr int kTries = 1000;
  std::unique_lock lock(mutex_, std::try_to_lock);
  for (int i = 0; i < kTries && !lock; ++i) {
    __builtin_ia32_pause();
    (void)lock.try_lock();
  }
  if (!lock) lock.lock();
  return lock;
}

void ThreadPool::offer(const std::function<void()>& help, int copies) {
  copies = std::min(copies, static_cast<int>(workers_.size()));
  if (copies <= 0) return;
  int asleep = 0;
  {
    const auto lock = lockAwake();
    for (int i = 0; i < copies; ++i) offers_.push_back(help);
    offered_.store(static_cast<int>(offers_.size()), std::memory_order_release);
    asleep = static_cast<int>(offers_.size()) - awake_.load(std::memory_order_relaxed);
    if (asleep > 0) makeWay();
  }
  if (asleep > 0) asleep == 1 ? wake_.notify_one() : wake_.notify_all();
}

// The thread whose home this processor is gets the one that was the caller's.
void ThreadPool::makeWay() {
  const auto here = std::ranges::find(homes_, sched_getcpu());
  if (here == homes_.begin() || here == homes_.end()) return;
  std::swap(homes_[0], *here);
  const auto thread = static_cast<size_t>(here - homes_.begin());
  if (isAsleep_[thread]) keepOn(workers_[thread - 1].native_handle(), {&*here, 1});
}

bool ThreadPool::isWorthSharing(int64_t costNs) {
  constexpr int64_t kWorthWakingNs = 40'000;
  if (isAwake()) return true;
  const int64_t now = std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
  const int64_t passed = now - lastAloneNs_.exchange(now, std::memory_order_relaxed);
  if (passed < kAwake / std::chrono::nanoseconds(1)) costNs += aloneNs_.load(std::memory_order_relaxed);
  const bool isWorthIt = costNs >= kWorthWakingNs;
  aloneNs_.store(isWorthIt ? 0 : costNs, std::memory_order_relaxed);
  return isWorthIt;
}

// Looks for work awake, for a while.
void ThreadPool::look(std::unique_lock<std::mutex>& lock) {
  awake_.fetch_add(1, std::memory_order_relaxed);
  lock.unlock();
  waitAwake([this] { return offered_.load(std::memory_order_acquire) > 0; });
  lock = lockAwake();
  awake_.fetch_sub(1, std::memory_order_relaxed);
}

void ThreadPool::sleep(std::unique_lock<std::mutex>& lock) {
  if (!homes_.empty()) keepOn(pthread_self(), {&homes_[threadNumber], 1});
  isAsleep_[threadNumber] = true;
  wake_.wait(lock, [this] { return stopping_ || !offers_.empty(); });
  isAsleep_[threadNumber] = false;
  if (homes_.empty()) return;
  lock.unlock();
  keepOn(pthread_self(), usable_);
  lock = lockAwake();
}

void ThreadPool::work() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (offers_.empty()) {
      look(lock);
      if (offers_.empty() && !stopping_) sleep(lock);
      continue;
    }
    const auto help = std::move(offers_.front());
    offers_.pop_front();
    offered_.store(static_cast<int>(offers_.size()), std::memory_order_release);
    lock.unlock();
    help();
    lock = lockAwake();
  }
}

namespace {

// One parallelFor under way. Every thread begins with the same share of the pieces each time, which it may
// have in its caches from the loop before, and helps with the others' when it is done; pieces are taken one
// at a time. The last to finish wakes the caller.
class Loop {
 public:
  Loop(int64_t count, int64_t pieces, int threads, const std::function<void(int64_t, int64_t)>& body)
      : count_(count), pieces_(pieces), body_(&body), shares_(static_cast<size_t>(threads)) {
    for (int64_t i = 0; i < threads; ++i) {
      shares_[static_cast<size_t>(i)].next = i * pieces_ / threads;
      shares_[static_cast<size_t>(i)].end = (i + 1) * pieces_ / threads;
    }
  }

  void takePieces(size_t thread) {
    for (size_t i = 0; i < shares_.size(); ++i) {
      Share& share = shares_[(thread + i) % shares_.size()];
      while (true) {
        const int64_t piece = share.next.fetch_add(1, std::memory_order_relaxed);
        if (piece >= share.end) break;
        (*body_)(start(piece), start(piece + 1));
        if (finished_.fetch_add(1, std::memory_order_acq_rel) + 1 == pieces_) finished_.notify_all();
      }
    }
  }

  void waitForAll() {
    if (waitAwake([this] { return finished_.load(std::memory_order_acquire) == pieces_; })) return;
    for (int64_t done = finished_.load(std::memory_order_acquire); done < pieces_;
         done = finished_.load(std::memory_order_acquire)) {
      finished_.wait(done, std::memory_order_acquire);
    }
  }

 private:
  // On a line of the cache of its own, as each is counted up by another thread.
  struct alignas(64) Share {
    std::atomic<int64_t> next{0};
    int64_t end = 0;
  };
  // Pieces differ by one at most.
  int64_t start(int64_t piece) const { return count_ / pieces_ * piece + count_ % pieces_ * piece / pieces_; }

  const int64_t count_, pieces_;
  const std::function<void(int64_t, int64_t)>* body_;
  std::vector<Share> shares_;
  std::atomic<int64_t> finished_{0};
};

}  // namespace

void ThreadPool::parallelFor(int64_t count, int64_t grain,
                             const std::function<void(int64_t, int64_t)>& body) {
  if (count <= 0) return;
  int64_t pieces = std::min<int64_t>(count / std::max<int64_t>(1, grain), 4 * int64_t{threads()});
  // As many for each thread.
  if (pieces > threads()) pieces -= pieces % threads();
  if (threads() == 1 || pieces <= 1) return body(0, count);
  // Helpers that come late find no piece left and never look at `body`.
  const auto loop = std::make_shared<Loop>(count, pieces, threads(), body);
  offer([loop] { loop->takePieces(threadNumber); },
        static_cast<int>(std::min<int64_t>(pieces - 1, threads() - 1)));
  loop->takePieces(threadNumber);
  loop->waitForAll();
}

int usableProcessors() {
  const auto usable = static_cast<int>(processorsToUse().size());
  return usable > 0 ? usable : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

ThreadPool& hostThreads() {
  static ThreadPool& pool = *new ThreadPool(usableProcessors());
  return pool;
}

}  // namespace hilo
