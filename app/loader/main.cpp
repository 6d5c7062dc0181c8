// `hilo-loader`: runs a program that `hilo compile --save` wrote, and is a worker when it is told so. It has
// no compiler in it: a few MB that start in a millisecond.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "core/base/amount_text.h"
#include "core/hlo/eval/arguments.h"
#include "core/hlo/eval/array_files.h"
#include "core/hlo/eval/infeeds.h"
#include "core/hlo/eval/literal_digest.h"
#include "core/hlo/eval/npy.h"
#include "core/plugin_host/plugin_table.h"
#include "core/runtime/executor/executor.h"
#include "core/runtime/program/program_file.h"
#include "core/runtime/worker/serve.h"

namespace hilo {
namespace {

struct Options {
  std::string file, output;
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

Status runProgram(const Options& options) {
  TRY(Program loaded, loadProgram(options.file));
  const auto program = std::make_shared<const Program>(std::move(loaded));
  TRY(const auto executor, Executor::make(program, findHandler));
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
  const std::string median = amount::duration(static_cast<double>(samples[samples.size() / 2]));
  const std::string time = samples.size() == 1 ? fmt::format("{}, one cold run", median)
                                               : fmt::format("median {}, n {}", median, samples.size());
  fmt::print("program  {}\ndevices  {}\ntime     {}\ndigest   {:016x}\n", program->name, grid.count(), time,
             literalDigest(output));
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
  app.footer("Exit status: 0 it ran, 1 it failed, 2 wrong usage, 3 it is for another machine.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  const Status done = runProgram(options);
  if (done) return 0;
  fmt::print(stderr, "hilo-loader: {}\n", toString(done.error()));
  return done.error().kind == "wrong-machine" ? 3 : 1;
}
