// What bisect and reduce watch: whether a module, or what passes make of it,
// shows what is looked for. The watchers are the table watchers.def; a text names
// one: "differs:reference", "time:1.5x", "script:./check.sh".
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/compiler/pass/pass.h"
#include "core/workspace/job_queue.h"
#include "core/workspace/run/runs.h"

namespace hilo {

struct WatchedCase {
  std::shared_ptr<const Module> module;
  std::vector<ConfiguredPass> passes = {};  // that are run over it; none: it is watched as it stands
  FuelByPass fuel = {};
  // What the passes make of it, where somebody ran them already.
  std::shared_ptr<const Module> after = nullptr;
  std::vector<Literal> arguments = {};  // one a parameter, the same for all devices
};

// Unknown: it cannot be told, as where the engine does not take the module.
enum class Sight : uint8_t { Good, Bad, Unknown };
std::string_view sightName(Sight sight);

struct Observation {
  Sight sight = Sight::Good;
  // Of a bad one, stable: what it fails with. Two failures of one kind count as the same.
  std::string kind = {};
  std::string what = {};  // a sentence for people; may be ""
};

class Watcher {
 public:
  virtual ~Watcher() = default;
  // The sight of a case. Errors end the search: "cancelled", a script that cannot be run, an unknown engine.
  virtual Result<Observation> look(const WatchedCase& watched, const JobContext& context) = 0;
  // It runs the passes in another process, because they may end the one they run in:
  // nobody should run them here.
  virtual bool runsPassesApart() const { return false; }
  // What runs beside it changes what it sees: a time.
  virtual bool needsQuiet() const { return false; }
  // What it sees depends on the arguments.
  virtual bool heedsValues() const { return true; }
};

struct WatchOptions {
  std::string engine = "reference";  // that runs what the passes make, with flags as RunRequest has them
  std::optional<WorkerOptions> worker = std::nullopt;
  // What runs passes in a process of its own: {"/proc/self/exe", "pass-worker"}. See pass_process.h.
  std::vector<std::string> passWorker = {};
  Tolerance tolerance = {};
  int samples = 9;  // of times
  // Of results that change from one look to the next: bad is what was bad in `leastBad` of `looks` looks.
  int looks = 1;
  int leastBad = 1;
};

struct WatcherInfo {
  std::string_view name;
  std::string_view argument;  // what follows the colon: "ENGINE"; "[KIND]" where it may be left out
  std::string_view summary;
};
std::span<const WatcherInfo> listWatchers();

// Kinds: "unknown-watcher" (with those there are), "bad-watcher" (its argument is wrong), "unknown-engine".
Result<std::unique_ptr<Watcher>> makeWatcher(std::string_view text, const WatchOptions& options);

}  // namespace hilo
