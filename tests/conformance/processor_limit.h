// Cancels what takes this process too much of its processors' time: unlike time by the clock it comes out the
// same on a busy machine.
#pragma once

#include <chrono>
#include <condition_variable>
#include <ctime>
#include <thread>

#include "core/base/cancel.h"

namespace hilo {

class ProcessorLimit {
 public:
  explicit ProcessorLimit(std::chrono::nanoseconds limit)
      : end_(used() + limit), watch_([this](const std::stop_token& stop) { watch(stop); }) {}
  const CancelToken& token() const { return token_; }

 private:
  static std::chrono::nanoseconds used() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  }
  void watch(const std::stop_token& stop) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any wake;
    while (!wake.wait_for(lock, stop, std::chrono::milliseconds(20), [&] { return used() >= end_; })) {
      if (stop.stop_requested()) return;
    }
    token_.cancel();
  }

  const std::chrono::nanoseconds end_;
  CancelToken token_;
  std::jthread watch_;
};

}  // namespace hilo
