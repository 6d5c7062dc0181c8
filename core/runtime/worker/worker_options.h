// How a worker is started, and what it may take.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hilo {

struct WorkerOptions {
  // The program to start, and what to tell it before the number of its line: {"/proc/self/exe", "worker"}.
  std::vector<std::string> command;
  int64_t timeLimitNs = 0;       // of one run; 0: none
  int64_t memoryLimitBytes = 0;  // of what running takes, arguments and results aside; 0: none
};

}  // namespace hilo
