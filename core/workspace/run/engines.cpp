#include "core/workspace/run/engines.h"

#include <fmt/format.h>

#include "core/base/check.h"
#include "core/compiler/codegen/cpu/cpu_codegen.h"
#include "core/compiler/codegen/plain/plain_codegen.h"
#include "core/hlo/eval/devices.h"
#include "core/workspace/open/verify_file.h"
#include "core/workspace/run/cpu_engine.h"
#include "core/workspace/run/device_engines.h"
#include "core/workspace/run/engines_apart.h"
#include "core/workspace/run/memory_limit.h"
#include "core/workspace/run/remote_engine.h"
#include "core/workspace/run/time_limit.h"

namespace hilo {
namespace {

constexpr const char* kReference = "reference";

// In this process.
class ReferenceExecutable : public Executable {
 public:
  ReferenceExecutable(std::shared_ptr<const Module> module, const EngineSettings& settings)
      : module_(std::move(module)),
        sumsAsSpecified_(std::ranges::find(settings.flags, kSumsAsSpecified) != settings.flags.end()),
        mostBytes_(memoryWithin(settings.worker ? settings.worker->memoryLimitBytes : 0)),
        timeLimitNs_(settings.worker ? settings.worker->timeLimitNs : 0),
        infeeds_(settings.infeeds) {}
  Result<Literal> run(std::span<const Literal> arguments, const CancelToken& cancel) override {
    return within(cancel, [&](const EvalOptions& options) { return evaluate(*module_, arguments, options); });
  }
  Result<std::vector<Literal>> runOnDevices(DeviceGrid grid, std::span<const std::vector<Literal>> arguments,
                                            const CancelToken& cancel) override {
    return within(cancel, [&](const EvalOptions& options) {
      return evaluateOnDevices(*module_, grid, arguments, options);
    });
  }

 private:
  template <typename Work>
  auto within(const CancelToken& cancel, Work&& work) const -> decltype(work(EvalOptions())) {
    const TimeLimit limit(timeLimitNs_, cancel);
    auto done = work(options(limit.token()));
    if (!done) return std::unexpected(limit.explained(std::move(done).error(), "the run"));
    return done;
  }
  EvalOptions options(const CancelToken& cancel) const {
    EvalOptions options;
    options.cancel = cancel;
    options.sumsAsSpecified = sumsAsSpecified_;
    options.maxLiveBytes = mostBytes_;
    options.infeeds = infeeds_;
    return options;
  }

  std::shared_ptr<const Module> module_;
  const bool sumsAsSpecified_;
  const int64_t mostBytes_, timeLimitNs_;
  const std::vector<InfeedValues> infeeds_;
};

// In the worker's program, where there is one: a module that takes all memory ends that process alone.
Result<std::unique_ptr<Executable>> compileReference(std::shared_ptr<const Module> module,
                                                     const EngineSettings& settings,
                                                     const CancelToken& cancel) {
  if (!settings.worker || settings.worker->command.empty())
    return std::make_unique<ReferenceExecutable>(std::move(module), settings);
  std::string text = kReference;
  if (!settings.flags.empty()) text += fmt::format(":{}", fmt::join(settings.flags, "+"));
  return compileThere({.name = "the evaluator", .command = engineLine(*settings.worker)}, text, *module,
                      settings, cancel);
}

Engine referenceEngine() {
  return {.name = kReference,
          .description = "the evaluator: plain, slow, every opcode and element type, any number of devices",
          .canRun =
              [](const Module& module) {
                if (const Status sound = requireVerified(module); !sound) return Diagnostics{sound.error()};
                return checkRunnable(module);
              },
          .canRunOnDevices =
              [](const Module& module, DeviceGrid grid) {
                if (const Status sound = requireVerified(module); !sound) return Diagnostics{sound.error()};
                return checkRunnable(module, grid);
              },
          .runPrograms =
              [](DeviceGrid grid, std::span<const DeviceProgram> programs, const CancelToken& cancel) {
                EvalOptions options;
                options.cancel = cancel;
                return evaluateOnDevices(grid, programs, options);
              },
          .compile = compileReference,
          .flags = {{std::string(kSumsAsSpecified), "round every sum as StableHLO's specification says"}},
          .rates = EngineRates{.flopsPerSecond = 1e9, .bytesPerSecond = 1e8}};
}

std::string namesOf(bool (*isListed)(const Engine&)) {
  std::vector<std::string> names;
  for (const Engine* engine : engineTable().all()) {
    if (isListed(*engine)) names.push_back(engine->name);
  }
  return fmt::format("there are: {}", fmt::join(names, ", "));
}

bool makesPrograms(const Engine& engine) { return engine.compiler.has_value(); }

}  // namespace

Result<const Engine*> engineNamed(std::string_view name) {
  if (const Engine* engine = engineTable().find(std::string(name))) return engine;
  return fail("unknown-engine", fmt::format("no engine '{}'", name), {},
              {namesOf([](const Engine&) { return true; })});
}

Result<const Engine*> compilingEngine(std::string_view name) {
  if (name.empty()) {
    const auto engines = engineTable().all();
    const auto first = std::ranges::find_if(engines, [](const Engine* e) { return makesPrograms(*e); });
    CHECK(first != engines.end());
    return *first;
  }
  TRY(const Engine* engine, engineNamed(name));
  if (makesPrograms(*engine)) return engine;
  return fail("no-programs", fmt::format("the engine {} makes no programs", name), {},
              {namesOf(makesPrograms)});
}

bool isReference(const Engine& engine) { return engine.name == kReference; }

const std::string& defaultEngine() { return (*compilingEngine())->name; }

const CodegenEngine& codegenOf(const Engine& engine) {
  for (const CodegenEngine* codegen : {&cpuCodegen(), &plainCodegen()}) {
    if (codegen->name == engine.name) return *codegen;
  }
  checkFailed(__FILE__, __LINE__, "engine that makes kernels", engine.name);
}

const Engine* engineOfPipeline(std::string_view pipeline) {
  for (const Engine* engine : engineTable().all()) {
    if (engine->compiler && engine->compiler->pipeline == pipeline) return engine;
  }
  return nullptr;
}

EngineTable& engineTable() {
  static EngineTable& table = *[] {
    auto* made = new EngineTable();
    CHECK(made->add(referenceEngine()).has_value());
    CHECK(made->add(cpuEngine()).has_value());
    CHECK(made->add(plainEngine()).has_value());
    for (Engine& engine : deviceEngines()) CHECK(made->add(std::move(engine)).has_value());
    return made;
  }();
  return table;
}

}  // namespace hilo
