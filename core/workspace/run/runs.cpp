#include "core/workspace/run/runs.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <map>
#include <ranges>

#include "core/analysis/implied_devices.h"
#include "core/hlo/eval/arguments.h"
#include "core/hlo/eval/npy.h"
#include "core/hlo/text/print.h"
#include "core/runtime/device/host/machine_text.h"
#include "core/workspace/run/chosen_engine.h"
#include "core/workspace/run/dumped_flags.h"
#include "core/workspace/run/engines.h"
#include "core/workspace/run/memory_limit.h"
#include "core/workspace/run/memory_needs.h"
#include "core/workspace/run/prepared_run.h"
#include "core/workspace/run/program_executable.h"
#include "core/workspace/run/run_arguments.h"
#include "core/workspace/run/time_limit.h"

namespace hilo {

std::vector<EngineInfo> listEngines() {
  std::vector<EngineInfo> engines;
  for (const Engine* engine : engineTable().all()) {
    EngineInfo& info = engines.emplace_back(
        EngineInfo{.name = engine->name, .description = engine->description, .checks = engine->checks});
    for (const EngineFlag& flag : engine->flags) info.flags.emplace_back(flag.name, flag.description);
  }
  return engines;
}

namespace {

// The text of a large array would be many times its bytes.
void appendValuesHash(std::string& out, const Literal& literal) {
  for (const Literal& element : literal.elements()) appendValuesHash(out, element);
  const std::span<const std::byte> bytes = literal.bytes();
  out += fmt::format("{:016x}{}", XXH3_64bits(bytes.data(), bytes.size()),
                     fmt::join(literal.dynamicSizes(), ","));
}

}  // namespace

uint64_t moduleHash(const Module& module) {
  PrintOptions options = PrintOptions::canonical();
  options.ids = false;            // of the module and its computations
  options.originalValue = false;  // it is full of names
  options.fullReplicaGroups = true;
  // Bodies written where they are called grow with every path to them: here each stands once, and who calls
  // whom follows as numbers.
  options.subcomputations = PrintOptions::Subcomputations::Off;
  std::string text = printModule(module, options);
  absl::flat_hash_map<const Computation*, size_t> numberOf;
  for (const Computation* computation : module.computations()) numberOf.emplace(computation, numberOf.size());
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      if (instruction->has(Attr::Literal)) appendValuesHash(text, instruction->literal());
      for (const Computation* called : instruction->calledComputations()) {
        text += fmt::format("{},", called == nullptr ? numberOf.size() : numberOf.at(called));
      }
    }
    text += ';';
  }
  return XXH3_64bits(text.data(), text.size());
}

namespace {

std::string utcNow() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  const size_t length = std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return std::string(text, length);
}

// Devices in the shape that is asked for, as far as the number allows.
Result<DeviceGrid> gridFor(DeviceGrid asked, bool hasSeveral, int64_t devices) {
  constexpr int64_t kMostDevices = 1024;
  if (asked.replicas < 1 || asked.partitions < 1 || asked.replicas > kMostDevices ||
      asked.partitions > kMostDevices || asked.count() > kMostDevices || devices > kMostDevices) {
    return fail("wrong-device-count",
                fmt::format("{} are asked for, expected 1 to {}",
                            devices > kMostDevices ? fmt::format("{} devices", devices)
                                                   : fmt::format("{} replicas of {} partitions",
                                                                 asked.replicas, asked.partitions),
                            kMostDevices));
  }
  if (devices == 0) return hasSeveral ? asked : DeviceGrid{};
  if (devices == 1) return DeviceGrid{};
  if (devices == asked.count()) return asked;
  if (asked.partitions == 1) return DeviceGrid{.replicas = devices};
  if (asked.replicas == 1) return DeviceGrid{.partitions = devices};
  if (devices % asked.partitions == 0)
    return DeviceGrid{.replicas = devices / asked.partitions, .partitions = asked.partitions};
  return fail("wrong-device-count", fmt::format("{} devices are no whole number of replicas of {} partitions",
                                                devices, asked.partitions));
}

int64_t timeLimitOf(const std::optional<WorkerOptions>& worker) { return worker ? worker->timeLimitNs : 0; }

Result<RunArguments> argumentsWithin(int64_t limitNs, const Module& module, const ArgumentSource& source,
                                     const JobContext& context) {
  const TimeLimit limit(limitNs, context.cancel());
  MakingOptions options = makingFor(context);
  options.cancel = limit.token();
  auto made = argumentsFor(module, source, options);
  if (!made) return std::unexpected(limit.explained(std::move(made).error(), "making arguments"));
  return made;
}

}  // namespace

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

