#include "core/workspace/runs.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>
#include <sys/utsname.h>
#include <xxhash.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <fstream>
#include <thread>

#include "core/hlo/eval/arguments.h"
#include "core/hlo/eval/compare.h"
#include "core/hlo/eval/npy.h"
#include "core/hlo/text/print.h"
#include "core/workspace/engines.h"
#include "core/workspace/refine_shapes.h"

namespace hilo {

int64_t Timings::quantileNs(double fraction) const {
  if (samplesNs.empty()) return 0;
  std::vector<int64_t> sorted = samplesNs;
  std::ranges::sort(sorted);
  const double rank = std::ceil(fraction * static_cast<double>(sorted.size()));
  return sorted[static_cast<size_t>(std::clamp(rank - 1, 0.0, static_cast<double>(sorted.size() - 1)))];
}

std::vector<EngineInfo> listEngines() {
  std::vector<EngineInfo> engines;
  for (const Engine* engine : engineTable().all()) engines.push_back({engine->name, engine->description});
  return engines;
}

uint64_t moduleHash(const Module& module) {
  PrintOptions options = PrintOptions::canonical();
  options.largeConstants = true;
  // Bodies written where they are called grow with every path to them: here each stands once, and who calls
  // whom follows as numbers.
  options.subcomputations = PrintOptions::Subcomputations::Off;
  std::string text = printModule(module, options);
  absl::flat_hash_map<const Computation*, size_t> numberOf;
  for (const Computation* computation : module.computations()) numberOf.emplace(computation, numberOf.size());
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      for (const Computation* called : instruction->calledComputations()) {
        text += fmt::format("{},", called == nullptr ? numberOf.size() : numberOf.at(called));
      }
    }
    text += ';';
  }
  return XXH3_64bits(text.data(), text.size());
}

namespace {

struct FreeHash {
  void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
};

void digestInto(XXH3_state_t* state, const Literal& literal) {
  const std::string shape = toString(literal.shape().withoutLayout());
  XXH3_64bits_update(state, shape.data(), shape.size());
  const auto sizes = literal.dynamicSizes();
  XXH3_64bits_update(state, sizes.data(), sizes.size_bytes());
  XXH3_64bits_update(state, literal.bytes().data(), literal.bytes().size());
  for (const Literal& element : literal.elements()) digestInto(state, element);
}

Result<const Engine*> findEngine(const std::string& name) {
  if (const Engine* engine = engineTable().find(name)) return engine;
  std::vector<std::string> names;
  for (const EngineInfo& info : listEngines()) names.push_back(info.name);
  return fail("unknown-engine", fmt::format("no engine '{}'", name), {},
              {fmt::format("there are: {}", fmt::join(names, ", "))});
}

std::string processorName() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

std::string machineText() {
  utsname system{};
  uname(&system);
  return fmt::format("{}, {} x {}", system.machine, std::thread::hardware_concurrency(), processorName());
}

std::string utcNow() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  const size_t length = std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return std::string(text, length);
}

// Devices in the shape the module asks for, as far as the number allows.
Result<DeviceGrid> gridFor(const Module& module, const Engine& engine, int64_t devices) {
  constexpr int64_t kMostDevices = 1024;
  const DeviceGrid asked = gridOf(module);
  if (asked.replicas < 1 || asked.partitions < 1 || asked.replicas > kMostDevices ||
      asked.partitions > kMostDevices || asked.count() > kMostDevices || devices > kMostDevices) {
    return fail("wrong-device-count", fmt::format("over {} devices are asked for", kMostDevices));
  }
  if (devices == 0) return engine.canRunOnDevices == nullptr ? DeviceGrid{} : asked;
  if (devices == 1) return DeviceGrid{};
  if (devices == asked.count()) return asked;
  if (asked.partitions == 1) return DeviceGrid{.replicas = devices};
  if (asked.replicas == 1) return DeviceGrid{.partitions = devices};
  if (devices % asked.partitions == 0)
    return DeviceGrid{.replicas = devices / asked.partitions, .partitions = asked.partitions};
  return fail("wrong-device-count", fmt::format("{} devices are no whole number of replicas of {} partitions",
                                                devices, asked.partitions));
}

Diagnostics obstaclesOn(const Engine& engine, const Module& module, DeviceGrid grid) {
  if (grid.count() == 1) return engine.canRun(module);
  if (engine.canRunOnDevices != nullptr) return engine.canRunOnDevices(module, grid);
  return {{.kind = "one-device", .message = fmt::format("{} runs on one device", engine.name)}};
}

// What a run is given: one list of arguments for all devices, or one a device.
struct RunArguments {
  GeneratedArguments made;
  std::vector<std::vector<Literal>> lists;
};

