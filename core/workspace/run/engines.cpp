#include "core/workspace/run/engines.h"

#include <fmt/format.h>

#include "core/base/check.h"
#include "core/compiler/codegen/cpu/cpu_codegen.h"
#include "core/compiler/codegen/plain/plain_codegen.h"
#include "core/hlo/eval/devices.h"
#include "core/workspace/open/verify_file.h"
#include "core/workspace/run/cpu_engine.h"
#include "core/workspace/run/device_engines.h"
#include "core/workspace/run/memory_limit.h"

namespace hilo {
namespace {

class ReferenceExecutable : public Executable {
 public:
  ReferenceExecutable(std::shared_ptr<const Module> module, bool sumsAsSpecified, int64_t memoryLimitBytes,
                      std::vector<InfeedValues> infeeds)
      : module_(std::move(module)),
        sumsAsSpecified_(sumsAsSpecified),
        mostBytes_(memoryWithin(memoryLimitBytes)),
        infeeds_(std::move(infeeds)) {}
  Result<Literal> run(std::span<const Literal> arguments, const CancelToken& cancel) override {
    return evaluate(*module_, arguments, options(cancel));
  }
  Result<std::vector<Literal>> runOnDevices(DeviceGrid grid, std::span<const std::vector<Literal>> arguments,
                                            const CancelToken& cancel) override {
    return evaluateOnDevices(*module_, grid, arguments, options(cancel));
  }

 private:
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
  const int64_t mostBytes_;
  const std::vector<InfeedValues> infeeds_;
};

Engine referenceEngine() {
  return {.name = "reference",
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
          .compile = [](std::shared_ptr<const Module> module, const EngineSettings& settings,
                        const CancelToken&) -> Result<std::unique_ptr<Executable>> {
            const bool sumsAsSpecified =
                std::ranges::find(settings.flags, kSumsAsSpecified) != settings.flags.end();
            return std::make_unique<ReferenceExecutable>(
                std::move(module), sumsAsSpecified, settings.worker ? settings.worker->memoryLimitBytes : 0,
                settings.infeeds);
          },
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
