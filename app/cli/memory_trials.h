// What would lower a module's peak, as `hilo memory PATH --try` prints it.
#pragma once

#include <cstdint>
#include <string>

namespace hilo::cli {

struct TrialOptions {
  std::string device;      // "": what the module was compiled for
  int64_t limitBytes = 0;  // as of PeakRequest
  size_t values = 6;
  size_t change = 0;   // counted from 1: whose module is written; 0: none
  std::string output;  // where to
  bool json = false;
};

// Of a module's file, or a dump of one module. The exit status; errors are printed.
int runTrials(const std::string& path, const TrialOptions& options);

}  // namespace hilo::cli
