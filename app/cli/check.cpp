#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/report.h"
#include "core/base/enum_table.h"
#include "core/workspace/check/check_programs.h"

namespace hilo::cli {
namespace {

struct Options {
  std::vector<std::string> paths;
  std::string engine = "reference";
  bool json = false, quiet = false;
};

constexpr std::array kOutcomes{CheckOutcome::Pass, CheckOutcome::Fail, CheckOutcome::Unsupported,
                               CheckOutcome::Unreadable};
using Totals = std::array<int, enumCount<CheckOutcome>()>;
static_assert(kOutcomes.size() == enumCount<CheckOutcome>());

void print(const ProgramResult& program, bool quiet) {
  if (quiet && program.outcome == CheckOutcome::Pass) return;
  const std::string name = program.program.empty() ? "" : fmt::format(" {}", program.program);
  const std::string reason = program.reason.empty() ? "" : fmt::format(": {}", program.reason);
  fmt::print("{:<11} {}:{}{}{}\n", checkOutcomeName(program.outcome), program.file, program.line, name,
             reason);
}

nlohmann::json toJson(const ProgramResult& program) {
  return {{"file", program.file},     {"program", program.program},
          {"line", program.line},     {"outcome", checkOutcomeName(program.outcome)},
          {"reason", program.reason}, {"checks", program.checks}};
}

int finish(const Options& options, const Totals& totals, nlohmann::json programs) {
  nlohmann::json counts = nlohmann::json::object();
  std::string line;
  for (const CheckOutcome outcome : kOutcomes) {
    const int count = totals[static_cast<size_t>(outcome)];
    counts[std::string(checkOutcomeName(outcome))] = count;
    line += fmt::format("{}{} {}", line.empty() ? "" : ", ", count, checkOutcomeName(outcome));
  }
  if (options.json) {
    printJson({{"engine", options.engine}, {"totals", counts}, {"programs", std::move(programs)}});
  } else {
    fmt::print("{}\n", line);
  }
  const bool bad = totals[static_cast<size_t>(CheckOutcome::Fail)] +
                       totals[static_cast<size_t>(CheckOutcome::Unreadable)] >
                   0;
  return bad ? kNo : kOk;
}

int run(const Options& options) {
  Totals totals{};
  nlohmann::json programs = nlohmann::json::array();
  for (const std::string& file : checkFiles(options.paths)) {
    for (const ProgramResult& program : checkFile(file, options.engine)) {
      ++totals[static_cast<size_t>(program.outcome)];
      if (options.json) {
        programs.push_back(toJson(program));
      } else {
        print(program, options.quiet);
      }
    }
  }
  return finish(options, totals, std::move(programs));
}

}  // namespace

void addCheck(CLI::App& app, int& exitCode) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("check", "Run test programs that hold their own expected answers");
  command
      ->add_option("PATH", options->paths,
                   "Files, and directories to look for .mlir, .mlirbc and .hlo files in")
      ->required();
  command
      ->add_option("--engine", options->engine, "What runs them; hilo run --list-engines names the engines")
      ->capture_default_str();
  command->add_flag("--json", options->json, "Print every result as JSON");
  command->add_flag("-q,--quiet", options->quiet, "Leave out the programs that pass");
  command->footer(R"(
A program is a public function (@main where there is one) without parameters that compares what it computes by
check.expect_eq, expect_eq_const, expect_almost_eq, expect_almost_eq_const or expect_close, as in StableHLO's public
test data. Each check means what it means there; there is no tolerance beside it. A program without checks passes
when it runs.

Exit status: 0 none failed, 1 some failed or a file cannot be read, 2 wrong usage.

Examples:
  hilo check testdata/
  hilo check interpret/add.mlir --engine reference --json)");
  command->callback([options, &exitCode] { exitCode = run(*options); });
}

}  // namespace hilo::cli
