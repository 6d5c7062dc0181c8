// `hilo-loader`: runs a program that `hilo compile --save` wrote, and is a worker when it is told so. It has
// no compiler in it: a few MB that start in a millisecond.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "app/loader/expected.h"
#include "core/base/amount_text.h"
#include "core/hlo/eval/arguments.h"
#include "core/hlo/eval/array_files.h"
#include "core/hlo/eval/infeeds.h"
#include "core/hlo/eval/literal_digest.h"
#include "core/hlo/eval/npy.h"
#include "core/plugin_host/plugin_table.h"
#include "core/runtime/device/cuda/cuda_device.h"
#include "core/runtime/executor/executor.h"
#include "core/runtime/program/program_file.h"
#include "core/runtime/worker/serve.h"

namespace hilo {
namespace {

struct Options {
  std::string file, output, device, expected;
  std::optional<double> tolerance;
  uint32_t graphThunks = 0;
  bool json = false;
  std::vector<std::string> arguments, infeeds;
  uint64_t seed = 0;
  int64_t devices = 0;
  int repeat = 1;
};

// Of plug-ins first.
CallHandler findHandler(std::string_view target) {
  if (const HiloCustomCall* handler = findCustomCall(target)) return handler;
  if (const FfiHandler* handler = findFfiHandler(target)) return handler;
  return {};
}

Result<std::vector<std::vector<Literal>>> argumentsOf(const Options& options, const Program& program) {
  std::vector<std::vector<Literal>> lists;
  if (options.arguments.empty()) {
    TRY(auto made, makeArguments(program.parameters, options.seed));
    lists.push_back(std::move(made));
    return lists;
  }
  std::vector<NamedShape> parameters;
  for (size_t i = 0; i < program.parameters.size(); ++i)
    parameters.push_back({program.parameterNames[i], program.parameters[i]});
  for (const std::string& path : options.arguments) {
    TRY(auto list, loadArguments(path, parameters));
    lists.push_back(std::move(list));
  }
  return lists;
}

Result<InfeedValues> infeedsOf(const Options& options, const Program& program) {
  const auto shapes = infeedShapes(program);
  return options.infeeds.empty() ? makeInfeeds(shapes, options.seed) : loadInfeeds(options.infeeds, shapes);
}

// "cuda", "cuda:1"; "" for this machine's processor.
Result<DeviceChoice> deviceOf(const std::string& name, uint32_t graphThunks) {
  DeviceChoice choice{.kind = name.substr(0, name.find(':')), .graphThunks = graphThunks};
  const std::string number = name.substr(std::min(name.size(), choice.kind.size() + 1));
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), choice.number);
  if (number.empty() || (error == std::errc() && end == number.data() + number.size())) return choice;
  return fail("unknown-device", fmt::format("'{}' is no number of a device", number));
}

Result<std::unique_ptr<Device>> openDevice(const DeviceChoice& choice) {
  if (choice.kind != "cuda")
    return fail("unknown-device", fmt::format("there is no device {} here: cuda is one", choice.kind));
  TRY(auto driver, Driver::load());
  return openCudaDevice(std::move(driver), static_cast<int>(choice.number));
}

struct Outcome {
  std::string program;
  int64_t devices = 1;
  std::vector<int64_t> samplesNs;  // sorted
  uint64_t digest = 0;
  std::optional<Agreement> agreement;
};

void print(const Outcome& outcome) {
  const std::vector<int64_t>& samples = outcome.samplesNs;
  const std::string median = amount::duration(static_cast<double>(samples[samples.size() / 2]));
  const std::string time = samples.size() == 1 ? fmt::format("{}, one cold run", median)
                                               : fmt::format("median {}, n {}", median, samples.size());
  fmt::print("program  {}\ndevices  {}\ntime     {}\ndigest   {:016x}\n", outcome.program, outcome.devices,
             time, outcome.digest);
  if (!outcome.agreement) return;
  fmt::print("expected {}\n",
             outcome.agreement->agrees ? "agrees" : "differs: " + outcome.agreement->firstMismatch);
}

