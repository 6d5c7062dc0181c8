// engine_fuzzer [--seed N] [--modules N] [--seconds N] [--operations N] [--findings N] [--devices N]
// [--engine NAME] [--show] Holds an engine that makes programs, cpu or plain, or cuda-sim in check mode, to
// the evaluator on random modules and prints, for each on which they differ, the smallest part found that
// still does, with its arguments. With --devices the modules are of 2 to N devices that meet in collectives.
// --show prints the module of the seed instead. Ends with 1 when something was found.
#include <fmt/format.h>

#include <cstdlib>

#include "core/compiler/codegen/cpu/cpu_codegen.h"
#include "core/workspace/run/engines.h"
#include "tests/support/module_fuzzer/fuzz_devices.h"
#include "tests/unit/workspace/cpu_engine/run_on_cpu.h"
#include "tests/unit/workspace/simulated_engine/run_simulated.h"

namespace {

using namespace hilo;

int usage() {
  fmt::print(stderr,
             "usage: engine_fuzzer [--seed N] [--modules N] [--seconds N] [--operations N] [--findings N] "
             "[--devices N] [--engine NAME] [--show]\n");
  return 2;
}

ProgramOptions optionsOf(bool passes, const CodegenEngine& engine) {
  return {.usesCache = false, .runsPasses = passes, .quick = true, .codegen = &engine};
}

fuzz::RunModule running(bool passes, const CodegenEngine& engine) {
  if (&engine == &gpuCodegen())
    return [passes](const std::shared_ptr<const Module>& module, std::span<const Literal> arguments) {
      return runSimulated(module, arguments, passes, /*isChecked=*/true);
    };
  return [passes, &engine](const std::shared_ptr<const Module>& module, std::span<const Literal> arguments) {
    return runOnCpu(module, arguments, optionsOf(passes, engine));
  };
}

fuzz::RunOnDevices runningOnDevices(bool passes, const CodegenEngine& engine) {
  if (&engine == &gpuCodegen())
    return [passes](const std::shared_ptr<const Module>& module, DeviceGrid grid,
                    const fuzz::DeviceArguments& arguments) {
      return runSimulatedDevices(module, grid, arguments, passes, /*isChecked=*/true);
    };
  return [passes, &engine](const std::shared_ptr<const Module>& module, DeviceGrid grid,
                           const fuzz::DeviceArguments& arguments) {
    return runOnCpuDevices(module, grid, arguments, optionsOf(passes, engine));
  };
}

int show(const fuzz::Plan& plan, int64_t devices) {
  if (devices > 1) {
    const auto made = fuzz::makeDeviceCase(plan.firstSeed, plan.operations, devices);
    fmt::print("{}\n", made ? fuzz::toText({made->module, made->arguments[0]}) : toString(made.error()));
    return made ? 0 : 1;
  }
  const auto made = fuzz::makeCase(plan.firstSeed, plan.operations);
  fmt::print("{}\n", made ? fuzz::toText(*made) : toString(made.error()));
  return made ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  fuzz::Plan plan{.modules = int64_t{1} << 40, .longest = std::chrono::seconds(60), .mostFindings = 10};
  bool shows = false;
  int64_t devices = 1;
  const CodegenEngine* engine = &cpuCodegen();
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (option == "--show") {
      shows = true;
      continue;
    }
    if (i + 1 == argc) return usage();
    if (option == "--engine") {
      const std::string name = argv[++i];
      const auto named = name == "cuda-sim" ? engineNamed(name) : compilingEngine(name);
      if (!named) return usage();
      engine = name == "cuda-sim" ? &gpuCodegen() : &codegenOf(**named);
      continue;
    }
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
    } else if (option == "--devices") {
      devices = number;
    } else {
      return usage();
    }
  }
  if (shows) return show(plan, devices);
  const fuzz::Report report =
      devices > 1 ? fuzz::fuzzDevices({runningOnDevices(false, *engine), runningOnDevices(true, *engine)},
                                      plan, devices)
                  : fuzz::fuzzEngine({running(false, *engine), running(true, *engine)}, plan);
  for (const fuzz::Finding& finding : report.findings) {
    fmt::print("seed {}: {}\n", finding.seed, finding.why);
    if (finding.small.module != nullptr) fmt::print("{}\n", fuzz::toText(finding.small));
  }
  for (const std::string& refusal : report.refusals) fmt::print("refused: {}\n", refusal);
  fmt::print("{} modules, {} refused, {} findings\n", report.modules, report.refused, report.findings.size());
  return report.findings.empty() ? 0 : 1;
}