bool engineChecks(const std::string& engine) {
  const auto chosen = chooseEngine(engine);
  return chosen && chosen->engine->checks;
}

bool runsDumpedKernels(const std::string& engine) {
  const auto chosen = chooseEngine(engine);
  return chosen && chosen->engine->runsGrids;
}

Diagnostics whyNotRunnable(const Module& module, const std::string& engine) {
  const auto found = chooseEngine(engine);
  if (!found) return {found.error()};
  const auto grid = gridFor(impliedGrid(module), found->engine->canRunOnDevices != nullptr, 0);
  if (!grid) return {grid.error()};
  return obstaclesOn(*found->engine, module, *grid);
}

namespace {

// Puts the flags of the module's dump in the place of the one that stands for them. Gives what there is to
// say of it.
Result<std::vector<std::string>> takeDumpedFlags(ChosenEngine& chosen, const RunRequest& request) {
  if (std::erase(chosen.flags, kAsDumped) == 0) return std::vector<std::string>();
  TRY(const DumpedFlags dumped, dumpedFlags(request.source));
  for (const std::string& flag : dumped.flags) {
    if (std::ranges::find(chosen.flags, flag) == chosen.flags.end()) chosen.flags.push_back(flag);
  }
  const std::string which = dumped.flags.empty() ? "none" : fmt::format("{}", fmt::join(dumped.flags, ", "));
  return std::vector{fmt::format("flags as dumped in {}: {}", dumped.fileName, which)};
}

// Of what looks into a module nobody knows which file it lies beside.
Result<ChosenEngine> chooseForValues(const std::string& text) {
  TRY(ChosenEngine chosen, chooseEngine(text));
  if (std::ranges::find(chosen.flags, kAsDumped) == chosen.flags.end()) return chosen;
  return fail("unsupported-flag", fmt::format("{} is of whole runs, not of the values within", kAsDumped), {},
              {"name the flags it stands for: a run with it notes them"});
}

std::string flagsText(const ChosenEngine& chosen, const RunRequest& request) {
  std::vector<std::string> parts = chosen.flags;
  if (request.worker) parts.push_back("worker");
  return fmt::format("{}", fmt::join(parts, " "));
}

RunRecord recordFor(const RunRequest& request, DeviceGrid grid, std::vector<std::string> notes) {
  std::vector<std::string> names;
  for (auto& [name, shape] : resultsOf(request)) names.push_back(std::move(name));
  return {.argumentsDescription = describeArguments(request.arguments),
          .label = request.label,
          .machine = machineText(),
          .startedAt = utcNow(),
          .version = HILO_VERSION,
          .devices = grid.count(),
          .resultNames = std::move(names),
          .notes = std::move(notes)};
}

Status checkChecks(const Engine& engine, const DeviceChecks& checks) {
  if (engine.checks || checks == DeviceChecks()) return {};
  return fail("unsupported-check",
              fmt::format("the engine {} neither checks accesses nor draws orders of streams", engine.name),
              {}, {"cuda-sim does"});
}

// Before arguments are made, which takes their memory: what one device needs at the least. Of a program only
// its arguments are sure, for passes may leave out the rest.
Status checkLeastMemory(const Engine& engine, const RunRequest& request) {
  if (request.arguments.kind != ArgumentSource::Kind::Seed) return {};
  MemoryNeeds needs = leastNeedsOf(*request.module, 1, 1);
  if (engine.compiler) needs.results = needs.temporaries = 0;
  return checkNeeds(needs, memoryFree(request.worker ? request.worker->memoryLimitBytes : 0),
                    request.module->name());
}

// What evaluates devices that do the same evaluates one of them.
Status checkMemory(const PreparedRun& run, const RunRequest& request, const Module* module) {
  const Program* program = run.executable->program();
  const auto lists = static_cast<int64_t>(run.arguments.size());
  const bool isOne = program == nullptr && devicesDoTheSame(*module, run.arguments);
  const int64_t devices = isOne ? 1 : run.grid.count();
  const MemoryNeeds needs =
      program != nullptr ? needsOf(*program, module, lists, devices) : leastNeedsOf(*module, lists, devices);
  return checkNeeds(needs, memoryFree(request.worker ? request.worker->memoryLimitBytes : 0),
                    run.record.moduleName);
}

}  // namespace

Status checkRunnable(const RunRequest& request) {
  TRY(const ChosenEngine chosen, chooseForValues(request.engine));
  TRY(const DeviceGrid grid,
      gridFor(impliedGrid(*request.module), chosen.engine->canRunOnDevices != nullptr, request.devices));
  return checkObstacles(*chosen.engine, *request.module, grid);
}

