// A thread of a worker that sees what the working ones cannot say themselves: a crash, a run over its time, a
// starter that is gone. It reports and ends the process.
#pragma once

#include <atomic>
#include <thread>

#include "core/runtime/executor/run_watch.h"
#include "core/runtime/worker/message_socket.h"

namespace hilo {

class Watchdog {
 public:
  // One a process, for its whole life; it installs handlers of the signals that end one.
  Watchdog(MessageSocket& line, const RunWatch& watch);

  // While it lives, a run is under way that may take so long; 0: for ever.
  class Watched {
   public:
    Watched(Watchdog& watchdog, int64_t timeLimitNs);
    ~Watched();

   private:
    Watchdog& watchdog_;
  };

 private:
  void watch();
  [[noreturn]] void end(Diagnostic why);

  MessageSocket& line_;
  const RunWatch& watch_;
  std::atomic<int64_t> deadlineNs_ = 0;  // 0: none
  std::atomic<int64_t> limitNs_ = 0;
};

}  // namespace hilo
