// Passes run in a process of their own: a CHECK that fails in one ends that process and not this one. The
// process is the program itself, started again: its main() calls servePassesIfAsked.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/workspace/watch/watch.h"

namespace hilo {

// {"/proc/self/exe", "pass-worker"}
std::vector<std::string> ownPassWorker();

// How the process ended that ran the passes of a case, and compiled what they made
// where `engine` makes programs.
struct PassesEnd {
  bool crashed = false;
  std::string kind;  // of a crash: "SIGABRT at core/base/arena.cpp:20"
  std::string what;  // the last line it wrote
};
// `worker`: as WatchOptions::passWorker. Kinds: "no-worker", "cancelled".
Result<PassesEnd> runPassesApart(const WatchedCase& watched, const std::vector<std::string>& worker,
                                 const std::string& engine, const CancelToken& cancel);

// First thing in main(): runs the passes and gives the exit status when the program was started for that;
// else nullopt. `more`: passes that are not in the table of passes, found before those that are.
std::optional<int> servePassesIfAsked(int argc, char** argv, std::span<const Pass> more = {});

}  // namespace hilo
