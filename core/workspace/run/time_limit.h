// Ends work of this process that takes longer than a run may: compiled code has a worker's watchdog for that,
// what is evaluated or made up before it looks at a token.
#pragma once

#include <atomic>
#include <thread>

#include "core/base/cancel.h"
#include "core/base/result.h"

namespace hilo {

class TimeLimit {
 public:
  // Cancels token() when `limitNs` are over, 0 being no limit, or soon after `outer` is cancelled.
  TimeLimit(int64_t limitNs, const CancelToken& outer);
  ~TimeLimit();
  const CancelToken& token() const { return token_; }
  // What `work` failed with; kind "time-limit" where that was for its time.
  Diagnostic explained(Diagnostic error, std::string_view work) const;

 private:
  int64_t limitNs_;
  CancelToken token_;
  std::atomic<bool> isOver_ = false;
  std::jthread watch_;
};

}  // namespace hilo