Result<RunArguments> argumentsFor(const Module& module, const ArgumentSource& source) {
  RunArguments arguments;
  if (source.kind == ArgumentSource::Kind::Seed) {
    TRY(arguments.made, makeArguments(module, source.seed));
    arguments.lists = {std::move(arguments.made.arguments)};
    return arguments;
  }
  TRY(arguments.made, fillElidedConstants(module, source.seed));
  if (source.kind != ArgumentSource::Kind::File) {
    arguments.lists = {source.given};
    arguments.lists.insert(arguments.lists.end(), source.otherGiven.begin(), source.otherGiven.end());
    return arguments;
  }
  if (module.entry() == nullptr) return fail("no-entry", "the module has no entry computation");
  std::vector<std::string> paths = {source.path};
  paths.insert(paths.end(), source.otherPaths.begin(), source.otherPaths.end());
  for (const std::string& path : paths) {
    TRY(auto list, loadArguments(path, *module.entry()));
    arguments.lists.push_back(std::move(list));
  }
  return arguments;
}

std::string describe(const ArgumentSource& source) {
  switch (source.kind) {
    case ArgumentSource::Kind::Seed:
      return fmt::format("seed {}", source.seed);
    case ArgumentSource::Kind::File:
      return source.otherPaths.empty()
                 ? source.path
                 : fmt::format("{}, {}", source.path, fmt::join(source.otherPaths, ", "));
    case ArgumentSource::Kind::Snapshot:
      return "snapshot";
    case ArgumentSource::Kind::Given:
      return "given";
  }
  return "";
}

// The module with values in place of its elided constants, so that every engine sees the same ones.
std::shared_ptr<const Module> withConstants(std::shared_ptr<const Module> module,
                                            const GeneratedArguments& made) {
  if (made.constants.empty()) return module;
  std::shared_ptr<Module> filled = module->clone();
  for (const auto& [constant, value] : made.constants) {
    if (constant->opcode() != Opcode::Constant) continue;
    filled->instruction(constant->id())->set<Attr::Literal>(filled->own(value));
  }
  return filled;
}

int64_t elapsedNs(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin)
      .count();
}

Result<Literal> runOnce(Executable& executable, DeviceGrid grid,
                        std::span<const std::vector<Literal>> arguments, const CancelToken& cancel) {
  if (grid.count() == 1) return executable.run(arguments[0], cancel);
  TRY(std::vector<Literal> outputs, executable.runOnDevices(grid, arguments, cancel));
  return Literal::tuple(std::move(outputs));
}

// Fills output and timings. With several samples asked for, the first run only warms up.
Status runRepeatedly(Executable& executable, DeviceGrid grid, std::span<const std::vector<Literal>> arguments,
                     int repeat, const JobContext& context, RunRecord& run) {
  const int warmUps = repeat > 1 ? 1 : 0;
  for (int n = 0; n < repeat + warmUps; ++n) {
    if (context.cancelled()) return cancelledError();
    context.progress(static_cast<double>(n) / (repeat + warmUps),
                     fmt::format("run {} of {}", n + 1, repeat + warmUps));
    const auto begin = std::chrono::steady_clock::now();
    TRY(Literal output, runOnce(executable, grid, arguments, context.cancel()));
    if (n >= warmUps) run.timings.samplesNs.push_back(elapsedNs(begin));
    run.output = std::move(output);
  }
  return {};
}

std::string pathText(std::span<const int64_t> path, int64_t devices) {
  std::string text;
  if (devices > 1) {
    text = fmt::format("device {}{}", path.front(), path.size() > 1 ? " " : "");
    path = path.subspan(1);
  }
  return path.empty() ? text : fmt::format("{}{{{}}}", text, fmt::join(path, ","));
}

LeafComparison leafOf(LiteralDifference difference, int64_t devices) {
  return {.path = pathText(difference.path, devices),
          .shape = toString(difference.shape.withoutLayout()),
          .elements = difference.elements,
          .mismatches = difference.mismatches,
          .maxAbsError = difference.maxAbsError,
          .maxRelError = difference.maxRelError,
          .maxUlpError = difference.maxUlpError,
          .firstMismatch = std::move(difference.firstMismatchText),
          .nanA = difference.nanA,
          .nanB = difference.nanB,
          .infA = difference.infA,
          .infB = difference.infB,
          .ulpHistogram = std::move(difference.ulpHistogram)};
}

