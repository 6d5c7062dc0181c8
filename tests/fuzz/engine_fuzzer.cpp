// engine_fuzzer [--seed N] [--modules N] [--seconds N] [--operations N] [--findings N] [--show]
// Holds the cpu engine to the evaluator on random modules and prints, for each on which they differ, the
// smallest part found that still does, with its arguments. --show prints the module of the seed instead. Ends
// with 1 when something was found.
#include <fmt/format.h>

#include <cstdlib>

#include "tests/support/module_fuzzer/fuzz_engine.h"
#include "tests/unit/workspace/cpu_engine/run_on_cpu.h"

namespace {

using namespace hilo;

int usage() {
  fmt::print(stderr,
             "usage: engine_fuzzer [--seed N] [--modules N] [--seconds N] [--operations N] [--findings N] "
             "[--show]\n");
  return 2;
}

fuzz::RunModule cpu(bool passes) {
  return [passes](const std::shared_ptr<const Module>& module, std::span<const Literal> arguments) {
    return runOnCpu(module, arguments, {.usesCache = false, .runsPasses = passes, .quick = true});
  };
}

int show(const fuzz::Plan& plan) {
  const auto made = fuzz::makeCase(plan.firstSeed, plan.operations);
  fmt::print("{}\n", made ? fuzz::toText(*made) : toString(made.error()));
  return made ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  fuzz::Plan plan{.modules = int64_t{1} << 40, .longest = std::chrono::seconds(60), .mostFindings = 10};
  bool shows = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (option == "--show") {
      shows = true;
      continue;
    }
    if (i + 1 == argc) return usage();
    const int64_t number = std::atoll(argv[++i]);
    if (option == "--seed") {
      plan.firstSeed = static_cast<uint64_t>(number);
    } else if (option == "--modules") {
      plan.modules = number;
    } else if (option == "--seconds") {
      plan.longest = std::chrono::seconds(number);
    } else if (option == "--operations") {
      plan.operations = static_cast<int>(number);
    } else if (option == "--findings") {
      plan.mostFindings = static_cast<size_t>(number);
    } else {
      return usage();
    }
  }
  if (shows) return show(plan);
  const fuzz::Report report = fuzz::fuzzEngine({cpu(false), cpu(true)}, plan);
  for (const fuzz::Finding& finding : report.findings) {
    fmt::print("seed {}: {}\n", finding.seed, finding.why);
    if (finding.small.module != nullptr) fmt::print("{}\n", fuzz::toText(finding.small));
  }
  for (const std::string& refusal : report.refusals) fmt::print("refused: {}\n", refusal);
  fmt::print("{} modules, {} refused, {} findings\n", report.modules, report.refused, report.findings.size());
  return report.findings.empty() ? 0 : 1;
}
