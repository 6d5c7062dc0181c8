#include "core/workspace/runs.h"

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
  const std::string text = printModule(module, options);
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

Result<GeneratedArguments> argumentsFor(const Module& module, const ArgumentSource& source) {
  if (source.kind == ArgumentSource::Kind::Seed) return makeArguments(module, source.seed);
  TRY(GeneratedArguments made, fillElidedConstants(module, source.seed));
  if (source.kind != ArgumentSource::Kind::File) {
    made.arguments = source.given;
    return made;
  }
  if (module.entry() == nullptr) return fail("no-entry", "the module has no entry computation");
  TRY(made.arguments, loadArguments(source.path, *module.entry()));
  return made;
}

std::string describe(const ArgumentSource& source) {
  switch (source.kind) {
    case ArgumentSource::Kind::Seed:
      return fmt::format("seed {}", source.seed);
    case ArgumentSource::Kind::File:
      return source.path;
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

// Fills output and timings. With several samples asked for, the first run only warms up.
Status runRepeatedly(Executable& executable, std::span<const Literal> arguments, int repeat,
                     const JobContext& context, RunRecord& run) {
  const int warmUps = repeat > 1 ? 1 : 0;
  for (int n = 0; n < repeat + warmUps; ++n) {
    if (context.cancelled()) return cancelledError();
    context.progress(static_cast<double>(n) / (repeat + warmUps),
                     fmt::format("run {} of {}", n + 1, repeat + warmUps));
    const auto begin = std::chrono::steady_clock::now();
    TRY(Literal output, executable.run(arguments, context.cancel()));
    if (n >= warmUps) run.timings.samplesNs.push_back(elapsedNs(begin));
    run.output = std::move(output);
  }
  return {};
}

std::string pathText(const std::vector<int64_t>& path) {
  return path.empty() ? "" : fmt::format("{{{}}}", fmt::join(path, ","));
}

LeafComparison leafOf(LiteralDifference difference) {
  return {.path = pathText(difference.path),
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
    comparison.leaves.push_back(leafOf(std::move(difference)));
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
  return (*found)->canRun(module);
}

Result<ArgumentSource> settleArguments(const Module& module, const ArgumentSource& source) {
  TRY(GeneratedArguments made, argumentsFor(module, source));
  ArgumentSource settled = source;
  settled.kind = ArgumentSource::Kind::Given;
  settled.given = std::move(made.arguments);
  return settled;
}

Result<RunRecord> execute(const RunRequest& request, const JobContext& context) {
  TRY(const Engine* engine, findEngine(request.engine));
  if (const Diagnostics obstacles = engine->canRun(*request.module); !obstacles.empty()) {
    std::vector<std::string> notes;
    for (const Diagnostic& obstacle : obstacles) notes.push_back(toString(obstacle));
    return fail("not-runnable", fmt::format("{} cannot be run by {}", request.module->name(), request.engine),
                {}, std::move(notes));
  }
  TRY(GeneratedArguments made, argumentsFor(*request.module, request.arguments));
  RunRecord run{.moduleName = std::string(request.module->name()),
                .moduleHash = moduleHash(*request.module),
                .engine = request.engine,
                .argumentsDescription = describe(request.arguments),
                .label = request.label,
                .machine = machineText(),
                .startedAt = utcNow(),
                .notes = made.notes};
  const auto begin = std::chrono::steady_clock::now();
  TRY(const auto executable, engine->compile(withConstants(request.module, made), context.cancel()));
  run.compileNs = elapsedNs(begin);
  TRY_STATUS(runRepeatedly(*executable, made.arguments, std::max(1, request.repeat), context, run));
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
