// The options of run and compare that say where arguments come from.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "core/workspace/run/run_limits.h"
#include "core/workspace/run/runs.h"

namespace hilo::cli {

struct ArgumentOptions {
  std::vector<std::string> files;    // one, or one a device
  std::vector<std::string> named;    // "weights=w.npy"
  std::vector<std::string> infeeds;  // files in order; of several devices "d0.npy,d1.npy"
  uint64_t seed = 0;
};

// Where compiled code runs, and what it may take.
struct WorkerLimits {
  double timeSeconds = kRunLimitSeconds;  // 0: any
  double memoryGB = 0;                    // 0: as much as the machine has
  bool inProcess = false;
};
void addWorkerOptions(CLI::App& command, WorkerLimits& limits);
std::optional<WorkerOptions> workerOf(const WorkerLimits& limits);

// --check and --order-seed, of run and compare.
struct CheckOptions {
  bool checks = false;
  uint64_t orderSeed = 0;
};
void addCheckOptions(CLI::App& command, CheckOptions& options);
DeviceChecks checksOf(const CheckOptions& options, const CLI::App& command);
// What a device found wrong, each with its place and what to do, or that it found nothing.
void printFindings(const Diagnostics& findings);
nlohmann::json findingsJson(const Diagnostics& findings);

// "1.23 ms", with where the median lies when that is known: "1.23 ms (1.20 to 1.27)".
std::string medianText(const Timings& timings);
// "median 1.23 ms (...), p10 1.20 ms, p90 1.31 ms, n 20"; one sample without a run before it is "1.23 ms,
// one cold run".
std::string timesText(const Timings& timings);

// --ffi-library and --ffi-handler, of every command that runs programs: taken before it begins. A library
// that cannot be taken ends the command line with the reason.
void addFfiOptions(CLI::App& command);

void addArgumentOptions(CLI::App& command, ArgumentOptions& options);
// A snapshot's own arguments when `opened` has some and no other source was asked for.
Result<ArgumentSource> argumentsOf(const ArgumentOptions& options, const CLI::App& command,
                                   const OpenedFile& opened);

// Prints why an execution failed, and gives the exit code: kNotRunnable where no engine of that name can run
// it, `other` else.
int reportFailure(const Diagnostic& why, int other);

}  // namespace hilo::cli
