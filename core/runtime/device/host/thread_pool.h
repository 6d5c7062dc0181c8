// Threads that help. Work never depends on them: whoever starts something parallel does all of it itself when
// no thread is free, so waiting inside of work cannot deadlock.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "core/base/cancel.h"

namespace hilo {

class ThreadPool {
 public:
  // `threads` in all, the caller counted: 1 starts none.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return static_cast<int>(workers_.size()) + 1; }
  // Whether a thread has just ended its work and looks for more, which it does for a while before it sleeps:
  // offered something now, it begins within a microsecond, where one that sleeps takes a hundred.
  bool isAwake() const { return awake_.load(std::memory_order_relaxed) > 0; }
  // Whether work in several pieces, about so long for one thread, should be shared. It is while a thread is
  // awake. Otherwise its length counts as work done alone, and is worth waking one as soon as that adds up to
  // what waking costs in quick succession: at once, or where many small pieces of work come in a row.
  bool isWorthSharing(int64_t costNs);

  // Calls `help` on up to `copies` other threads when they are free, which may be never: it must own what it
  // uses and end at once when nothing is left to do.
  void offer(const std::function<void()>& help, int copies);

  // Calls body(begin, end) for pieces that make up [0, count), each of `grain` or more where possible, and
  // returns when all are done. Runs on the caller alone when one piece is all.
  void parallelFor(int64_t count, int64_t grain, const std::function<void(int64_t, int64_t)>& body);

 private:
  void work();
  void look(std::unique_lock<std::mutex>& lock);
  void sleep(std::unique_lock<std::mutex>& lock);
  void makeWay();
  std::unique_lock<std::mutex> lockAwake();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> offers_;
  std::atomic<int> offered_{0};  // how many offers, for who looks without the lock
  std::atomic<int> awake_{0};    // threads that look; changed under the lock
  bool stopping_ = false;
  std::atomic<int64_t> aloneNs_{0}, lastAloneNs_{0};  // isWorthSharing
  const std::vector<int> usable_;                     // processors
  std::vector<bool> isAsleep_;                        // by thread, the caller first
  // On which processor each thread sleeps, the first being that of who offered last. Linux may wake a thread
  // on the processor of who wakes it though another is idle (in a virtual machine, whose idle processors
  // count as taken), and leave it there for milliseconds. Awake a thread may be anywhere. Empty where there
  // are not as many threads as processors.
  std::vector<int> homes_;
  std::vector<std::thread> workers_;
};

// How many processors this process may use.
int usableProcessors();

// The process's own, with a thread for each of those.
ThreadPool& hostThreads();

}  // namespace hilo
