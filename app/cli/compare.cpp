#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/cli/compare_options.h"
#include "app/cli/report.h"
#include "core/workspace/path/open_path.h"

namespace hilo::cli {
namespace {

Result<std::vector<ComparedSide>> sidesOfEngines(const CompareOptions& options) {
  TRY(const auto file, openFile(options.file));
  std::vector<ComparedSide> sides;
  for (const std::string& engine : options.engines) sides.push_back({engine, file, nullptr, engine});
  return sides;
}

Result<std::vector<ComparedSide>> sidesOf(const CompareOptions& options) {
  if (options.asCompiled.asCompiled) return sidesAsCompiled(options);
  return options.engines.empty() ? sidesOfModules(options) : sidesOfEngines(options);
}

int run(const CompareOptions& options, const CLI::App& command) {
  const auto wrong = [](const char* why) {
    fmt::print(stderr, "hilo compare: {}\n", why);
    return kUsage;
  };
  if (!options.expected.empty()) {
    if (options.file.empty()) return wrong("FILE is required with --expect");
    return compareExpected(options, command);
  }
  if (options.partition) {
    if (options.file.empty()) return wrong("FILE is required with --partition");
    const bool hasOther = options.otherDevices > 0 || !options.otherConstraints.empty();
    if (options.firstDivergence && hasOther)
      return wrong("--first-divergence goes with one partitioning: the other side is the whole module");
    return comparePartitioned(options, command);
  }
  if (options.engines.empty() == options.modules.empty())
    return wrong("one of --engines, --modules, --expect and --partition is required");
  if ((options.engines.empty() ? options.modules : options.engines).size() != 2)
    return wrong("two are compared, as in A,B");
  if (!options.engines.empty() && options.file.empty()) return wrong("FILE is required with --engines");
  auto sides = sidesOf(options);
  if (!sides) return reportFailure(sides.error(), kUsage);
  for (ComparedSide& side : *sides) side.checks = engineChecks(side.engine);
  if (checksOf(options.checks, command) != DeviceChecks() &&
      std::ranges::none_of(*sides, [](const ComparedSide& side) { return side.checks; }))
    return wrong("neither engine checks accesses: cuda-sim does");
  if (!options.firstDivergence) return compareSides(options, command, *sides);
  for (const Diagnostic& diagnostic : (*sides)[0].file->diagnostics) printError(diagnostic);
  if (hasErrors((*sides)[0].file->diagnostics)) return kUsage;
  return findDivergence(options, command, (*sides)[0]);
}

}  // namespace

void addCompare(CLI::App& app, int& exitCode) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* command =
      app.add_subcommand("compare", "Execute two engines or two modules and compare what comes out");
  command->add_option("FILE", options->file,
                      "The module; with --modules, a dump directory whose stages X and Y name");
  CLI::Option* engines = command
                             ->add_option("--engines", options->engines,
                                          "Two engines, with flags or without: reference,cpu:quick")
                             ->delimiter(',')
                             ->allow_extra_args(false);
  command
      ->add_option("--modules", options->modules,
                   "Two files (modules or programs of hilo compile --save), or stages of the dump FILE: X,Y")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->excludes(engines);
  command
      ->add_option("--expect", options->expected,
                   "Values the module is compared with: FILE.npy, FILE.npz with out0, out1, ..., or as in "
                   "'{1, 2.5}; 3'")
      ->type_name("VALUES")
      ->excludes(engines);
  command
      ->add_flag(
          "--partition", options->partition,
          "FILE whole on one device against the same partitioned on all of its, or on --devices: arguments "
          "are cut by their shardings, results joined")
      ->excludes(engines)
      ->excludes("--modules")
      ->excludes("--expect");
  command
      ->add_option("--constrain", options->constraints,
                   "With --partition: annotate an instruction before shardings spread: NAME=SHARDING")
      ->type_name("NAME=SHARDING")
      ->allow_extra_args(false)
      ->needs("--partition");
  command
      ->add_option("--other-constrain", options->otherConstraints,
                   "With --partition: compare with another partitioning of FILE, which has these constraints")
      ->type_name("NAME=SHARDING")
      ->allow_extra_args(false)
      ->needs("--partition");
  command
      ->add_option("--other-devices", options->otherDevices,
                   "With --partition: compare with another partitioning of FILE, for so many devices")
      ->check(CLI::Range(2, 1024))
      ->needs("--partition");
  command->add_option("--engine", options->engine, "What executes both modules, or the one of --expect")
      ->capture_default_str()
      ->excludes(engines);
  addArgumentOptions(*command, options->arguments);
  addWorkerOptions(*command, options->worker);
  addFfiOptions(*command);
  addCheckOptions(*command, options->checks);
  addAsCompiled(*command, options->asCompiled);
  command->add_option("--abs", options->tolerance.absolute, "Absolute error allowed")
      ->default_str("by element type and numbers of terms");
  command->add_option("--rel", options->tolerance.relative, "Relative error allowed")
      ->default_str("by element type and numbers of terms");
  command->add_option("--repeat", options->repeat, "How often each is run, in turns after a warm-up")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command->add_option("--devices", options->devices, "How many devices run each side by side")
      ->check(CLI::Range(1, 1024))
      ->default_str("as many as the module asks for");
  command
      ->add_flag(
          "--first-divergence", options->firstDivergence,
          "Name the first instruction, inside of fusions and loops too, at which the second engine "
          "diverges from the first, whose values count as true; with --partition at which the partitioned "
          "module diverges from the whole one")
      ->excludes("--modules")
      ->excludes("--expect");
  command
      ->add_option("--condition", options->draws,
                   "Where they differ, compare the error with how far the first one's results move when its "
                   "arguments are perturbed by a unit in the last place; so many samples")
      ->check(CLI::Range(1, 1000))
      ->default_str("not measured");
  command->add_flag("--json", options->json, "Print JSON, histograms included");
  command->footer(R"(
Both sides run on the same arguments: those of --args, of a snapshot, or made up from the seed for the first module.

The verdict is "match", "differ by rounding" (beyond the tolerance of the element type, and within what the sums along
the way explain) or "differ".

With --as-compiled FILE is a dump of XLA:GPU: cuda-sim runs the kernels that XLA wrote, other engines the optimized
module.

Exit status: 0 the outputs match or differ by rounding, 1 they differ or --check found something, 2 wrong usage, unreadable input or a failed run,
3 one side cannot be run, with the reasons.

Examples:
  hilo compare --modules before.hlo,after.hlo
  hilo compare --modules module.hlo,module.program --engine cpu --repeat 30
  hilo compare --modules before_optimizations,after_optimizations xla_dump/
  hilo compare --engines reference,cpu module.hlo --rel 1e-5 --json
  hilo compare --engines reference,cpu module.hlo --condition 3
  hilo compare --engines reference,cpu module.hlo --first-divergence --memory-limit 6
  hilo compare --engines reference,cuda-sim module.hlo --check
  hilo compare --engines reference,cuda-sim DUMP --module jit_step --as-compiled --check
  hilo compare module.hlo --args input.npz --expect '{0.5, 1.25, -3}' --engine cpu
  hilo compare --engines cpu,cpu:no-passes module.hlo --repeat 30
  hilo compare --partition module.hlo
  hilo compare --partition --devices 4 --engine cpu module.hlo
  hilo compare --partition --first-divergence module.hlo
  hilo compare --partition --other-devices 2 module.hlo
  hilo compare --partition --constrain 'dot.8={devices=[8,1]<=[8]}' --other-devices 8 module.hlo)");
  command->callback([options, command, &exitCode] { exitCode = run(*options, *command); });
}

}  // namespace hilo::cli