Result<PreparedRun> prepareModule(const RunRequest& request, const JobContext& context) {
  TRY(ChosenEngine chosen, chooseEngine(request.engine));
  TRY(std::vector<std::string> said, takeDumpedFlags(chosen, request));
  const Engine& engine = *chosen.engine;
  TRY(const DeviceGrid grid,
      gridFor(impliedGrid(*request.module), engine.canRunOnDevices != nullptr, request.devices));
  TRY_STATUS(checkChecks(engine, request.checks));
  TRY_STATUS(checkObstacles(engine, *request.module, grid));
  if (grid.count() > gridOf(*request.module).count() && request.devices == 0)
    said.push_back(fmt::format("its collectives are of {} devices: it ran on as many", grid.count()));
  TRY_STATUS(checkLeastMemory(engine, request));
  const int64_t limitNs = timeLimitOf(request.worker);
  TRY(RunArguments arguments, argumentsWithin(limitNs, *request.module, request.arguments, context));
  TRY_STATUS(fitArguments(arguments, grid, request.arguments.kind));
  PreparedRun run{
      .grid = grid, .timeLimitNs = limitNs, .record = recordFor(request, grid, arguments.made.notes)};
  run.record.moduleName = std::string(request.module->name());
  run.record.moduleHash = moduleHash(*request.module);
  run.record.engine = request.engine;
  run.record.flags = flagsText(chosen, request);
  run.record.notes.insert(run.record.notes.end(), said.begin(), said.end());
  if (auto rounding = expectedRounding(*request.module)) {
    run.record.rounding = *std::move(rounding);
  } else {
    run.record.notes.push_back("what rounding may do is not known: " + rounding.error().message);
  }
  // Of runs on arguments that are at hand there may be many, and whoever starts them says how far it is.
  if (request.arguments.kind == ArgumentSource::Kind::Seed) context.progress(-1, "compiling");
  const auto begin = std::chrono::steady_clock::now();
  TRY(run.executable,
      engine.compile(withConstants(request.module, arguments.made),
                     {.flags = chosen.flags,
                      .worker = request.worker,
                      .infeeds = std::move(arguments.infeeds),
                      .deviceNumber = chosen.deviceNumber,
                      .checks = request.checks,
                      .tellSlow = [&](const std::string& text) { context.progress(-1, text); }},
                     context.cancel()));
  const auto taken = std::chrono::steady_clock::now() - begin;
  run.record.compileNs = std::chrono::duration_cast<std::chrono::nanoseconds>(taken).count();
  run.record.notes.insert(run.record.notes.end(), run.executable->notes.begin(), run.executable->notes.end());
  run.arguments = std::move(arguments.lists);
  TRY_STATUS(checkMemory(run, request, request.module.get()));
  return run;
}

namespace {

// Where a program runs: nowhere but on the processor, or on the device of the engine that is named.
Result<DeviceChoice> deviceFor(const Program& program, const RunRequest& request) {
  if (!isForGrids(program)) return DeviceChoice();
  TRY(const ChosenEngine chosen, chooseEngine(request.engine));
  if (!chosen.engine->runsGrids)
    return fail("unsupported-engine",
                fmt::format("{} is a program of grids, and {} runs none", program.name, chosen.engine->name),
                {}, {"cuda and cuda-sim do"});
  TRY_STATUS(checkChecks(*chosen.engine, request.checks));
  return DeviceChoice{.kind = chosen.engine->name,
                      .number = chosen.deviceNumber,
                      .isChecked = request.checks.isChecked,
                      .orderSeed = request.checks.orderSeed};
}

Result<PreparedRun> prepareProgram(const RunRequest& request, const JobContext& context) {
  const Program& program = *request.program;
  TRY(const DeviceChoice device, deviceFor(program, request));
  TRY(const DeviceGrid grid,
      gridFor({.replicas = program.replicas, .partitions = program.partitions}, true, request.devices));
  TRY(RunArguments arguments, argumentsFor(program, request.arguments, makingFor(context)));
  TRY_STATUS(fitArguments(arguments, grid, request.arguments.kind));
  PreparedRun run{.grid = grid, .record = recordFor(request, grid, arguments.made.notes)};
  run.record.moduleName = program.name;
  run.record.moduleHash = program.moduleHash;
  run.record.engine = device.kind.empty() ? "program" : request.engine;
  run.record.flags = request.worker ? "worker" : "";
  run.record.notes.insert(run.record.notes.end(), request.compileNotes.begin(), request.compileNotes.end());
  TRY(run.executable,
      programExecutable(request.program, request.worker, std::move(arguments.infeeds), device));
  run.arguments = std::move(arguments.lists);
  TRY_STATUS(checkMemory(run, request, nullptr));
  return run;
}

}  // namespace

