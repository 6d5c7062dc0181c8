// Time that this thread has worked: what else the machine does is left out.
#pragma once

#include <ctime>

namespace hilo {

inline double threadCpuMs() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

}  // namespace hilo
