#include "app/cli/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "app/cli/command.h"
#include "app/cli/report.h"
#include "core/workspace/run/call_handlers.h"

namespace hilo::cli {

void addArgumentOptions(CLI::App& command, ArgumentOptions& options) {
  CLI::Option* file =
      command
          .add_option("--args", options.files,
                      "Arguments from a .npy or .npz file; several, with commas, are one a device")
          ->delimiter(',')
          ->allow_extra_args(false);
  command
      .add_option("--arg", options.named,
                  "NAME=VALUE or NAME=FILE.npy: one argument, by its parameter's name or number; VALUE is "
                  "{1, 2}, what "
                  "NumPy prints, a number, zeros, ones, iota, normal(SEED) or uniform(SEED)")
      ->allow_extra_args(false);
  command
      .add_option("--infeed", options.infeeds,
                  "A .npy or .npz file that an infeed takes; given once for each that runs, in their order; "
                  "several files, with commas, are one a device")
      ->allow_extra_args(false);
  command.add_option("--seed", options.seed, "Make arguments up from this seed")
      ->excludes(file)
      ->capture_default_str();
}

void addWorkerOptions(CLI::App& command, WorkerLimits& limits) {
  CLI::Option* inProcess = command.add_flag("--in-process", limits.inProcess,
                                            "Run compiled code here and not in a worker process");
  command
      .add_option("--time-limit", limits.timeSeconds,
                  "End a run that takes longer, or making its arguments, in seconds; 0: none is ended")
      ->check(CLI::Range(0.0, 1e9))
      ->capture_default_str()
      ->excludes(inProcess);
  command
      .add_option("--memory-limit", limits.memoryGB, "What a run, or a search for values, may take, in GB")
      ->check(CLI::Range(0.001, 1e9))
      ->default_str("what the machine has")
      ->excludes(inProcess);
}

void addFfiOptions(CLI::App& command) {
  auto libraries = std::make_shared<std::vector<std::string>>(),
       handlers = std::make_shared<std::vector<std::string>>();
  command
      .add_option("--ffi-library", *libraries,
                  "A shared library with handlers of XLA's FFI, for custom calls of "
                  "api_version=API_VERSION_TYPED_FFI; a handler is found by the name of its target")
      ->allow_extra_args(false);
  command
      .add_option("--ffi-handler", *handlers,
                  "TARGET=SYMBOL: the function that is the handler of a target of another name; "
                  "TARGET@instantiate=SYMBOL, @prepare, @initialize: that of a stage")
      ->allow_extra_args(false);
  command.parse_complete_callback([libraries, handlers] {
    if (libraries->empty() && handlers->empty()) return;
    if (const Status used = useFfiLibraries(*libraries, *handlers); !used)
      throw CLI::ValidationError("--ffi-library", toString(used.error()));
  });
}

std::optional<WorkerOptions> workerOf(const WorkerLimits& limits) {
  if (limits.inProcess) return std::nullopt;
  WorkerOptions worker = ownWorker();
  worker.timeLimitNs = static_cast<int64_t>(limits.timeSeconds * 1e9);
  if (limits.memoryGB > 0) worker.memoryLimitBytes = static_cast<int64_t>(limits.memoryGB * 1e9);
  return worker;
}

void addCheckOptions(CLI::App& command, CheckOptions& options) {
  command.add_flag(
      "--check", options.checks,
      "Of cuda-sim: look at each access of its kernels, and whether events order what streams use");
  command.add_option(
      "--order-seed", options.orderSeed,
      "Of cuda-sim: do the work of several streams in an order drawn from this seed, one of those "
      "that their events allow");
}

DeviceChecks checksOf(const CheckOptions& options, const CLI::App& command) {
  return {.isChecked = options.checks,
          .orderSeed = command.count("--order-seed") > 0 ? std::optional(options.orderSeed) : std::nullopt};
}

void printFindings(const Diagnostics& findings) {
  if (!hasErrors(findings)) fmt::print("checked: nothing wrong was found\n");
  for (const Diagnostic& finding : findings) fmt::print("{}\n", toString(finding));
}

nlohmann::json findingsJson(const Diagnostics& findings) {
  nlohmann::json list = nlohmann::json::array();
  for (const Diagnostic& finding : findings) {
    list.push_back({{"kind", finding.kind},
                    {"severity", finding.severity == Severity::kError ? "error" : "note"},
                    {"message", finding.message},
                    {"file", finding.place.file},
                    {"line", finding.place.line},
                    {"instruction", finding.place.instruction},
                    {"notes", finding.notes}});
  }
  return list;
}

std::string medianText(const Timings& timings) {
  const auto interval = timings.medianIntervalNs();
  if (!interval) return durationText(timings.medianNs());
  return fmt::format("{} ({} to {})", durationText(timings.medianNs()), durationText(interval->low),
                     durationText(interval->high));
}

std::string timesText(const Timings& timings) {
  if (timings.n() == 1) return durationText(timings.medianNs()) + ", one cold run";
  return fmt::format("median {}, p10 {}, p90 {}, n {}", medianText(timings),
                     durationText(timings.quantileNs(0.1)), durationText(timings.quantileNs(0.9)),
                     timings.n());
}

namespace {

// The files of each device, from those of each infeed.
Result<std::vector<std::vector<std::string>>> infeedPathsOf(const std::vector<std::string>& infeeds) {
  std::vector<std::vector<std::string>> lists;
  for (const std::string& files : infeeds) {
    std::vector<std::string> each;
    for (const auto part : std::views::split(std::string_view(files), ','))
      each.emplace_back(part.begin(), part.end());
    if (lists.empty()) lists.resize(each.size());
    if (lists.size() != each.size())
      return fail("wrong-argument", "each --infeed has one file, or as many as there are devices");
    for (size_t device = 0; device < each.size(); ++device) lists[device].push_back(each[device]);
  }
  return lists;
}

}  // namespace

Result<ArgumentSource> argumentsOf(const ArgumentOptions& options, const CLI::App& command,
                                   const OpenedFile& opened) {
  ArgumentSource source;
  source.seed = options.seed;
  TRY(source.infeedPaths, infeedPathsOf(options.infeeds));
  for (const std::string& named : options.named) {
    const size_t equals = named.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == named.size())
      return fail("wrong-argument",
                  fmt::format("--arg {} is not of the form NAME=VALUE or NAME=FILE.npy", named));
    source.named.emplace_back(named.substr(0, equals), named.substr(equals + 1));
  }
  if (!options.files.empty()) {
    source.kind = ArgumentSource::Kind::File;
    source.path = options.files[0];
    source.otherPaths.assign(options.files.begin() + 1, options.files.end());
  } else if (command.count("--seed") == 0 && !opened.arguments.empty()) {
    source.kind = ArgumentSource::Kind::Snapshot;
    source.given = opened.arguments[0];
    source.otherGiven.assign(opened.arguments.begin() + 1, opened.arguments.end());
  }
  return source;
}

int reportFailure(const Diagnostic& why, int other) {
  printError(why);
  // Some things only show where values are known: that an array has fewer elements than its bounds, for one.
  static constexpr std::string_view kRefusals[] = {"not-runnable", "unknown-engine", "wrong-machine",
                                                   "no-driver",    "old-driver",     "wrong-driver",
                                                   "no-device",    "device-busy",    "no-assembler"};
  const bool isRefusal =
      std::ranges::find(kRefusals, why.kind) != std::end(kRefusals) || why.kind.starts_with("unsupported-");
  return isRefusal ? kNotRunnable : other;
}

}  // namespace hilo::cli