Result<SettledModule> settleModule(const RunRequest& request, const JobContext& context) {
  TRY(const ChosenEngine chosen, chooseForValues(request.engine));
  TRY(const DeviceGrid grid,
      gridFor(impliedGrid(*request.module), chosen.engine->canRunOnDevices != nullptr, request.devices));
  TRY_STATUS(checkObstacles(*chosen.engine, *request.module, grid));
  TRY_STATUS(checkLeastMemory(*chosen.engine, request));
  TRY(RunArguments arguments,
      argumentsWithin(timeLimitOf(request.worker), *request.module, request.arguments, context));
  TRY_STATUS(fitArguments(arguments, grid, request.arguments.kind));
  return SettledModule{withConstants(request.module, arguments.made), std::move(arguments.lists), grid};
}

namespace {

// Runs side by side. One that failed takes no further turn; with `stops` none does.
class Turns {
 public:
  Turns(std::span<const RunRequest> requests, bool stops, const JobContext& context)
      : requests_(requests), stops_(stops), context_(context) {}

  Result<std::vector<Result<RunRecord>>> take() {
    for (const RunRequest& request : requests_) {
      runs_.push_back(request.program ? prepareProgram(request, context_) : prepareModule(request, context_));
      TRY_STATUS(goOn(runs_.back()));
    }
    const int repeat = requests_.empty() ? 0 : std::max(1, requests_[0].repeat);
    if (repeat > 1) {
      TRY_STATUS(each([&](PreparedRun& run, size_t) { return run.warmUp(context_.cancel()); }));
    }
    for (int n = 0; n < repeat; ++n) TRY_STATUS(sampleAll(n, repeat));
    TRY_STATUS(each([&](PreparedRun& run, size_t i) {
      return requests_[i].timesThunks ? run.timeThunks(context_.cancel()) : Status();
    }));
    return records();
  }

 private:
  // Forwards and backwards by turns.
  Status sampleAll(int n, int repeat) {
    context_.progress(static_cast<double>(n) / repeat, fmt::format("run {} of {}", n + 1, repeat));
    const auto sample = [&](PreparedRun& run, size_t) -> Status {
      TRY(const int64_t ns, run.runOnce(context_.cancel()));
      run.record.timings.samplesNs.push_back(ns);
      return {};
    };
    return each(sample, /*backwards=*/n % 2 == 1);
  }

  template <typename Step>
  Status each(Step&& step, bool backwards = false) {
    for (size_t n = 0; n < runs_.size(); ++n) {
      if (context_.cancelled()) return cancelledError();
      const size_t i = backwards ? runs_.size() - 1 - n : n;
      if (!runs_[i]) continue;
      if (Status done = step(*runs_[i], i); !done) runs_[i] = std::unexpected(std::move(done).error());
      TRY_STATUS(goOn(runs_[i]));
    }
    return {};
  }

  Status goOn(const Result<PreparedRun>& run) const {
    const bool isOver = !run && (stops_ || run.error().kind == "cancelled");
    return isOver ? Status(std::unexpected(run.error())) : Status();
  }

  std::vector<Result<RunRecord>> records() {
    std::vector<Result<RunRecord>> records;
    for (Result<PreparedRun>& run : runs_) {
      if (run) run->record.outputDigest = literalDigest(*run->record.output);
      records.push_back(run ? Result<RunRecord>(std::move(run->record)) : std::unexpected(run.error()));
    }
    return records;
  }

  const std::span<const RunRequest> requests_;
  const bool stops_;
  const JobContext& context_;
  std::vector<Result<PreparedRun>> runs_;
};

}  // namespace

Result<std::vector<Result<RunRecord>>> tryInTurns(std::span<const RunRequest> requests,
                                                  const JobContext& context) {
  return Turns(requests, /*stops=*/false, context).take();
}

Result<std::vector<RunRecord>> executeInTurns(std::span<const RunRequest> requests,
                                              const JobContext& context) {
  TRY(std::vector<Result<RunRecord>> runs, Turns(requests, /*stops=*/true, context).take());
  std::vector<RunRecord> records;
  for (Result<RunRecord>& run : runs) records.push_back(*std::move(run));
  return records;
}

Result<RunRecord> execute(const RunRequest& request, const JobContext& context) {
  TRY(std::vector<RunRecord> records, executeInTurns({&request, 1}, context));
  return std::move(records[0]);
}

}  // namespace hilo
