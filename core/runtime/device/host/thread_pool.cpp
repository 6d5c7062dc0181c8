#include "core/runtime/device/host/thread_pool.h"

#include <atomic>

namespace hilo {

ThreadPool::ThreadPool(int threads) {
  for (int i = 1; i < threads; ++i) workers_.emplace_back([this] { work(); });
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
  {
    const std::lock_guard lock(mutex_);
    for (int i = 0; i < copies; ++i) offers_.push_back(help);
  }
  copies == 1 ? wake_.notify_one() : wake_.notify_all();
}

void ThreadPool::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stopping_ || !offers_.empty(); });
    if (stopping_) return;
    const auto help = std::move(offers_.front());
    offers_.pop_front();
    lock.unlock();
    help();
    lock.lock();
  }
}

namespace {

// One parallelFor under way. Pieces are taken one at a time; the last to finish wakes the caller.
struct Loop {
  int64_t count, pieceSize, pieces;
  const std::function<void(int64_t, int64_t)>* body;
  std::atomic<int64_t> next{0}, finished{0};

  void takePieces() {
    while (true) {
      const int64_t piece = next.fetch_add(1, std::memory_order_relaxed);
      if (piece >= pieces) return;
      const int64_t begin = piece * pieceSize;
      (*body)(begin, std::min(count, begin + pieceSize));
      if (finished.fetch_add(1, std::memory_order_acq_rel) + 1 == pieces) finished.notify_all();
    }
  }
};

}  // namespace

void ThreadPool::parallelFor(int64_t count, int64_t grain,
                             const std::function<void(int64_t, int64_t)>& body) {
  if (count <= 0) return;
  const int64_t mostPieces = std::min<int64_t>(count / std::max<int64_t>(1, grain), 4 * int64_t{threads()});
  if (threads() == 1 || mostPieces <= 1) return body(0, count);
  const int64_t pieceSize = (count + mostPieces - 1) / mostPieces;
  // Helpers that come late find no piece left and never look at `body`.
  auto loop = std::make_shared<Loop>();
  loop->count = count;
  loop->pieceSize = pieceSize;
  loop->pieces = (count + pieceSize - 1) / pieceSize;
  loop->body = &body;
  offer([loop] { loop->takePieces(); }, static_cast<int>(std::min<int64_t>(loop->pieces - 1, threads() - 1)));
  loop->takePieces();
  for (int64_t done = loop->finished.load(std::memory_order_acquire); done < loop->pieces;
       done = loop->finished.load(std::memory_order_acquire)) {
    loop->finished.wait(done, std::memory_order_acquire);
  }
}

ThreadPool& hostThreads() {
  static ThreadPool& pool =
      *new ThreadPool(std::max(1, static_cast<int>(std::thread::hardware_concurrency())));
  return pool;
}

}  // namespace hilo