void compareOutputs(RunComparison& comparison, const Tolerance& tolerance) {
  if (comparison.a.devices != comparison.b.devices) {
    comparison.notComparable =
        fmt::format("run a is of {} devices, run b of {}", comparison.a.devices, comparison.b.devices);
    return;
  }
  if (!comparison.a.output || !comparison.b.output) {
    comparison.notComparable =
        fmt::format("the output of run {} was not kept", comparison.a.output ? "b" : "a");
    // The digest still tells whether they are the same.
    comparison.bitwiseEqual = comparison.a.outputDigest == comparison.b.outputDigest;
    comparison.agree = comparison.bitwiseEqual;
    return;
  }
  auto differences = compareLiterals(*comparison.a.output, *comparison.b.output,
                                     {.absolute = tolerance.absolute, .relative = tolerance.relative});
  if (!differences) {
    comparison.notComparable = differences.error().message;
    return;
  }
  comparison.comparable = true;
  comparison.agree = agrees(*differences);
  comparison.bitwiseEqual =
      std::ranges::all_of(*differences, [](const LiteralDifference& d) { return d.bitDifferences == 0; });
  for (LiteralDifference& difference : *differences)
    comparison.leaves.push_back(leafOf(std::move(difference), comparison.a.devices));
}

}  // namespace

uint64_t literalDigest(const Literal& literal) {
  const std::unique_ptr<XXH3_state_t, FreeHash> state(XXH3_createState());
  XXH3_64bits_reset(state.get());
  digestInto(state.get(), literal);
  return XXH3_64bits_digest(state.get());
}

Diagnostics whyNotRunnable(const Module& module, const std::string& engine) {
  const auto found = findEngine(engine);
  if (!found) return {found.error()};
  const auto grid = gridFor(module, **found, 0);
  if (!grid) return {grid.error()};
  return obstaclesOn(**found, module, *grid);
}

Result<ArgumentSource> settleArguments(const Module& module, const ArgumentSource& source) {
  TRY(RunArguments arguments, argumentsFor(module, source));
  ArgumentSource settled = source;
  settled.kind = ArgumentSource::Kind::Given;
  settled.given = std::move(arguments.lists[0]);
  settled.otherGiven.assign(std::make_move_iterator(arguments.lists.begin() + 1),
                            std::make_move_iterator(arguments.lists.end()));
  return settled;
}

Result<RunRecord> execute(const RunRequest& request, const JobContext& context) {
  TRY(const Engine* engine, findEngine(request.engine));
  TRY(const DeviceGrid grid, gridFor(*request.module, *engine, request.devices));
  if (const Diagnostics obstacles = obstaclesOn(*engine, *request.module, grid); !obstacles.empty()) {
    std::vector<std::string> notes;
    if (hasOpenShapes(*request.module))
      notes.emplace_back("its sizes are open: the shapes of its arguments (--argument-shapes) settle them");
    for (const Diagnostic& obstacle : obstacles) notes.push_back(toString(obstacle));
    return fail("not-runnable", fmt::format("{} cannot be run by {}", request.module->name(), request.engine),
                {}, std::move(notes));
  }
  TRY(RunArguments arguments, argumentsFor(*request.module, request.arguments));
  if (arguments.lists.size() > 1 && grid.count() == 1 &&
      request.arguments.kind == ArgumentSource::Kind::Snapshot) {
    arguments.made.notes.push_back(fmt::format(
        "the snapshot has arguments for {} devices: the first one's are used", arguments.lists.size()));
    arguments.lists.resize(1);
  }
  if (arguments.lists.size() > 1 && static_cast<int64_t>(arguments.lists.size()) != grid.count()) {
    return fail("wrong-argument",
                fmt::format("arguments for {} devices, and {} run", arguments.lists.size(), grid.count()));
  }
  RunRecord run{.moduleName = std::string(request.module->name()),
                .moduleHash = moduleHash(*request.module),
                .engine = request.engine,
                .argumentsDescription = describe(request.arguments),
                .label = request.label,
                .machine = machineText(),
                .startedAt = utcNow(),
                .devices = grid.count(),
                .notes = arguments.made.notes};
  const auto begin = std::chrono::steady_clock::now();
  TRY(const auto executable,
      engine->compile(withConstants(request.module, arguments.made), context.cancel()));
  run.compileNs = elapsedNs(begin);
  TRY_STATUS(runRepeatedly(*executable, grid, arguments.lists, std::max(1, request.repeat), context, run));
  run.outputDigest = literalDigest(*run.output);
  return run;
}

RunComparison compareRuns(RunRecord a, RunRecord b, const Tolerance& tolerance) {
  RunComparison comparison{.a = std::move(a), .b = std::move(b)};
  if (comparison.a.timings.n() > 0 && comparison.b.timings.n() > 0 && comparison.a.timings.medianNs() > 0) {
    comparison.medianRatio = static_cast<double>(comparison.b.timings.medianNs()) /
                             static_cast<double>(comparison.a.timings.medianNs());
  }
  compareOutputs(comparison, tolerance);
  return comparison;
}

}  // namespace hilo
