// The options that bisect and reduce share: what is watched, over which passes, on which arguments.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "app/cli/arguments.h"
#include "core/workspace/watch/search_input.h"
#include "core/workspace/watch/watch.h"

namespace hilo::cli {

struct WatchArguments {
  std::string watcher;                                        // --watch, or --while
  std::string against, expected;                              // differs:ENGINE, expected:FILE
  std::string engine = "reference", flaky = "1/1", pipeline;  // flaky: "2/5", bad looks of looks
  std::vector<std::string> passes, settings, disabled;
  int samples = 9;
  Tolerance tolerance;
  ArgumentOptions arguments;
  WorkerLimits worker;
};
// `name`: of the option that says what is watched.
void addWatchArguments(CLI::App& command, const std::string& name, WatchArguments& watching);
// What can be watched, for the help.
std::string watcherHelp();

// What a reduction was made with is kept in its document: of one, where nothing is said, this is watched.
Status takeKept(const std::string& path, WatchArguments& watching);

// As makeWatcher takes them. Kind "bad-watcher".
Result<std::string> watcherText(const WatchArguments& watching);
Result<WatchOptions> watchOptionsOf(const WatchArguments& watching);
// Kinds: "bad-watcher" and those of makeWatcher().
Result<std::unique_ptr<Watcher>> watcherOf(const WatchArguments& watching);
// None where neither a pipeline nor passes are named. `module`: what they run over, for the pipeline gpu;
// null where it is not known yet. Kinds: those of passesToRun().
Result<std::vector<ConfiguredPass>> passesOf(const WatchArguments& watching,
                                             std::shared_ptr<const Module> module = nullptr);

// The file's module with the values it is watched with.
Result<SearchInput> watchedInput(const WatchArguments& watching, const CLI::App& command,
                                 const OpenedFile& file);

// kUsage for what is wrong on the command line, else kNo.
int reportWatchError(const Diagnostic& why);

}  // namespace hilo::cli
