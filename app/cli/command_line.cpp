#include "app/cli/command_line.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/cli/progress_line.h"
#include "core/base/slow_watch.h"
#include "core/workspace/about.h"

namespace hilo::cli {

int runCommandLine(int argc, char** argv) {
  // A reader that goes away (`hilo convert X | head`) ends the program quietly, as it does any filter.
  std::signal(SIGPIPE, SIG_DFL);
  SlowWatch::ofProcess().setListener([](const std::string& text) { ProgressLine::say("hilo: " + text); });
  CLI::App app(
      "Look into XLA HLO modules and dumps: verify, convert, query, transform, run and compare them.",
      "hilo");
  app.set_version_flag("--version", aboutText, "Print the version, those of the libraries, and the machine");
  app.set_help_all_flag("--help-all", "Help of every command");
  app.require_subcommand(1);
  app.footer("hilo COMMAND --help says more of each, with examples.");
  int exitCode = kOk;
  addInfo(app, exitCode);
  addVerify(app, exitCode);
  addConvert(app, exitCode);
  addQuery(app, exitCode);
  addMemory(app, exitCode);
  addDiff(app, exitCode);
  addOpt(app, exitCode);
  addBisect(app, exitCode);
  addReduce(app, exitCode);
  addPartition(app, exitCode);
  addLayouts(app, exitCode);
  addRun(app, exitCode);
  addCompile(app, exitCode);
  addThunks(app, exitCode);
  addTune(app, exitCode);
  addCompare(app, exitCode);
  addSchedule(app, exitCode);
  addCost(app, exitCode);
  addIndexing(app, exitCode);
  addTiles(app, exitCode);
  addKernelLayouts(app, exitCode);
  addKernels(app, exitCode);
  addCheck(app, exitCode);
  addPlugins(app, exitCode);
  addToolchain(app, exitCode);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kOk : kUsage;
  }
  // What was printed must have arrived.
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    fmt::print(stderr, "hilo: not-writable: standard output: {}\n", std::strerror(errno));
    return exitCode == kOk ? kNo : exitCode;
  }
  return exitCode;
}

}  // namespace hilo::cli
