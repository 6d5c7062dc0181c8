// When the steps of a start were reached, counted from the start of the process.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hilo {

class StartupTiming {
 public:
  StartupTiming();
  // Keeps the first time each milestone is reached.
  void reached(const std::string& milestone);
  bool has(const std::string& milestone) const;
  // "  123.4 ms  milestone" a line, in the order reached.
  std::string report() const;

 private:
  double sinceStartMs() const;
  int64_t startNs_ = 0;  // of the process, on the boot clock
  std::vector<std::pair<std::string, double>> milestones_;
};

}  // namespace hilo
