// What a run is doing at this moment, for whoever watches over it: a watchdog asks when it has taken too
// long, a signal handler when it crashed.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "core/runtime/collectives/communicator.h"
#include "core/runtime/program/program.h"

namespace hilo {

class RunWatch {
 public:
  // One sequence being run by one thread. Made and destroyed on that thread.
  class Frame {
   public:
    Frame(RunWatch* watch, int64_t device);  // null: nobody watches
    ~Frame();
    Frame(const Frame&) = delete;
    Frame& operator=(const Frame&) = delete;
    void enter(const Thunk& thunk) { thunk_.store(&thunk, std::memory_order_relaxed); }

   private:
    friend class RunWatch;
    RunWatch* watch_;
    int64_t device_;
    const Frame* outer_;
    std::atomic<const Thunk*> thunk_ = nullptr;
  };

  // One line a thread that runs something: the device, the thunks from the outermost to the innermost, and
  // where a device waits for others: "device 1 (...): while.3 (while) > all-reduce.1 (collective), waits at
  // all-reduce.1 (all-reduce) for device 0". Any thread.
  std::vector<std::string> describe() const;

  // The innermost thunk that the calling thread runs under any watch; null for none. Safe in
  // a signal handler.
  static const Thunk* innermost();

  // While the run is on; null after it.
  void setCommunicator(const Communicator* communicator);

 private:
  mutable std::mutex mutex_;
  std::vector<const Frame*> frames_;
  const Communicator* communicator_ = nullptr;
};

}  // namespace hilo
