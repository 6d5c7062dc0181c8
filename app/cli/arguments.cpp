#include "app/cli/arguments.h"

#include "app/cli/command.h"
#include "app/cli/report.h"

namespace hilo::cli {

void addArgumentOptions(CLI::App& command, ArgumentOptions& options) {
  CLI::Option* file =
      command
          .add_option("--args", options.files,
                      "Arguments from a .npy or .npz file; several, with commas, are one a device")
          ->delimiter(',')
          ->allow_extra_args(false);
  command.add_option("--seed", options.seed, "Make arguments up from this seed")
      ->excludes(file)
      ->capture_default_str();
}

Result<ArgumentSource> argumentsOf(const ArgumentOptions& options, const CLI::App& command,
                                   const OpenedFile& opened) {
  ArgumentSource source;
  source.seed = options.seed;
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
  return why.kind == "not-runnable" || why.kind == "unknown-engine" ? kNotRunnable : other;
}

}  // namespace hilo::cli
