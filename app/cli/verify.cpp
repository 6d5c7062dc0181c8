#include "core/workspace/open/lint_file.h"
#include "core/workspace/open/verify_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/report.h"
#include "core/analysis/lint/lint.h"
#include "core/workspace/path/open_path.h"

namespace hilo::cli {
namespace {

struct Options {
  std::vector<std::string> files;
  bool json = false;
  bool quiet = false;
  bool lint = false;
};

Diagnostics findingsOf(const std::string& path, bool withLint) {
  auto file = openFile(path);
  if (!file) {
    Diagnostic why = std::move(file).error();
    if (why.place.file.empty()) why.place.file = path;
    return {std::move(why)};
  }
  // The rest of a module with unreadable parts would only repeat them.
  if (hasErrors((*file)->diagnostics)) return (*file)->diagnostics;
  Diagnostics findings = verifyFile(**file);
  if (!withLint || hasErrors(findings)) return findings;
  for (Diagnostic& warning : lintFile(**file)) findings.push_back(std::move(warning));
  return findings;
}

// A line a kind.
std::string lintList() {
  std::string text;
  for (const LintInfo& lint : lints()) text += fmt::format("\n  {:<24} {}", lint.kind, lint.description);
  return text;
}

int run(const Options& options) {
  int exitCode = kOk;
  nlohmann::json all = nlohmann::json::array();
  for (const std::string& path : options.files) {
    const Diagnostics findings = findingsOf(path, options.lint);
    if (hasErrors(findings)) exitCode = kNo;
    for (const Diagnostic& finding : findings) {
      if (options.json) {
        all.push_back(reportJson(finding));
      } else if (finding.severity == Severity::kError) {
        fmt::print("{}", reportText(finding));
      } else if (!options.quiet) {
        printError(finding);
      }
    }
  }
  if (options.json) printJson(all);
  return exitCode;
}

}  // namespace

void addVerify(CLI::App& app, int& exitCode) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("verify", "Check that modules are ones XLA would take");
  command->add_option("FILE", options->files, "HLO text or protobuf, gzip or not; - reads standard input")
      ->required();
  command->add_flag("--json", options->json, "Print the findings as a JSON list");
  command->add_flag("-q,--quiet", options->quiet, "Leave out warnings");
  command->add_flag("--lint", options->lint,
                    "Warn as well of what is valid and seldom meant (below); only where there is no error");
  command->footer(fmt::format(R"(
Prints FILE:LINE:COL: kind: message for each error, on standard output; warnings go to standard error. A module that
came from a protobuf has no lines: the instruction's name stands there.

--lint warns of{}

Exit status: 0 all files are fine, 1 there are errors or a file cannot be read, 2 wrong usage.

Examples:
  hilo verify module.hlo
  hilo verify dump/*.txt --quiet
  hilo verify --lint module.hlo
  gunzip -c module.hlo.pb.gz | hilo verify - --json)",
                              lintList()));
  command->callback([options, &exitCode] { exitCode = run(*options); });
}

}  // namespace hilo::cli
