#include "core/runtime/device/host/thread_pool.h"

#include <sched.h>

#include <algorithm>
#include <chrono>

namespace hilo {
namespace {

// Which of its pool's threads this is; 0 for all that are none.
thread_local size_t threadNumber = 0;

// About what it takes to put a thread to sleep and wake it: waiting awake so long costs no more than that.
constexpr std::chrono::microseconds kAwake(50);

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

}  // namespace

ThreadPool::ThreadPool(int threads) {
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

void ThreadPool::offer(const std::function<void()>& help, int copies) {
  copies = std::min(copies, static_cast<int>(workers_.size()));
  if (copies <= 0) return;
  int asleep = 0;
  {
    const std::lock_guard lock(mutex_);
    for (int i = 0; i < copies; ++i) offers_.push_back(help);
    offered_.store(static_cast<int>(offers_.size()), std::memory_order_release);
    asleep = static_cast<int>(offers_.size()) - awake_.load(std::memory_order_relaxed);
  }
  if (asleep > 0) asleep == 1 ? wake_.notify_one() : wake_.notify_all();
}

void ThreadPool::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    if (offers_.empty() && !stopping_) {
      awake_.fetch_add(1, std::memory_order_relaxed);
      lock.unlock();
      waitAwake([this] { return offered_.load(std::memory_order_acquire) > 0; });
      lock.lock();
      awake_.fetch_sub(1, std::memory_order_relaxed);
    }
    wake_.wait(lock, [this] { return stopping_ || !offers_.empty(); });
    if (stopping_) return;
    const auto help = std::move(offers_.front());
    offers_.pop_front();
    offered_.store(static_cast<int>(offers_.size()), std::memory_order_release);
    lock.unlock();
    help();
    lock.lock();
  }
}

namespace {

// One parallelFor under way. Every thread begins with the same share of the pieces each time, which it may
// have in its caches from the loop before, and helps with the others' when it is done; pieces are taken one
// at a time. The last to finish wakes the caller.
class Loop {
 public:
  Loop(int64_t count, int64_t mostPieces, int threads, const std::function<void(int64_t, int64_t)>& body)
      : count_(count),
        pieceSize_((count + mostPieces - 1) / mostPieces),
        pieces_((count + pieceSize_ - 1) / pieceSize_),
        body_(&body),
        shares_(static_cast<size_t>(threads)) {
    for (int64_t i = 0; i < threads; ++i) {
      shares_[static_cast<size_t>(i)].next = i * pieces_ / threads;
      shares_[static_cast<size_t>(i)].end = (i + 1) * pieces_ / threads;
    }
  }

  int64_t pieces() const { return pieces_; }

  void takePieces(size_t thread) {
    for (size_t i = 0; i < shares_.size(); ++i) {
      Share& share = shares_[(thread + i) % shares_.size()];
      while (true) {
        const int64_t piece = share.next.fetch_add(1, std::memory_order_relaxed);
        if (piece >= share.end) break;
        const int64_t begin = piece * pieceSize_;
        (*body_)(begin, std::min(count_, begin + pieceSize_));
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
  const int64_t count_, pieceSize_, pieces_;
  const std::function<void(int64_t, int64_t)>* body_;
  std::vector<Share> shares_;
  std::atomic<int64_t> finished_{0};
};

}  // namespace

void ThreadPool::parallelFor(int64_t count, int64_t grain,
                             const std::function<void(int64_t, int64_t)>& body) {
  if (count <= 0) return;
  const int64_t mostPieces = std::min<int64_t>(count / std::max<int64_t>(1, grain), 4 * int64_t{threads()});
  if (threads() == 1 || mostPieces <= 1) return body(0, count);
  // Helpers that come late find no piece left and never look at `body`.
  const auto loop = std::make_shared<Loop>(count, mostPieces, threads(), body);
  offer([loop] { loop->takePieces(threadNumber); },
        static_cast<int>(std::min<int64_t>(loop->pieces() - 1, threads() - 1)));
  loop->takePieces(threadNumber);
  loop->waitForAll();
}

int usableProcessors() {
  cpu_set_t usable;
  if (sched_getaffinity(0, sizeof(usable), &usable) != 0)
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return std::max(1, CPU_COUNT(&usable));
}

ThreadPool& hostThreads() {
  static ThreadPool& pool = *new ThreadPool(usableProcessors());
  return pool;
}

}  // namespace hilo