void printJson(const Outcome& outcome, const std::string& device) {
  nlohmann::json json = {{"program", outcome.program},
                         {"device", device.empty() ? "processor" : device},
                         {"devices", outcome.devices},
                         {"samples_ns", outcome.samplesNs},
                         {"median_ns", outcome.samplesNs[outcome.samplesNs.size() / 2]},
                         {"digest", fmt::format("{:016x}", outcome.digest)}};
  if (outcome.agreement) {
    json["agrees"] = outcome.agreement->agrees;
    json["max_rel_error"] = outcome.agreement->maxRelError;
    if (!outcome.agreement->firstMismatch.empty()) json["first_mismatch"] = outcome.agreement->firstMismatch;
  }
  fmt::print("{}\n", json.dump(2));
}

Status runProgram(const Options& options) {
  TRY(Program loaded, loadProgram(options.file));
  const auto program = std::make_shared<const Program>(std::move(loaded));
  TRY(const DeviceChoice device, deviceOf(options.device, options.graphThunks));
  TRY(const auto executor, makeRunner(program, device, openDevice, findHandler));
  TRY_STATUS(executor->checkConstants());
  TRY(const auto arguments, argumentsOf(options, *program));
  TRY(const InfeedValues infeed, infeedsOf(options, *program));
  DeviceGrid grid{.replicas = program->replicas, .partitions = program->partitions};
  if (options.devices > 0 && options.devices != grid.count()) grid = {.replicas = options.devices};
  std::vector<int64_t> samples;
  Literal output;
  for (int i = 0; i < options.repeat; ++i) {
    ThunkTrace clock;
    TRY(std::vector<Literal> outputs, executor->runOnDevices(grid, arguments, {.infeeds = {&infeed, 1}}));
    samples.push_back(clock.nowNs());
    output = grid.count() == 1 ? std::move(outputs[0]) : Literal::tuple(std::move(outputs));
  }
  std::ranges::sort(samples);
  Outcome outcome{.program = program->name,
                  .devices = grid.count(),
                  .samplesNs = std::move(samples),
                  .digest = literalDigest(output)};
  if (!options.expected.empty()) {
    TRY(outcome.agreement, compareWithFile(*program, output, options.expected, options.tolerance));
  }
  options.json ? printJson(outcome, options.device) : print(outcome);
  if (outcome.agreement && !outcome.agreement->agrees)
    return fail("differs", "the output is not what is expected: " + outcome.agreement->firstMismatch);
  return options.output.empty() ? Status() : writeArrays(options.output, output);
}

}  // namespace
}  // namespace hilo

int main(int argc, char** argv) {
  using namespace hilo;
  if (argc == 3 && std::string_view(argv[1]) == "worker")
    return serveWorker(FileDescriptor(std::atoi(argv[2])), findHandler);
  Options options;
  CLI::App app("Runs a program that `hilo compile --save` wrote, without a compiler.", "hilo-loader");
  app.set_version_flag("--version", "hilo-loader " HILO_VERSION, "Print the version");
  app.add_option("PROGRAM", options.file, "the saved program")->required();
  app.add_option("--args", options.arguments, "arguments from a .npy or .npz file; several are one a device")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--infeed", options.infeeds,
                 "a .npy or .npz file that an infeed takes; once for each, in order")
      ->allow_extra_args(false);
  app.add_option("--seed", options.seed, "make arguments up from this seed")->capture_default_str();
  app.add_option("--devices", options.devices, "how many devices run it side by side")
      ->check(CLI::Range(1, 1024));
  app.add_option("--repeat", options.repeat, "how often")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--out", options.output, "write the output to a .npz (or, of one array, .npy) file");
  app.add_option("--device", options.device,
                 "cuda or cuda:N: the GPU that a program of hilo compile --target sm_... runs on");
  app.add_option("--graphs", options.graphThunks,
                 "of a GPU: thunks in a row from which on they are one graph");
  CLI::Option* expected = app.add_option("--expect", options.expected,
                                         "a file of --out that the output must agree with, as types round");
  app.add_option("--tolerance", options.tolerance, "absolute and relative, in the place of what types round")
      ->needs(expected);
  app.add_flag("--json", options.json, "print JSON");
  app.footer(
      "Exit status: 0 it ran, 1 it failed, 2 wrong usage, 3 it is for another machine, or there is no such "
      "GPU.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  const Status done = runProgram(options);
  if (done) return 0;
  fmt::print(stderr, "hilo-loader: {}\n", toString(done.error()));
  static constexpr std::string_view kNotHere[] = {"wrong-machine", "no-driver", "no-device", "old-driver"};
  return std::ranges::find(kNotHere, done.error().kind) != std::end(kNotHere) ? 3 : 1;
}
