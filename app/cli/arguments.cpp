#include "app/cli/arguments.h"

#include "app/cli/command.h"
#include "app/cli/report.h"

namespace hilo::cli {

void addArgumentOptions(CLI::App& command, ArgumentOptions& options) {
  CLI::Option* file = command.add_option("--args", options.file, "Arguments from a .npy or .npz file");
  command.add_option("--seed", options.seed, "Make arguments up from this seed")
      ->excludes(file)
      ->capture_default_str();
}

Result<ArgumentSource> argumentsOf(const ArgumentOptions& options, const CLI::App& command,
                                   const OpenedFile& opened) {
  ArgumentSource source;
  source.seed = options.seed;
  if (!options.file.empty()) {
    source.kind = ArgumentSource::Kind::File;
    source.path = options.file;
  } else if (command.count("--seed") == 0 && !opened.arguments.empty()) {
    source.kind = ArgumentSource::Kind::Snapshot;
    source.given = opened.arguments[0];
  }
  return source;
}

int reportFailure(const Diagnostic& why, int other) {
  printError(why);
  return why.kind == "not-runnable" || why.kind == "unknown-engine" ? kNotRunnable : other;
}

}  // namespace hilo::cli
