// Nanoseconds of the wall clock since it was made.
#pragma once

#include <chrono>
#include <cstdint>

namespace hilo {

class Stopwatch {
 public:
  int64_t ns() const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace hilo
